"""Objects that cannot be made as they are written, and operations that cannot be done as they are asked for."""

import re

from watchbill.lifecycle.kube.removed import SINCE
from watchbill.rules.errors.known import ARGO, FLUX, HELM, KUBECTL, KnownError, Stage, Way
from watchbill.rules.errors.ways import GO_BACK, UNINSTALL_WITHOUT_HOOKS, UPGRADE_WITHOUT_HOOKS, WITHOUT_HOOKS

_CORRECT = Way(
    "correct the chart or its values, then the same again",
    ("{again}",),
    "nothing",
    mended=True,
    operations=("install", "upgrade", "sync", "apply"),
)
_CONFLICT = "Apply failed with a conflict"
_SET_BY_OTHERS = "Somebody else set fields of {what} that this version sets too: by kubectl edit or scale, or a controller."
_OVERWRITTEN = "what was set by hand, or by the controller, is overwritten"
_NOT_OURS = "leave fields that a controller sets out of the chart (replicas, where an autoscaler is)"
_TOO_LONG = r"must be no more than (?:\d+ )?(?:bytes|characters)"

_REMOVED = "|".join(f'"{kind}" in version "{re.escape(version)}"' for version, kind in SINCE)
_WITHOUT_THE_HOOK = Way(
    "install without hooks",
    (
        "helm uninstall {release} -n {namespace}",
        "helm install {release} CHART -n {namespace} --no-hooks",
    ),
    "no hook runs: what they do has to be there already",
    tools=(HELM,),
    operations=("install",),
)

REFUSED = (
    KnownError(
        "namespace-exists",
        ('namespaces "<name>" already exists',),
        'namespaces "{name}" already exists',
        'The chart makes Namespace "{name}" itself, and so did --create-namespace, or somebody before.',
        (),
        "leave the Namespace out of the chart and use --create-namespace",
        operations=("install", "upgrade"),
        tools=(HELM, FLUX),
        kind="Namespace",
    ),
    KnownError(
        "twins",
        (r'\b<resource> "<name>" already exists',),
        '{Kind} "{name}" already exists',
        "A hook of this very chart has made {what}, and now the chart's plain object of the same name is to be made; or the "
        "chart renders it twice.",
        (_WITHOUT_THE_HOOK,),
        "another name for the hook's copy",
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
        "{what} is there already and somebody tries to make it: `kubectl create`, or a second one at the same moment.",
        vague=True,
    ),
    KnownError(
        "object-not-found",
        (r'Error from server \(NotFound\): <few>\b<resource> "<name>" not found',),
        '{Kind} "{name}" not found',
        "There is no {what} where it was looked for: it is deleted already, or in another namespace.",
        vague=True,
    ),
    KnownError(
        "annotation-not-a-string",
        (
            r"cannot unmarshal (?:number|bool) into Go struct field ObjectMeta\.metadata\.(?:annotations|labels) of type string",
            r"accessor error: contains non-string value in the map under key",
        ),
        "an annotation or label is not a string",
        "An annotation or label is a number or a boolean: helm.sh/hook-weight: 5 without quotes is one. A template with it "
        "renders, and fails only when the object is sent; in a pre-delete hook that blocks the uninstall.",
        (_CORRECT, *WITHOUT_HOOKS),
        'quotes around the value: helm.sh/hook-weight: "5", or | quote in the template',
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
        "The name of {what} is too long: 63 characters for a Job, 52 for a CronJob. It is put together from the release's "
        "name, which was longer this time than in any test.",
        (
            Way(
                "a shorter release name",
                (
                    "helm uninstall {release} -n {namespace}",
                    "helm install SHORTER CHART -n {namespace}",
                ),
                "the release has another name, and so have its objects",
                tools=(HELM,),
                operations=("install",),
                mended=True,
            ),
            UPGRADE_WITHOUT_HOOKS,
            UNINSTALL_WITHOUT_HOOKS,
        ),
        'cut the name in the template: trunc 63 | trimSuffix "-", counting the suffix',
        rule="WB104",
    ),
    KnownError(
        "no-name",
        (
            "resource name may not be empty",
            "cannot use generate name with apply",
        ),
        "resource name may not be empty",
        "An object has no name, most often because it has generateName. Helm finds its objects by name, so it cannot use that.",
        (_CORRECT, UPGRADE_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS),
        "metadata.name, with a hash of the spec or the revision in it if it must be another one each time",
        rule="WB105",
    ),
    KnownError(
        "two-names",
        ("metadata.name and metadata.generateName cannot both be set",),
        "metadata.name and metadata.generateName cannot both be set",
        "A plain object has both a name and a generateName. Helm 4 refuses it and does not say which object it is; Helm 3 and the API server use the name.",
        (_CORRECT,),
        "remove metadata.generateName from the object that has both: `watchbill check` names it",
        rule="WB111",
    ),
    KnownError(
        "removed-api",
        (rf'no matches for kind (?={_REMOVED})"<kind>"',),
        'no matches for kind "{Kind}" in this version',
        "Kubernetes dropped this version of {Kind}. The chart still writes it or, if the text says `current release manifest`, "
        "the revision that is installed does: then every upgrade fails, also that to a chart which is corrected.",
        (_CORRECT,),
        "the apiVersion that is served; what Helm has stored of the installed revision is rewritten by its plugin mapkubeapis",
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
        "The cluster does not serve objects of kind {Kind}: the definition (CRD) they need is not installed, or not yet.",
        (
            Way(
                "install the definition, then the same again",
                ("kubectl apply -f DEFINITION", "{again}"),
                "nothing",
                mended=True,
            ),
        ),
        "definitions in crds/ or in a chart of their own, installed before",
        rule="WB109",
        see=("WB202",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "force-and-server-side",
        ("cannot use server-side apply and force replace together",),
        "cannot use server-side apply and force replace together",
        "Helm 4 applies on the server, and --force (--force-replace) cannot be used together with that.",
        (Way("without --force", ("{again}",), "nothing", tools=(HELM,)),),
        "leave --force out: for Jobs it makes things worse, also with --server-side=false",
        rule="WB102",
        alone="rollback",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "force-and-server-side-in-argo",
        ("--force cannot be used with --server-side",),
        "--force cannot be used with --server-side",
        "The sync option Force=true and server-side apply do not go together.",
        (),
        "argocd.argoproj.io/sync-options: Force=true,ServerSideApply=false on the Job",
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
                "take the fields over",
                ("helm upgrade {release} CHART -n {namespace} --force-conflicts",),
                _OVERWRITTEN,
                tools=(HELM,),
                operations=("upgrade",),
            ),
            Way(
                "take the fields over",
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
                "take the fields over",
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
        "Kubernetes does not take {what} as it is written; the text after its name says which field it is.",
        (_CORRECT, UPGRADE_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS, GO_BACK),
        "the field that the text names",
        rule="WB109",
    ),
)
