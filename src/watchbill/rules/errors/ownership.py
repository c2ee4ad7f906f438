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
        "needs Helm 3.17 or newer; a Job does not run again, and if its pod template differs, the error is `field "
        "is immutable`",
        tools=(HELM,),
        operations=("upgrade",),
    ),
    Way(
        "let Helm take it over",
        ("helm install {release} CHART -n {namespace} --take-ownership",),
        "needs Helm 3.17 or newer; a Job does not run again, and if its pod template differs, the error is `field "
        "is immutable`",
        tools=(HELM,),
        operations=("install",),
    ),
    Way(
        "mark it as part of the release, then retry",
        (
            "kubectl label {kind} {name}{in_namespace} app.kubernetes.io/managed-by=Helm --overwrite",
            "kubectl annotate {kind} {name}{in_namespace} meta.helm.sh/release-name={release} --overwrite",
            "kubectl annotate {kind} {name}{in_namespace} meta.helm.sh/release-namespace={namespace} --overwrite",
            "{again}",
        ),
        "works with any Helm version; an uninstall of the release now deletes it",
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
        '{what} belongs to another release or namespace: "{owner}". Two releases contain an object with the same name.',
        (
            Way(
                "take it from the other release, then retry",
                _TAKE_OVER[2].commands,
                "the other release loses it: its next upgrade claims it back, and its uninstall may delete it",
                when="the other release no longer needs it",
            ),
        ),
        "put the release's name into the object's name, so that every release has its own",
        see=("WB409",),
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "left-over-at-install",
        (_EXISTS, _EXISTED),
        '{Kind} "{name}" exists and belongs to no release',
        "{what} already exists and belongs to no release, so Helm does not touch it. It may be a hook of an "
        "uninstalled release, because `helm uninstall` does not delete hooks. Or somebody created it by hand.",
        (DELETE_AND_AGAIN, *_TAKE_OVER),
        "add hook-succeeded to the delete policy of the hook, so that it does not stay",
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
        "{what} already exists and belongs to no release, so Helm does not touch it, and stops before it changes "
        "anything. In the version before, it was a hook, and Helm does not mark hooks as part of the release; or "
        "somebody created it by hand. Every retry "
        "fails the same way.",
        (DELETE_AND_AGAIN, *_TAKE_OVER),
        "give the object that is now plain another name",
        rule="WB403",
        sure=False,
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
)
