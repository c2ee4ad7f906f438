"""WB308: the TTL of a hook Job deletes it with its logs before anybody has read them."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import at
from watchbill.rules.look import Look
from watchbill.rules.mends import with_spec
from watchbill.rules.policies import FAILED, is_test, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.words import named

PATH = ("spec", "ttlSecondsAfterFinished")
LONG_ENOUGH = 600  # seconds: time to see that something failed, and to look
DAY = 86_400


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        if hook is None or manifest.key.kind != "Job" or is_test(hook) or FAILED in policies(hook):
            continue
        ttl = at(manifest.body.object, *PATH)
        # At 0 the logs are gone at once: WB305 says so.
        if not isinstance(ttl, int) or not 0 < ttl < LONG_ENOUGH:
            continue
        key = manifest.key
        yield Claim(
            subject=key,
            title=f"the logs of {named(key)} are gone {ttl} s after its end",
            because=f"ttlSecondsAfterFinished: {ttl} deletes the Job with its pods, also if it failed",
            fix="give it a ttlSecondsAfterFinished of hours; the next run deletes it anyway",
            mends=(with_spec(key, ttlSecondsAfterFinished=DAY),),
            path=PATH,
            severity=Severity.NOTE,
        )


RULE = Rule(
    "WB308",
    "short-lived-logs",
    "the TTL of a hook Job deletes its logs within ten minutes, also if it failed",
    inspect=_inspect,
)
