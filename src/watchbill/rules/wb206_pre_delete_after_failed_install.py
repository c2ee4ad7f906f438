"""WB206: a pre-delete hook needs a plain object that a failed install never made: uninstall hangs."""

from watchbill.rules.lacking import lacking, pointers
from watchbill.rules.mends import with_copies, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import listed, named


def _claim(sighting: Sighting) -> Claim | None:
    found = lacking(sighting)
    if found is None or found.event != "pre-delete" or not found.plain:
        return None
    pod, needed = found.pod.key, found.plain
    before = next(played.move.verb for played in reversed(sighting.plays[:-1]) if played.move.of_tool)
    plain, it = ("is plain", "it") if len(needed) == 1 else ("are plain", "them")
    return Claim(
        subject=pod,
        title=f"uninstall after a failed {before} hangs: hook {named(pod)} needs {named(needed[0])}",
        because=f"pre-delete hook, and {listed(needed)} {plain}: a failed {before} may never have made {it}",
        fix="give it copies of its own of what it needs: pre-delete hooks of a lower weight, with other names",
        mends=(with_copies(pod, *needed), without(pod)),
        path=EVENTS,
        related=pointers(found.pod, needed, "plain: made after the hooks"),
        severity=Severity.WARNING,
    )


RULE = Rule(
    "WB206",
    "pre-delete-after-failed-install",
    "a pre-delete hook waits for what a failed install never made",
    rows=(30,),
    claim=_claim,
)
