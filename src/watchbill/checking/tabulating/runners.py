"""Jobs and hook Pods as the author of a chart knows them: one template is one Job, under whatever name it is made."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.play import is_job
from watchbill.lifecycle.world import Hook, Manifest, Rendered


class Part(Struct, frozen=True):
    """What a runner is in one version."""

    key: Key
    body: Body
    path: str
    hook: Hook | None  # None: a plain object

    @property
    def is_unnamed(self) -> bool:
        """The server makes its name up."""
        return self.key.name.endswith("*")


class Roster:
    """Tells which runner an object is: by its name, or by its template where the name is another each time."""

    def __init__(self, versions: Iterable[Rendered]) -> None:
        self._known: dict[Key, int] = {}
        self._places: dict[tuple[str, str], list[int]] = {}  # by kind and template
        self._count = 0
        for rendered in versions:
            self._place(rendered, enter=True)

    def __len__(self) -> int:
        return self._count

    def parts(self, rendered: Rendered) -> dict[int, Part]:
        """All runners that are in it; one that is there twice, plain and as a hook, counts as the hook."""
        self._place(rendered, enter=False)
        found = {self._known[part.key]: part for part in _parts(rendered) if part.key in self._known}
        return dict(sorted(found.items()))

    def who(self, key: Key) -> int | None:
        return self._known.get(_one_star(key))

    def _place(self, rendered: Rendered, *, enter: bool) -> None:
        parts = list(_parts(rendered))
        taken = {self._known[part.key] for part in parts if part.key in self._known}
        for part in parts:
            if part.key in self._known:
                continue
            place = self._places.setdefault((part.key.kind, part.path), [])
            free = [number for number in place if number not in taken]
            if not free:
                if not enter:
                    continue
                free = [self._count]
                place.append(self._count)
                self._count += 1
            self._known[part.key] = free[0]
            taken.add(free[0])


def _parts(rendered: Rendered) -> Iterator[Part]:
    for manifest in rendered.manifests:
        if is_job(manifest.key):
            yield Part(_named(manifest), manifest.body, manifest.path, None)
    for hook in rendered.hooks:
        for manifest in hook.objects:
            if is_job(manifest.key) or manifest.key[:2] == ("", "Pod"):
                yield Part(_named(manifest), manifest.body, manifest.path, hook)


def _named(manifest: Manifest) -> Key:
    """What the server will name is known by what it will begin with."""
    key = manifest.key
    return key if key.name else key._replace(name=f"{manifest.body.metadata.get('generateName', '')}*")


def _one_star(key: Key) -> Key:
    """The n-th object of a made-up name ends with n stars."""
    return key._replace(name=re.sub(r"\*+$", "*", key.name))
