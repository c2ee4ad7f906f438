"""Objects that cannot be made as they are written, and operations that cannot be done as they are asked for."""

import re

from watchbill.lifecycle.kube.removed import SINCE
from watchbill.rules.errors.known import ARGO, FLUX, HELM, KUBECTL, KnownError, Stage, Way
from watchbill.rules.errors.ways import GO_BACK, UNINSTALL_WITHOUT_HOOKS, UPGRADE_WITHOUT_HOOKS, WITHOUT_HOOKS

_CORRECT = Way(
    "correct the chart or its values, then retry",
    ("{again}",),
    "nothing",
    mended=True,
    operations=("install", "upgrade", "sync", "apply"),
)
_CONFLICT = "Apply failed with a conflict"
_SET_BY_OTHERS = "Somebody else set fields of {what} that this version also sets: a controller, or a person with kubectl edit or scale."
_OVERWRITTEN = "the values that the person or the controller set are overwritten"
_NOT_OURS = "remove fields that a controller sets from the chart (replicas, if there is an autoscaler)"
_TOO_LONG = r"must be no more than (?:\d+ )?(?:bytes|characters)"

_REMOVED = "|".join(f'"{kind}" in version "{re.escape(version)}"' for version, kind in SINCE)
_WITHOUT_THE_HOOK = Way(
    "install without hooks",
    (
        "helm uninstall {release} -n {namespace}",
        "helm install {release} CHART -n {namespace} --no-hooks",
    ),
    "no hook runs, so their work must be done already",
    tools=(HELM,),
    operations=("install",),
)

