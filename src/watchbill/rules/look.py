"""What a rule sees that needs no moves: every version as it is rendered, for one tool."""

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.world import Hook, Manifest, Rendered, World


class Dropped(Struct, frozen=True):
    """A document that Helm leaves out without a word."""

    key: Key
    body: Body
    path: str
    event: str  # what is no hook event


class Look(Struct, frozen=True):
    lab: Lab
    checked: int  # the version that is checked: 0, or 1 where it is reached from an older one
    install: Rendered  # it, as it is installed
    upgrade: Rendered  # and as it is upgraded to
    dropped: tuple[Dropped, ...] = ()
    volatile: tuple[tuple[str, str], ...] = ()  # template and function: another thing at each render
    kubernetes: str = ""  # its version, where the user names one

    @property
    def before(self) -> Rendered | None:
        """The version before, where there is one, as it was upgraded to."""
        return _rendered(self.lab, self.checked - 1, again=True) if self.checked else None

    def manifests(self) -> Iterator[tuple[Manifest, Hook | None]]:
        """Every object once, with the hook that makes it; twice if it is plain on install and a hook on upgrade."""
        seen = set[tuple[Key, bool]]()
        for rendered in (self.install, self.upgrade):
            plain = ((manifest, None) for manifest in (*rendered.crds, *rendered.manifests))
            hooked = ((manifest, hook) for hook in rendered.hooks for manifest in hook.objects)
            for manifest, hook in chain[tuple[Manifest, Hook | None]](plain, hooked):
                if (manifest.key, hook is None) not in seen:
                    seen.add((manifest.key, hook is None))
                    yield manifest, hook


def look(
    lab: Lab,
    checked: int = 0,
    dropped: tuple[Dropped, ...] = (),
    volatile: tuple[tuple[str, str], ...] = (),
    kubernetes: str = "",
) -> Look:
    install, upgrade = (_rendered(lab, checked, again=again) for again in (False, True))
    return Look(lab, checked, install, upgrade, dropped, volatile, kubernetes)


def _rendered(lab: Lab, version: int, *, again: bool) -> Rendered:
    if lab.tool.name != "kubectl":
        return lab.versions.render(version, lab.named(""), upgrade=again, revision=1 + again, world=World())
    # Rendered without a release: an install each time, and hooks are objects like all others.
    rendered = lab.versions.render(version, lab.named(""), upgrade=False, revision=1, world=World())
    made = (manifest for hook in rendered.hooks for manifest in hook.objects)
    return replace(rendered, manifests=(*rendered.manifests, *made), hooks=())
