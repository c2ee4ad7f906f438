"""Hooks that come before the plain objects of their version, as one look shows them."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import pod_spec
from watchbill.lifecycle.world import Hook, Manifest, Rendered
from watchbill.rules.look import Look

OPERATIONS = {"pre-install": "the install", "pre-upgrade": "the upgrade"}


class Early(Struct, frozen=True):
    """A hook's pod, and what is not there yet when it starts."""

    pod: Manifest
    hook: Hook
    event: str
    rendered: Rendered  # the version, as this event has it
    late: Mapping[Key, Manifest]  # its plain objects that are made after the event

    @property
    def operation(self) -> str:
        return OPERATIONS[self.event]


def early(look: Look) -> Iterator[Early]:
    """Each once: what is late for an install need not be told again for an upgrade.

    Before an upgrade only what the version before does not have is missing, so without one nothing is.
    """
    seen = set[Key]()
    for event, rendered, there in _events(look):
        late = {one.key: one for one in rendered.manifests if one.key not in there}
        for hook in rendered.hooks:
            if event not in hook.events:
                continue
            for pod in hook.objects:
                runs = pod.key.kind in RUNS_TO_COMPLETION and pod_spec(pod.body) is not None
                if runs and pod.key not in seen:
                    seen.add(pod.key)
                    yield Early(pod, hook, event, rendered, late)


def _events(look: Look) -> Iterator[tuple[str, Rendered, frozenset[Key]]]:
    yield "pre-install", look.install, frozenset()
    if (before := look.before) is not None:
        yield "pre-upgrade", look.upgrade, frozenset(one.key for one in before.everything())
