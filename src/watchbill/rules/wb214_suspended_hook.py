"""WB214: a hook Job that is suspended never ends, and Helm waits for its end."""

from watchbill.lifecycle.objects import at
from watchbill.lifecycle.properties import FAILURES
from watchbill.rules.mends import with_spec
from watchbill.rules.rule import Claim, Path, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

SUSPEND: Path = ("spec", "suspend")


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind != "Job" or sighting.broke not in FAILURES:
        return None
    job = sighting.manifest(key)
    if job is None or sighting.hook(key) is None or not at(job.body.object, "spec", "suspend"):
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} hangs: hook {named(key)} is suspended and never ends",
        because="a hook with suspend: true; Helm waits for its end until the timeout",
        fix="remove suspend, or make the Job plain: Helm does not wait for it then",
        mends=(with_spec(key, suspend=False),),
        path=SUSPEND,
    )


RULE = Rule("WB214", "suspended-hook", "a hook Job is suspended, and Helm waits for its end", (), _claim)
