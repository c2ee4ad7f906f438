"""Objects that are there and are not the release's."""

from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.ways import DELETE_AND_AGAIN

_EXISTS = (
    '<kind> "<name>" in namespace "<namespace>" exists and cannot be imported into the current release: '
)
# Helm before 3.2
_EXISTED = (
    "existing resource conflict: (?:kind: [^,]{1,63}, )?namespace: <namespace>, name: <name>, "
    "existing_kind: [^,]{0,100}, Kind=<kind>"
)
_TAKE_OVER = (
    Way(
        "let Helm take it over",
        ("helm upgrade {release} CHART -n {namespace} --take-ownership",),
        "needs Helm 3.17 or newer; a Job does not run again, and one whose pod template is another says `field is immutable`",
        tools=(HELM,),
        operations=("upgrade",),
    ),
    Way(
        "let Helm take it over",
        ("helm install {release} CHART -n {namespace} --take-ownership",),
        "needs Helm 3.17 or newer; a Job does not run again, and one whose pod template is another says `field is immutable`",
        tools=(HELM,),
        operations=("install",),
    ),
    Way(
        "mark it as the release's, then the same again",
        (
            "kubectl label {kind} {name}{in_namespace} app.kubernetes.io/managed-by=Helm --overwrite",
            "kubectl annotate {kind} {name}{in_namespace} meta.helm.sh/release-name={release} --overwrite",
            "kubectl annotate {kind} {name}{in_namespace} meta.helm.sh/release-namespace={namespace} --overwrite",
            "{again}",
        ),
        "the same, with any Helm; it is deleted with the release from now on",
    ),
)

OWNERSHIP = (
    KnownError(
        "owned-by-another-release",
        (
            rf'{_EXISTS}invalid ownership metadata;<...>release-name" must equal "[^"]*": current value is "<owner>"',
            rf'{_EXISTS}invalid ownership metadata;<...>release-namespace" must equal "[^"]*": current value is "<owner>"',
        ),
        '{Kind} "{name}" exists and belongs to "{owner}"',
        '{what} belongs to another release or namespace: "{owner}". Two releases render an object of the same name.',
        (
            Way(
                "take it from the other release, then the same again",
                _TAKE_OVER[2].commands,
                "the other release loses it: its next upgrade wants it back, its uninstall may delete it",
                when="the other release does not need it any more",
            ),
        ),
        "the release's name in the object's name, so that every release has its own",
        see=("WB409",),
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "left-over-at-install",
        (_EXISTS, _EXISTED),
        '{Kind} "{name}" exists and belongs to no release',
        "{what} is there and belongs to no release, so Helm does not touch it. Hooks of a release that was uninstalled leave "
        "such objects behind: Helm never deletes them. Or somebody made it by hand.",
        (DELETE_AND_AGAIN, *_TAKE_OVER),
        "hook-succeeded in the delete policy of hooks, so that nothing of them stays",
        rule="WB403",
        sure=False,
        see=("WB304",),
        operations=("install",),
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "hook-to-plain",
        (_EXISTS, _EXISTED),
        '{Kind} "{name}" exists and belongs to no release',
        "{what} is there and belongs to no release, so Helm does not touch it, and stops before it has done anything. The "
        "version before had it as a hook, which is never marked as the release's; or somebody made it by hand. Every retry "
        "fails the same way.",
        (DELETE_AND_AGAIN, *_TAKE_OVER),
        "another name for the object that is plain now",
        rule="WB403",
        sure=False,
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
)
