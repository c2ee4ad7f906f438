"""Hooks in the hands of a tool that knows none: `helm template | kubectl apply` makes all of them at once."""

from collections.abc import Iterator

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.properties import Cause, Offence, Property, Scene

HOOK = "helm.sh/hook"
MEANT = ("pre-install", "post-install", "pre-upgrade", "post-upgrade")


def judge(scene: Scene) -> Iterator[Offence]:
    if scene.lab.tool.name != "kubectl" or scene.played.move.verb != "apply":
        return
    for number, step in enumerate(scene.played.steps, 1):
        if not step.created or step.key is None or step.key.kind not in RUNS_TO_COMPLETION:
            continue
        events = step.world.objects[step.key].body.annotations.get(HOOK, "")
        if events and not any(event in events for event in MEANT):
            yield Offence(Property.MEANT, Cause(step.key, events), number)
