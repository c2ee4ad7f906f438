"""What a user names, found and brought onto this disk or into memory, each with the version before it.

What is wrong with one subject never keeps the others from being checked.
"""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.checking.inputs.discovery import charts_at, is_of_a_chart, profiles
from watchbill.checking.inputs.metadata import is_library
from watchbill.checking.inputs.subject import (
    STDIN,
    Asked,
    Failed,
    Found,
    Item,
    ReadText,
    Skipped,
    Subject,
)
from watchbill.checking.inputs.workspace import Workspace, reason
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.checking.inputs.before import Before, Since
    from watchbill.checking.inputs.sources import Sources


def find(engine: Engine, asked: Asked, workspace: Workspace, read_text: ReadText) -> list[Item]:
    """In the order they were named. Nothing at all where nothing changed since a ref, or all of it was left out."""
    _check(asked)
    if asked.manifests:
        from watchbill.checking.inputs.manifests import of_manifests

        return list(of_manifests(engine, asked, _sources(asked, workspace), read_text))
    return list(_of_charts(engine, asked, workspace))


def _sources(asked: Asked, workspace: Workspace) -> "Sources":
    """Most charts come from this disk alone."""
    from watchbill.checking.inputs.fetching import Helm
    from watchbill.checking.inputs.sources import Sources

    return Sources(workspace, Helm(asked.helm))


def _check(asked: Asked) -> None:
    if not asked.charts and not asked.manifests:
        raise UserError("no chart given", then="name a chart, or pass rendered manifests with -m FILE")
    if asked.charts and asked.manifests:
        raise UserError(
            f"{asked.charts[0]}: charts and -m cannot be mixed",
            then="check them in two runs, or render the chart and pass it with -m too",
        )
    if asked.from_ and asked.since:
        raise UserError(
            "--from and --since cannot be combined: both name the previous version", then="remove one of them"
        )
    if [*asked.manifests, asked.from_].count(STDIN) > 1:
        raise UserError("stdin can be read only once", then="name a file for all but one '-'")


def _of_charts(engine: Engine, asked: Asked, workspace: Workspace) -> Iterator[Item]:
    named = [path for path in asked.charts if not asked.skips_others or is_of_a_chart(path)]
    items = list(_named(named))
    since: Since | None = None
    former: Before | None = None
    if asked.since or asked.from_:
        from watchbill.checking.inputs import before

        sources = _sources(asked, workspace)
        former = since = before.Since(engine, sources, asked.since) if asked.since else None
        if since is not None:
            items = list(_in_repositories(items, since))
        charts = [item for item in items if isinstance(item, Found)]
        if asked.from_ and charts:
            former = before.before(engine, sources, asked.from_, charts)
    for item in items:
        if isinstance(item, Failed):
            yield item
        elif since is None or since.has_changed(item):
            try:
                yield _of_chart(engine, item, former, asked, workspace)
            except UserError as error:
                yield Failed(item.path, error)
            except OSError as error:  # a full disk, a file that went away meanwhile
                yield Failed(item.path, UserError(f"{item.path}: cannot read its files", where=reason(error)))


def _in_repositories(items: Sequence[Found | Failed], since: "Since") -> Iterator[Found | Failed]:
    """What keeps git from telling what changed is said once, not for each chart."""
    broken = set[str]()
    for item in items:
        if isinstance(item, Failed):
            yield item
        elif item.root not in broken:
            try:
                since.open(item.root)
                yield item
            except UserError as error:
                broken.add(item.root)
                yield Failed(item.root, error)


def _named(arguments: Sequence[str]) -> Iterator[Found | Failed]:
    """Each chart once, however often it is named."""
    seen = set[str]()
    for root in arguments:
        for found in charts_at(root):
            if isinstance(found, UserError):
                yield Failed(root, found)
                continue
            real = os.path.realpath(found)
            if real not in seen:
                seen.add(real)
                yield Found(found, root if os.path.isdir(root) else found)


def _of_chart(
    engine: Engine, chart: Found, former: "Before | None", asked: Asked, workspace: Workspace
) -> Subject | Skipped:
    if is_library(engine, chart.path):
        return Skipped(chart.path, "a library chart; check the charts that use it")
    old = former.version(chart) if former is not None else None
    subject = Subject(
        path=chart.path,
        source=chart.path,
        old=old.path if old else "",
        old_shown=old.shown if old else "",
        is_new=former is not None and old is None,
        values_profiles=profiles(chart.path),
    )
    return _completed(engine, subject, asked, workspace) if asked.deps else subject


def _completed(engine: Engine, subject: Subject, asked: Asked, workspace: Workspace) -> Subject:
    from watchbill.checking.inputs.dependencies import complete
    from watchbill.checking.inputs.fetching import Helm

    def completed(path: str, shown: str) -> str:
        if not path:
            return ""
        return complete(
            engine, path, Helm(asked.helm), workspace, shown=shown, follow_symlinks=asked.follow_symlinks
        )

    return replace(
        subject,
        source=completed(subject.source, subject.path),
        old=completed(subject.old, subject.old_shown),
    )
