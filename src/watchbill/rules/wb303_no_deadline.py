"""WB303: a hook that hangs goes on when Helm has given up, and the next try starts beside it."""

from collections.abc import Iterator

from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.properties import Property
from watchbill.rules.deadlines import deadline, ends_in_time
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
    if manifest is None or ends_in_time(manifest.body, sighting.lab.timeout):
        return None
    return _said(key, manifest.body, sighting.lab.timeout, deleted=True)


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        if hook is None or manifest.key.kind != "Job" or is_test(hook):
            continue
        if not ends_in_time(manifest.body, look.lab.timeout):
            yield _said(manifest.key, manifest.body, look.lab.timeout, deleted=BEFORE in policies(hook))


def _said(key: Key, body: Body, timeout: float, *, deleted: bool) -> Claim:
    """`deleted`: by the next run, before it begins."""
    seconds = deadline(body)
    limit = f"default {timeout:g} s" if timeout == DEFAULT_TIMEOUT else f"{timeout:g} s"
    then = "; a retry deletes it while it runs" if deleted else ", in the way of a retry or beside it"
    return Claim(
        subject=key,
        title=f"if {named(key)} hangs, it goes on after Helm gave up{then}",
        because="a hook Job without activeDeadlineSeconds"
        if seconds is None
        else f"all attempts together may take {seconds} s, longer than Helm waits",
        fix=f"set activeDeadlineSeconds below helm's --timeout ({limit}), best in the pod's spec with backoffLimit: 0, which keeps the pod and its logs",
        mends=(with_spec(key, activeDeadlineSeconds=int(timeout * 0.8)), without(key)),
        path=("spec",),
        severity=Severity.NOTE,
    )


RULE = Rule("WB303", "no-deadline", "a hook Job may hang forever", claim=_claim, inspect=_inspect)
