"""Changes that Kubernetes does not let anybody make to an object that is there."""

from watchbill.rules.errors.known import ARGO, HELM, KnownError, Way
from watchbill.rules.errors.ways import DELETE_AND_AGAIN, GO_BACK

_REFUSED = (
    r"(?:field is immutable|is immutable after creation|may not change once set|may not be changed in an update"
    r"|updates to statefulset spec for fields other than|pod updates may not change fields)"
)
_AS_HOOK = "make it a hook (pre-install,pre-upgrade with before-hook-creation), or put a hash of its spec into its name"
_ORPHANS = Way(
    "delete it but not its pods, then the same again",
    ("kubectl delete statefulset {name}{in_namespace} --cascade=orphan", "{again}"),
    "nothing stops: its pods are taken over, unless the selector is what changed",
    kinds=("StatefulSet",),
)

IMMUTABLE = (
    KnownError(
        "forced-job",
        (r'failed to replace object: Job\.batch "<name>" is invalid:',),
        'failed to replace object: Job "{name}" is invalid',
        "{doing} was told to replace objects (--force, --force-replace). A Job cannot be replaced: its manifest "
        "does not hold the selector and labels that Kubernetes gave it. So this fails even where {what} has not changed.",
        (
            Way(
                "without --force",
                ("{again}",),
                "nothing; if the pod template of the Job did change, it says `field is immutable` instead",
                when="the pod template of {what} has not changed",
                tools=(HELM,),
            ),
            DELETE_AND_AGAIN,
            GO_BACK,
        ),
        "do not use --force: for Jobs it makes things worse; let the Job be a hook, or carry a hash of its spec in its name",
        rule="WB102",
        alone="rollback",
        kind="Job",
    ),
    KnownError(
        "replaced-by-argo",
        (r'error when replacing "[^"]{0,200}": Job\.batch "<name>" is invalid:',),
        'error when replacing: Job "{name}" is invalid',
        "The sync option Replace=true sends {what} as it is written, and a Job cannot be replaced: its manifest does "
        "not hold the selector and labels that Kubernetes gave it.",
        (DELETE_AND_AGAIN,),
        "the sync option Force=true in place of Replace=true: it deletes and makes the Job anew, only when it must",
        tools=(ARGO,),
        kind="Job",
    ),
    KnownError(
        "rollback-onto-hook",
        (r'cannot patch "<name>" with kind <kind>: <few>is invalid: \[spec\.selector: Required value',),
        'cannot patch {Kind} "{name}": spec.selector: Required value',
        "The version to roll back to has {what} as a plain object, the version before had it as a hook, and what the hook "
        "made is still there. Helm tries to take it over and asks for changes that Kubernetes never allows.",
        (DELETE_AND_AGAIN,),
        "give the hook another name than the plain object had",
        rule="WB404",
        operations=("rollback", "upgrade"),
        alone="rollback",
    ),
    KnownError(
        "hook-immutable",
        (rf'Hook <event> <few>failed: <few>\b<Kind> "<name>" is invalid:<...>{_REFUSED}',),
        'Hook {event} failed: {Kind} "{name}" is invalid: field is immutable',
        "The hook's {what} is still there from the last time, because its delete policy does not hold "
        "before-hook-creation. Helm 4 applies the new one onto it, and that cannot be changed.",
        (DELETE_AND_AGAIN, GO_BACK),
        "helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded",
        rule="WB201",
        of_hook=True,
    ),
    KnownError(
        "emptied-job",
        (
            r'cannot patch "<name>" with kind Job: <few>is invalid: \[spec\.template\.metadata\.labels: <...>does not match',
        ),
        'cannot patch Job "{name}": `selector` does not match template `labels`',
        "{doing} takes away labels that Kubernetes gave to the pods of {what}: its pod template has an empty `metadata:` or "
        "`labels:`, which Helm 3 sends as null. So this fails even where {what} has not changed, and a rollback fails too.",
        (DELETE_AND_AGAIN,),
        "take the empty metadata: or labels: out of the Job's pod template",
        rule="WB101",
        alone="upgrade",
        kind="Job",
    ),
    KnownError(
        "immutable-job",
        (
            rf'\bJob(?:\.batch)? "<name>" is invalid:<...>{_REFUSED}',
            # A log that cuts long lines: nothing but this is said of a whole pod template.
            r'\bJob(?:\.batch)? "<name>" is invalid: \[?spec\.template: Invalid value: (?:\w+\.PodTemplateSpec)?\{',
        ),
        'Job "{name}" is invalid: field is immutable',
        "{doing} wants {what} to run something else. The pod template of a Job that is there cannot be changed, whether "
        "it still runs or ended long ago, and {what} has the same name in both versions. It did not run again.",
        (DELETE_AND_AGAIN, GO_BACK),
        _AS_HOOK,
        rule="WB101",
        alone="rollback",
        kind="Job",
    ),
    KnownError(
        "immutable-content",
        (r"\b<Kind> \"<name>\" is invalid:<...>field is immutable when .immutable. is set",),
        '{Kind} "{name}" is invalid: field is immutable when `immutable` is set',
        "{what} is marked `immutable: true`, and {doing_lower} changes what it holds. Not even a rollback can change it.",
        (DELETE_AND_AGAIN,),
        "a hash of its content in its name: then a change makes a new one",
        rule="WB103",
        alone="rollback",
    ),
    KnownError(
        "immutable-field",
        (rf'\b<Kind> "<name>" is invalid:<...>{_REFUSED}',),
        '{Kind} "{name}" is invalid: field is immutable',
        "{doing} changes a field of {what} that is fixed once the object is there. Every retry fails the same way.",
        (_ORPHANS, DELETE_AND_AGAIN, GO_BACK),
        "leave the field as it was, or give the object a new name together with the change",
        rule="WB103",
        alone="rollback",
    ),
)
