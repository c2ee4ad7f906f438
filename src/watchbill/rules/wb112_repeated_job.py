"""WB112: the hash in a Job's name changes although the Job runs the same, so an upgrade runs it again."""

from watchbill.lifecycle.kube.defaults import prepare_create
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.reruns import RELABELLED, RENAMED, predecessor, renamed
from watchbill.lifecycle.world import Manifest
from watchbill.rules.differences import Difference, differences, listed
from watchbill.rules.mends import with_job
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

TEMPLATE: Path = ("spec", "template")


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.ONCE or key is None or sighting.what not in (RENAMED, RELABELLED):
        return None
    job = next((one for one in sighting.recorded.manifests if one.key == key), None)
    history = sighting.before.history(sighting.lab.records(sighting.lab.named(sighting.move.release)))
    old = predecessor(history[-1].rendered, job) if job is not None and history else None
    if job is None or old is None:
        return None
    always = sighting.what == RENAMED
    other = predecessor(sighting.next_upgrade, job) if always else old
    found = _differences(other, job) if other is not None else ()
    subject = sighting.as_checked(key)
    what, why = (
        ("every upgrade", "differs at each render")
        if always
        else (sighting.operation, "does not change what runs")
    )
    return Claim(
        subject=subject,
        title=f"{what} runs {named(subject)} again, although it runs the same",
        because=f"the hash in its name covers {listed(found) or 'its pod template'}, which {why}",
        fix="take it out of the pod template, or out of what the hash in the name is made of",
        mends=(with_job(old),),
        cause=sighting.what,
        path=found[0].path if found else TEMPLATE,
        related=tuple(Pointer(subject, one.path, f"{one.words} changes") for one in found[1:3]),
        severity=Severity.WARNING if always else Severity.NOTE,
    )


def _differences(old: Manifest, new: Manifest) -> tuple[Difference, ...]:
    """In the pod template, apart from the name of the Job itself."""
    before = renamed(old.body.object, old.key.name, new.key.name)
    return differences(Body.of(prepare_create(before)), new.body, TEMPLATE)


RULE = Rule(
    "WB112",
    "repeated-job",
    "an upgrade runs a plain Job again because the hash in its name covers what does not matter",
    claim=_claim,
)
