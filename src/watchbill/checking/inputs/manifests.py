"""Subjects that are rendered already (`-m`): each release of each stream, with the one it comes from."""

import os
from collections.abc import Iterator

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.checking.inputs import streams
from watchbill.checking.inputs.gitsource import Repository
from watchbill.checking.inputs.sources import AtRef, Local, Reference, Sources, read
from watchbill.checking.inputs.streams import Release
from watchbill.checking.inputs.subject import STDIN, Asked, Failed, Item, ReadText, Skipped, Subject
from watchbill.errors import UserError


class _Stream(Struct, frozen=True):
    name: str = ""
    releases: tuple[Release, ...] = ()


def of_manifests(engine: Engine, asked: Asked, sources: Sources, read_text: ReadText) -> Iterator[Item]:
    older = _Older(engine, asked, sources, read_text) if asked.from_ or asked.since else None
    complete = True
    for file in asked.manifests:
        name = _name(file)
        try:
            new = streams.releases(engine, name, read_text(file, "manifests"))
            stream = older.stream(file) if older is not None else _Stream()
        except UserError as error:
            complete = False
            yield Failed(name, error)
            continue
        # Where each stream is one release, they are the same one, whatever it is called.
        alone = len(asked.manifests) == len(new) == len(stream.releases) == 1
        for release in new:
            previous = next((old for old in stream.releases if alone or old.label == release.label), None)
            if older is not None and previous is not None:
                older.continued.append(previous)
            yield Subject(
                path=name,
                manifests=release.text,
                manifests_name=name,
                old_manifests=previous.text if previous else "",
                old_name=stream.name if previous else "",
                old_shown=stream.name if previous else "",
                is_new=older is not None and previous is None,
                label=release.label if len(new) > 1 else "",
            )
    if older is not None and complete:
        yield from older.discontinued()


class _Older:
    """The streams that those to check come from: one for all of them, or each its own in git."""

    def __init__(self, engine: Engine, asked: Asked, sources: Sources, read_text: ReadText) -> None:
        self._engine = engine
        self._asked = asked
        self._sources = sources
        self._read_text = read_text
        self._reference = _reference(asked)
        self._known: dict[str, _Stream] = {}
        self.continued: list[Release] = []

    def stream(self, file: str) -> _Stream:
        key = file if isinstance(self._reference, AtRef) else ""
        if key not in self._known:
            name, text = self._read(file)
            found = streams.releases(self._engine, name, text) if text else []
            self._known[key] = _Stream(name, tuple(found))
        return self._known[key]

    def discontinued(self) -> Iterator[Skipped]:
        for stream in self._known.values():
            for release in stream.releases:
                if not any(release is other for other in self.continued):
                    called = f" {release.label!r}" if release.label else ""
                    yield Skipped(stream.name, f"the release{called} has no newer manifests")

    def _read(self, file: str) -> tuple[str, str]:
        """Name and text; no text where there was none at the merge base."""
        reference = self._reference
        if isinstance(reference, Local):
            return _name(reference.path), self._read_text(reference.path, "manifests")
        if not isinstance(reference, AtRef):
            raise UserError(
                f"--from {reference} is a packaged chart, and manifests are checked",
                then="render it too: helm template CHART > old.yaml",
            )
        if file == STDIN and not reference.path:
            raise UserError(
                "what comes on stdin has no former version in git",
                then="name a file there: --from git:REF:PATH",
            )
        repository = Repository(os.curdir if file == STDIN else file)
        commit = (repository.merge_base if self._asked.since else repository.commit)(reference.ref)
        snapshot = self._sources.snapshot(repository, commit)
        place = repository.path_in(reference.path) if reference.path else repository.place(file)
        name = f"git:{commit[:12] if self._asked.since else reference.ref}:{place}"
        if snapshot.holds(place):
            return name, self._read_text(snapshot.bring(place), "manifests")
        if self._asked.since:
            return name, ""
        raise UserError(f"{place}: no such file in {reference.ref}", then="name it: --from git:REF:PATH")


def _reference(asked: Asked) -> Reference:
    if asked.since:
        return AtRef(asked.since)
    return Local(STDIN) if asked.from_ == STDIN else read(asked.from_)


def _name(file: str) -> str:
    return "stdin" if file == STDIN else file
