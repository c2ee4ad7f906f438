"""WB303: a hook that hangs goes on when Helm has given up, and the next try starts beside it."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.properties import Property
from watchbill.rules.deadlines import HELM_WAITS, deadline, ends_in_time
from watchbill.rules.look import Look
from watchbill.rules.mends import with_spec, without
from watchbill.rules.policies import BEFORE, is_test, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    """Retries that meet a Job which still runs: the consequence of the same cause."""
    key = sighting.key
    if sighting.broke not in (Property.ALONE, Property.FINISHES) or key is None or key.kind != "Job":
        return None
    if not sighting.what.startswith("deleted while it ran") or sighting.hook(key) is None:
        return None
    manifest = sighting.manifest(key)
    if manifest is None or ends_in_time(manifest.body):
        return None
    return _said(key, manifest.body, deleted=True)


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        if hook is None or manifest.key.kind != "Job" or is_test(hook) or ends_in_time(manifest.body):
            continue
        yield _said(manifest.key, manifest.body, deleted=BEFORE in policies(hook))


def _said(key: Key, body: Body, *, deleted: bool) -> Claim:
    """`deleted`: by the next run, before it begins."""
    seconds = deadline(body)
    then = "; a retry deletes it while it runs" if deleted else ", in the way of a retry or beside it"
    return Claim(
        subject=key,
        title=f"if {named(key)} hangs, it goes on after Helm gave up{then}",
        because="a hook Job without activeDeadlineSeconds"
        if seconds is None
        else f"all attempts together may take {seconds} s, longer than Helm waits",
        fix=f"set activeDeadlineSeconds below helm's --timeout (default {HELM_WAITS} s), best in the pod's spec with backoffLimit: 0, which keeps the pod and its logs",
        mends=(with_spec(key, activeDeadlineSeconds=HELM_WAITS - 60), without(key)),
        path=("spec",),
        severity=Severity.NOTE,
    )


RULE = Rule("WB303", "no-deadline", "a hook Job may hang forever", claim=_claim, inspect=_inspect)
