"""Errors that are not about the life of a release: said in a sentence, so that nobody looks in the wrong place."""

from watchbill.rules.errors.known import KnownError, Stage


def _elsewhere(error: str, words: str, happened: str, *patterns: str) -> KnownError:
    return KnownError(error, patterns, words, happened, stage=Stage.ANYWHERE)


ELSEWHERE = (
    _elsewhere(
        "image-pull",
        "an image cannot be pulled",
        "An image cannot be pulled: its name or tag is wrong, or the registry needs a login. A hook with such an "
        "image does not fail; Helm waits for it until its --timeout.",
        "ImagePullBackOff|ErrImagePull|Failed to pull image",
    ),
    _elsewhere(
        "unreachable",
        "the API server cannot be reached",
        "The API server cannot be reached or does not answer. The problem is the connection, not the chart.",
        "Kubernetes cluster unreachable|connect: connection refused|no such host|i/o timeout|TLS handshake timeout"
        "|connection to the server [^ ]+ was refused",
    ),
    _elsewhere(
        "certificate",
        "a certificate is not accepted",
        "A certificate is not trusted: the API server's, a registry's, or that of an admission webhook whose "
        "certificate was renewed.",
        "x509: ",
    ),
    _elsewhere(
        "quota",
        "a quota is exceeded",
        "A ResourceQuota of the namespace is full. A Job whose pods it refuses does not fail; Helm waits for it "
        "until its --timeout.",
        "exceeded quota: ",
    ),
    _elsewhere(
        "webhook",
        "an admission webhook refused the object",
        "An admission webhook of the cluster refused an object because of a policy, or the webhook is down.",
        'admission webhook "[^"]{1,253}" denied the request|failed calling webhook ',
    ),
    _elsewhere(
        "unauthorized",
        "not allowed",
        "The user who deploys is not logged in, or lacks the permission.",
        'is forbidden: User "|You must be logged in to the server|Unauthorized',
    ),
    _elsewhere(
        "template",
        "the chart cannot be rendered",
        "The chart cannot be rendered: a template or a value is wrong, or the values do not match the schema. "
        "`watchbill show CHART` shows where.",
        r"YAML parse error on |error converting YAML to JSON|execution error at \(|error calling include: "
        r"|values don't meet the specifications of the schema|parse error at \(|nil pointer evaluating",
    ),
    _elsewhere(
        "flags",
        "the command line is not accepted",
        "The tool does not accept these flags, or not together. Helm has --take-ownership since 3.17, and "
        "--force-replace, --force-conflicts, --server-side, --rollback-on-failure and --wait=watcher since 4.",
        'unknown flag: |invalid argument "[^"]{1,100}" for "--|invalid cascade value |are set none of the others can be'
        "|forceConflicts enabled when serverSideApply disabled|invalid/unknown release server-side apply method"
        "|--force-conflicts only works with |without explicitly passing --all|cannot be used with --prune"
        "|doesn't currently work on objects created by server-side apply|cannot set --all and --selector"
        '|the provided selector "[^"]{0,200}" is not valid',
    ),
    _elsewhere(
        "other-namespace",
        "an object is in another namespace",
        "A manifest names a different namespace than -n does, so kubectl refuses it.",
        'namespace from the provided object "[^"]{1,63}" does not match the namespace',
    ),
    _elsewhere(
        "nothing-to-apply",
        "no objects passed to apply",
        "The chart renders nothing with these values.",
        "no objects passed to apply",
    ),
    _elsewhere(
        "terminating-namespace",
        "the namespace is being deleted",
        "The namespace is being deleted. Nothing can be created in it until the deletion is complete.",
        "because it is being terminated",
    ),
)
