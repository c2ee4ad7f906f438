"""Changes that Kubernetes does not let anybody make to an object that is there."""

from watchbill.rules.errors.known import ARGO, HELM, KnownError, Way
from watchbill.rules.errors.ways import DELETE_AND_AGAIN, GO_BACK

_REFUSED = (
    r"(?:field is immutable|is immutable after creation|may not change once set|may not be changed in an update"
    r"|updates to statefulset spec for fields other than|pod updates may not change fields)"
)
_AS_HOOK = "make it a hook (pre-install,pre-upgrade with before-hook-creation), or put a hash of its spec into its name"
_ORPHANS = Way(
    "delete it but keep its pods, then retry",
    ("kubectl delete statefulset {name}{in_namespace} --cascade=orphan", "{again}"),
    "nothing stops: the new one adopts its pods, unless the selector changed",
    kinds=("StatefulSet",),
)

IMMUTABLE = (
    KnownError(
        "forced-job",
        (r'failed to replace object: Job\.batch "<name>" is invalid:',),
        'failed to replace object: Job "{name}" is invalid',
        "{doing} replaces objects because of --force or --force-replace. A Job cannot be replaced: its manifest "
        "does not contain the selector and labels that Kubernetes added. So this fails even if {what} has not "
        "changed.",
        (
            Way(
                "run it again without --force",
                ("{again}",),
                "nothing; if the pod template of the Job did change, the error is `field is immutable` instead",
                when="the pod template of {what} has not changed",
                tools=(HELM,),
            ),
            DELETE_AND_AGAIN,
            GO_BACK,
        ),
        "do not use --force, which makes things worse for Jobs; make the Job a hook, or put a hash of its spec into "
        "its name",
        rule="WB102",
        alone="rollback",
        kind="Job",
    ),
    KnownError(
        "replaced-by-argo",
        (r'error when replacing "[^"]{0,200}": Job\.batch "<name>" is invalid:',),
        'error when replacing: Job "{name}" is invalid',
        "The sync option Replace=true replaces {what} with its manifest. A Job cannot be replaced: its manifest "
        "does not contain the selector and labels that Kubernetes added.",
        (DELETE_AND_AGAIN,),
        "use the sync option Force=true instead of Replace=true: it deletes and creates the Job again, only if it must",
        tools=(ARGO,),
        kind="Job",
    ),
    KnownError(
        "rollback-onto-hook",
        (r'cannot patch "<name>" with kind <kind>: <few>is invalid: \[spec\.selector: Required value',),
        'cannot patch {Kind} "{name}": spec.selector: Required value',
        "{what} is a plain object in the version to roll back to, but was a hook in the version before, and the "
        "hook's object still exists. Helm tries to adopt it and asks for changes that Kubernetes never allows.",
        (DELETE_AND_AGAIN,),
        "give the hook a different name than the plain object had",
        rule="WB404",
        operations=("rollback", "upgrade"),
        alone="rollback",
    ),
    KnownError(
        "hook-immutable",
        (rf'Hook <event> <few>failed: <few>\b<Kind> "<name>" is invalid:<...>{_REFUSED}',),
        'Hook {event} failed: {Kind} "{name}" is invalid: field is immutable',
        "The hook's {what} of the last run still exists, because its delete policy does not contain "
        "before-hook-creation. Helm 4 applies the new version to it, but the fields that differ cannot be changed.",
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
        "{doing} removes labels that Kubernetes added to the pods of {what}: its pod template has an empty "
        "`metadata:` or `labels:`, which Helm 3 sends as null. So this fails even if {what} has not changed, and a "
        "rollback fails too.",
        (DELETE_AND_AGAIN,),
        "remove the empty metadata: or labels: from the Job's pod template",
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
        "{doing} changes the pod template of {what}. Kubernetes does not allow that for an existing Job, whether it "
        "still runs or ended long ago. {What} has the same name in both versions, so it did not run again.",
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
        "{what} is marked `immutable: true`, and {doing_lower} changes its content. Not even a rollback can change it.",
        (DELETE_AND_AGAIN,),
        "put a hash of its content into its name, so that each change creates a new object",
        rule="WB103",
        alone="rollback",
    ),
    KnownError(
        "immutable-field",
        (rf'\b<Kind> "<name>" is invalid:<...>{_REFUSED}',),
        '{Kind} "{name}" is invalid: field is immutable',
        "{doing} changes a field of {what} that cannot change after the object was created. Every retry fails the same way.",
        (_ORPHANS, DELETE_AND_AGAIN, GO_BACK),
        "leave the field as it was, or give the object a new name together with the change",
        rule="WB103",
        alone="rollback",
    ),
)
