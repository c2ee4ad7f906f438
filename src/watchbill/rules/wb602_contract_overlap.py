"""WB602: two pods of a Job run at once, although it is declared never to overlap with itself."""

from collections.abc import Iterator

from watchbill.lifecycle.contracts import ABREAST, EVICTED, LOCKED, NEVER, OVERLAP
from watchbill.lifecycle.properties import Property
from watchbill.rules.look import Look
from watchbill.rules.mends import with_spec, without
from watchbill.rules.rule import Claim, Path, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb601_contract_runs import unknown_words
from watchbill.rules.words import named

SOON = 60  # seconds: less than any tool waits


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.ALONE_AS_SAID:
        return None
    path: Path
    if sighting.what == EVICTED:
        what = f"if its node is drained, {named(key)} runs twice at once"
        because = (
            "an evicted pod is replaced while it is still terminating, unless podReplacementPolicy is Failed"
        )
        fix, path = "set podReplacementPolicy: Failed", ("spec",)
        mend = with_spec(key, podReplacementPolicy="Failed")
    elif sighting.what == ABREAST:
        what = f"{sighting.operation} runs several pods of {named(key)} at once"
        because, fix, path = "parallelism is more than 1", "set parallelism: 1", ("spec", "parallelism")
        mend = with_spec(key, parallelism=1, completions=1)
    else:
        what = f"{sighting.operation} runs {named(key)} while the one before still runs"
        because = "it is deleted and made again without waiting for its pod to end"
        fix = "give it an activeDeadlineSeconds below helm's --timeout, so that it has ended when the next one comes"
        path, mend = ("spec",), with_spec(key, activeDeadlineSeconds=SOON)
    return Claim(
        subject=key,
        title=f"{what}; declared: overlap {NEVER}",
        because=because,
        fix=f"{fix}; if it takes a lock of its own, declare {OVERLAP}: {LOCKED}",
        mends=(mend, without(key)),
        cause=sighting.what,
        path=path,
    )


def _inspect(look: Look) -> Iterator[Claim]:
    yield from unknown_words(look, OVERLAP)


RULE = Rule(
    "WB602",
    "contract-overlap",
    "two pods of a Job run at once, although it is declared never to overlap with itself",
    claim=_claim,
    inspect=_inspect,
)