REFUSED = (
    KnownError(
        "namespace-exists",
        ('namespaces "<name>" already exists',),
        'namespaces "{name}" already exists',
        'The chart contains Namespace "{name}", but --create-namespace or somebody else has already created it.',
        (),
        "remove the Namespace from the chart and use --create-namespace",
        operations=("install", "upgrade"),
        tools=(HELM, FLUX),
        kind="Namespace",
    ),
    KnownError(
        "twins",
        (r'\b<resource> "<name>" already exists',),
        '{Kind} "{name}" already exists',
        "A hook of the same chart has created {what}, and now Helm creates a plain object with the same name; or "
        "the chart renders it twice.",
        (_WITHOUT_THE_HOOK,),
        "give the hook's copy another name",
        rule="WB408",
        sure=False,
        of_hook=False,
        operations=("install",),
        tools=(HELM, FLUX),
    ),
    KnownError(
        "object-exists",
        (r'Error from server \(AlreadyExists\): <few>\b<resource> "<name>" already exists',),
        '{Kind} "{name}" already exists',
        "{what} already exists, and something tries to create it: `kubectl create`, or a second client at the same moment.",
        vague=True,
    ),
    KnownError(
        "object-not-found",
        (r'Error from server \(NotFound\): <few>\b<resource> "<name>" not found',),
        '{Kind} "{name}" not found',
        "{what} does not exist there: it was already deleted, or it is in another namespace.",
        vague=True,
    ),
    KnownError(
        "annotation-not-a-string",
        (
            r"cannot unmarshal (?:number|bool) into Go struct field ObjectMeta\.metadata\.(?:annotations|labels) of type string",
            r"accessor error: contains non-string value in the map under key",
        ),
        "an annotation or label is not a string",
        "An annotation or label is a number or a boolean, such as helm.sh/hook-weight: 5 without quotes. The "
        "template renders, but the API server refuses the object. In a pre-delete hook, this blocks the uninstall.",
        (_CORRECT, *WITHOUT_HOOKS),
        'put the value in quotes: helm.sh/hook-weight: "5", or | quote in the template',
        rule="WB106",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "name-too-long",
        (
            rf'<Kind> "<name>" is invalid:<...>(?:metadata\.name|labels|job-name)<few>{_TOO_LONG}',
            r'<Kind> "<name>" is invalid:<...>will not able to create pod with the name',
        ),
        '{Kind} "{name}": the name is too long',
        "The name of {what} is too long: the limit is 63 characters for a Job and 52 for a CronJob. It contains the "
        "release's name, which is longer this time.",
        (
            Way(
                "use a shorter release name",
                (
                    "helm uninstall {release} -n {namespace}",
                    "helm install SHORTER CHART -n {namespace}",
                ),
                "the release and its objects have other names",
                tools=(HELM,),
                operations=("install",),
                mended=True,
            ),
            UPGRADE_WITHOUT_HOOKS,
            UNINSTALL_WITHOUT_HOOKS,
        ),
        'shorten the name in the template: trunc 63 | trimSuffix "-", counting the suffix',
        rule="WB104",
    ),
    KnownError(
        "no-name",
        (
            "resource name may not be empty",
            "cannot use generate name with apply",
        ),
        "resource name may not be empty",
        "An object has no name, usually because it has generateName. Helm finds its objects by name, so it cannot "
        "use generateName.",
        (_CORRECT, UPGRADE_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS),
        "set metadata.name; if it must differ each time, put a hash of the spec or the revision into it",
        rule="WB105",
    ),
    KnownError(
        "two-names",
        ("metadata.name and metadata.generateName cannot both be set",),
        "metadata.name and metadata.generateName cannot both be set",
        "A plain object has both a name and a generateName. Helm 4 refuses it and does not name the object; Helm 3 "
        "and the API server use the name.",
        (_CORRECT,),
        "remove metadata.generateName from the object that has both: `watchbill check` names it",
        rule="WB111",
    ),
    KnownError(
        "removed-api",
        (rf'no matches for kind (?={_REMOVED})"<kind>"',),
        'no matches for kind "{Kind}" in this version',
        "Kubernetes no longer serves this version of {Kind}. The chart still uses it. If the error contains "
        "`current release manifest`, the installed revision uses it, and every upgrade fails, even to a corrected "
        "chart.",
        (_CORRECT,),
        "use an apiVersion that is served; the Helm plugin mapkubeapis rewrites the stored manifest of the "
        "installed revision",
        rule="WB110",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "kind-not-served",
        (
            'no matches for kind "<kind>" in version "[^"]{1,200}"',
            "could not find [a-z0-9.-]+/<kind> for requested resource",
        ),
        'no matches for kind "{Kind}"',
        "The cluster does not serve the kind {Kind}: its CustomResourceDefinition is not installed, or not yet.",
        (
            Way(
                "install the definition, then retry",
                ("kubectl apply -f DEFINITION", "{again}"),
                "nothing",
                mended=True,
            ),
        ),
        "put CustomResourceDefinitions into crds/, or into a chart of their own that you install first",
        rule="WB109",
        see=("WB202",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "force-and-server-side",
        ("cannot use server-side apply and force replace together",),
        "cannot use server-side apply and force replace together",
        "Helm 4 uses server-side apply by default, which cannot be combined with --force (--force-replace).",
        (Way("run it again without --force", ("{again}",), "nothing", tools=(HELM,)),),
        "do not use --force, which makes things worse for Jobs, even with --server-side=false",
        rule="WB102",
        alone="rollback",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "force-and-server-side-in-argo",
        ("--force cannot be used with --server-side",),
        "--force cannot be used with --server-side",
        "The sync option Force=true cannot be combined with server-side apply.",
        (),
        "set argocd.argoproj.io/sync-options: Force=true,ServerSideApply=false on the Job",
        tools=(ARGO, KUBECTL),
    ),
    KnownError(
        "field-conflict",
        (
            r"conflict occurred while applying object <namespace>/<name> [\w./-]+, Kind=<kind>: Apply failed with",
        ),
        _CONFLICT,
        _SET_BY_OTHERS,
        (
            Way(
                "take over the fields",
                ("helm upgrade {release} CHART -n {namespace} --force-conflicts",),
                _OVERWRITTEN,
                tools=(HELM,),
                operations=("upgrade",),
            ),
            Way(
                "take over the fields",
                ("helm rollback {release} {revision} -n {namespace} --force-conflicts",),
                _OVERWRITTEN,
                tools=(HELM,),
                operations=("rollback",),
            ),
        ),
        _NOT_OURS,
        alone="rollback",
    ),
    KnownError(
        "field-conflict-in-apply",
        (r"Apply failed with \d+ conflicts?:",),
        _CONFLICT,
        _SET_BY_OTHERS,
        (
            Way(
                "take over the fields",
                ("kubectl apply --server-side --force-conflicts -f FILE",),
                _OVERWRITTEN,
                tools=(KUBECTL,),
            ),
        ),
        _NOT_OURS,
    ),
    KnownError(
        "refused",
        (
            r'\b<Kind> "<name>" is invalid:',
            r"failed to create typed patch object \(<namespace>/<name>; [\w./-]+, Kind=<kind>\)",
            r'<Kind> in version "[^"]+" cannot be handled as an? ',
            r"error validating data: ",
            r"unable to decode \"[^\"]*\": (?:json: cannot unmarshal|Object 'Kind' is missing)",
            "is invalid: patch: Invalid value",
            "The request is invalid: ",
        ),
        '{Kind} "{name}" is refused',
        "Kubernetes refuses {what}; the text after its name says which field is wrong.",
        (_CORRECT, UPGRADE_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS, GO_BACK),
        "correct the field that the error names",
        rule="WB109",
    ),
)
