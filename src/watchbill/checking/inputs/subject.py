"""What is checked, as values: a chart or a release of a stream, and what keeps one from being checked."""

import os
from collections.abc import Callable

from msgspec import Struct

from watchbill.charts.problems import MissingDependency
from watchbill.errors import UserError

FETCH = "let helm fetch it, into a cache: --deps"

ReadText = Callable[[str, str], str]  # a path or STDIN, and what it holds in the words of an error
STDIN = "-"


class Found(Struct, frozen=True):
    """A chart to check, and the argument it was found by."""

    path: str
    root: str

    @property
    def is_named(self) -> bool:
        """Rather than found in a directory that was named."""
        return self.path == self.root

    @property
    def within(self) -> str:
        return os.path.relpath(self.path, self.root)


class Asked(Struct, frozen=True):
    """What the command line says of it."""

    charts: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()  # files; '-' is stdin
    from_: str = ""
    since: str = ""
    deps: bool = False
    helm: str | None = None  # the binary that fetches
    follow_symlinks: bool = False
    skips_others: bool = False  # files that are in no chart are left out, not complained about


class Subject(Struct, frozen=True):
    """A chart, or one release of a stream of manifests.

    What people read speaks of `path`: a template is `path`/`templates/x.yaml`, wherever `source` lies.
    """

    path: str  # as it was named, or found below what was named
    source: str = ""  # the chart's directory or archive on this disk; empty: manifests
    old: str = ""  # the same of the version before; empty: none
    old_shown: str = ""  # what the user calls that
    is_new: bool = False  # a version before was asked for, and there is none
    values_profiles: tuple[str, ...] = ()  # paths of ci/*-values.yaml
    manifests: str = ""
    manifests_name: str = ""
    old_manifests: str = ""
    old_name: str = ""
    label: str = ""  # the release's, where the stream has several

    def says(self, error: UserError) -> UserError:
        """The error with the user's names in place of ours, and with what `check` can do about it."""
        then = error.then
        if isinstance(error, MissingDependency):
            ours = self.old and self.old != self.old_shown and self.old in error.what
            then = FETCH if ours or not then else f"{then}\nor {FETCH}"
        return UserError(
            self._named(error.what),
            where=self._named(error.where) if error.where else None,
            then=self._named(then) if then else None,
        )

    def _named(self, text: str) -> str:
        names = [(self.old, self.old_shown), (self.source, self.path)]
        for ours, shown in sorted(names, key=lambda pair: -len(pair[0])):
            if ours and ours != shown:
                text = text.replace(ours, shown)
        return text


class Skipped(Struct, frozen=True):
    path: str
    reason: str


class Failed(Struct, frozen=True):
    path: str
    error: UserError


Item = Subject | Skipped | Failed
