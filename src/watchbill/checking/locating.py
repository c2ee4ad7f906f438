"""Where in the user's files a finding stands: fields of rendered objects, followed back to their lines."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from watchbill.charts.engine import Engine
from watchbill.charts.locate import Path, Place, locate, locate_in_text
from watchbill.charts.render import Rendering, Resource
from watchbill.checking.grounds import Ground
from watchbill.checking.result import Location
from watchbill.lifecycle.objects import Key, group_of
from watchbill.rules.rule import Pointer


class Locator:
    """Answers for one ground; `root` is what stands before the chart's own paths, `template_of` knows objects that
    the checked version has under another name."""

    def __init__(
        self,
        engine: Engine,
        ground: Ground,
        root: str,
        text: str = "",
        template_of: Callable[[Key], str] = lambda _: "",
    ) -> None:
        self._engine = engine
        self._ground = ground
        self._root = root
        self._text = text  # of manifests
        self._template_of = template_of

    def whereabouts(self, key: Key) -> Location:
        """For what stands nowhere, since it is missing: its template, or the whole chart."""
        chart = self._ground.chart
        if chart is None:
            return Location(self._root, 1)
        template = self._template_of(key)
        return Location(self._file(chart.file(template) if template else "Chart.yaml"), 1)

    def resource(self, key: Key) -> Resource | None:
        found = self._resource(key)
        return found[1] if found else None

    def rank(self, resource: Resource) -> tuple[str, int]:
        """Which of its kind it is in its template: other documents may come and go."""
        siblings = [
            one
            for rendering in self._ground.renderings
            if any(one is resource for one in rendering.resources)
            for one in rendering.resources
            if (one.kind, one.origin.template) == (resource.kind, resource.origin.template)
        ]
        return resource.kind, next((n for n, one in enumerate(siblings) if one is resource), 0)

    def _resource(self, key: Key, path: Path = ()) -> tuple[Rendering, Resource] | None:
        """The document that makes the object, best one that has the field: what an install does not have, an upgrade
        may. What lives in no namespace may be said to be in one."""
        found = [
            (rendering, resource)
            for rendering in self._ground.renderings
            for resource in (*rendering.resources, *rendering.dropped_resources)
            if _is(resource, key)
        ]
        found.sort(key=lambda one: (one[1].namespace != key.namespace, not _has(one[1].object, path)))
        return found[0] if found else self._namesake(key)

    def _namesake(self, key: Key) -> tuple[Rendering, Resource] | None:
        """The only object of its kind that the same template makes."""
        template = self._template_of(key)
        for rendering in self._ground.renderings if template else ():
            made = [
                one for one in rendering.resources if one.origin.template == template and one.kind == key.kind
            ]
            if len(made) == 1:
                return rendering, made[0]
        return None

    def locate(self, pointers: Sequence[Pointer]) -> list[Location | None]:
        """One a pointer; None where the checked version has no such object."""
        asked: dict[int, tuple[Rendering, list[int], list[tuple[Resource, Path]]]] = {}
        for place, pointer in enumerate(pointers):
            found = self._resource(pointer.key, pointer.path)
            if found is None:
                continue
            rendering, resource = found
            entry = asked.setdefault(id(rendering), (rendering, [], []))
            entry[1].append(place)
            entry[2].append((resource, pointer.path))
        located: list[Location | None] = [None] * len(pointers)
        for rendering, places, fields in asked.values():
            for place, found_at in zip(places, self._ask(rendering, fields), strict=True):
                if found_at is not None:
                    located[place] = self._location(found_at, pointers[place].note)
        return located

    def _ask(self, rendering: Rendering, fields: Sequence[tuple[Resource, Path]]) -> list[Place | None]:
        chart = self._ground.chart
        if chart is None:
            return locate_in_text(self._engine, self._root, self._text, fields)
        return locate(self._engine, chart, rendering.context, fields)

    def _location(self, place: Place, note: str) -> Location:
        through = tuple(f"{self._file(step.file)}:{step.line}" for step in place.through)
        return Location(self._file(place.file), place.line, place.column, note, through)

    def _file(self, file: str) -> str:
        return file if self._ground.chart is None else in_chart(self._root, file)


def in_chart(root: str, file: str) -> str:
    """Return the path of a file of the chart at `root`, as the user would write it."""
    path = f"{root.rstrip('/')}/{file}"
    return os.path.normpath(path) if file.startswith("../") or path.startswith("./") else path


def _is(resource: Resource, key: Key) -> bool:
    return (resource.kind, resource.name) == (key.kind, key.name) and group_of(
        str(resource.object.get("apiVersion", ""))
    ) == key.group


def _has(thing: Any, path: Path) -> bool:
    for step in path:
        try:
            thing = thing[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True
