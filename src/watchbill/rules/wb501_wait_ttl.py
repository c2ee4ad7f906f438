"""WB501: a plain Job is deleted by its TTL while a tool still waits for it."""

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.rules.mends import as_hook, with_spec, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

A_DAY = 24 * 60 * 60
PATH = ("spec", "ttlSecondsAfterFinished")


def _claim(sighting: Sighting) -> Claim | None:
    seen = sighting.broke is Property.SEEN
    # What is waited for in the end may be the version before, which a failed upgrade has gone back to.
    rendered = sighting.last.release.rendered if seen and sighting.last.release else sighting.rendered
    key = sighting.key if seen else _not_found(sighting)
    manifest = next((one for one in rendered.manifests if one.key == key), None)
    if key is None or manifest is None:
        return None
    ttl = at(manifest.body.object, *PATH)
    return Claim(
        subject=key,
        title=f"{with_waiting(sighting)} {'can fail' if seen else 'fails'}: {named(key)} is deleted {ttl} s after it ends",
        because=f"ttlSecondsAfterFinished: {ttl}; Helm looks at the Job until everything else is ready too",
        fix="raise ttlSecondsAfterFinished above helm's --timeout (default 300 s), or make the Job a hook",
        mends=(with_spec(key, ttlSecondsAfterFinished=A_DAY), as_hook(key), without(key)),
        path=PATH,
        severity=Severity.WARNING,
        confidence="medium" if seen else "high",
    )


def with_waiting(sighting: Sighting) -> str:
    """`install --wait-for-jobs`, which says to wait at all as well."""
    flag = next((name for name in ("--wait-for-jobs", "--wait") if name in sighting.move.given), "--wait")
    return f"{sighting.move.verb} {flag}"


def _not_found(sighting: Sighting) -> Key | None:
    """The Job that Helm 3 does not find any more."""
    if sighting.broke not in FAILURES or "--wait-for-jobs" not in sighting.flags:
        return None
    return next(
        (
            one.key
            for one in sighting.rendered.manifests
            if one.key.kind == "Job"
            and f'jobs.batch "{one.key.name}" not found' in sighting.what
            and at(one.body.object, *PATH) is not None
        ),
        None,
    )


RULE = Rule(
    "WB501",
    "wait-ttl",
    "a plain Job is deleted by its TTL while --wait still waits for it",
    rows=(40, 41),
    claim=_claim,
)
