"""What can be wrong with the declaration of a job. Nothing stops at the first mistake."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from watchbill import durations, versions
from watchbill.errors import UserError
from watchbill.jobs.moments import Global, Moment
from watchbill.jobs.places import Mistake, Place
from watchbill.versions import Version

if TYPE_CHECKING:
    from watchbill.kube.rights import Right

MISSING: Any = object()


class Checks:
    """Reads what was given, and remembers what cannot be read."""

    def __init__(self, place: Place, told: str) -> None:
        self.place = place
        self.told = told  # how the person knows the job
        self.mistakes: list[Mistake] = []

    def wrong(self, what: str, then: str = "") -> None:
        self.mistakes.append(Mistake(self.place, f"{self.told}: {what}", then))

    def text(self, key: str, value: object) -> str:
        if isinstance(value, str):
            return value
        self.wrong(f"{key} must be a text, and is {value!r}")
        return ""

    def flag(self, key: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(f"{key} must be True or False, and is {value!r}")
        return value is True

    def name(self, value: object) -> str:
        """Empty if it is none."""
        if value is MISSING:
            self.wrong("it has no name", 'say name="..."')
            return ""
        name = self.text("name", value)
        if name and not name.replace("-", "_").replace(".", "_").isidentifier():
            self.wrong(f"{name!r} cannot be a job's name", "use letters, digits, '-', '_' and '.'")
        elif isinstance(value, str) and not name:
            self.wrong("its name is empty")
        return name

    def component(self, value: object) -> str | None:
        """None is global; empty if it is none."""
        if isinstance(value, Global):
            return None
        if value is MISSING:
            self.wrong("no component is given", "name one of the bill, or GLOBAL")
        elif value == "global":
            self.wrong(
                'no component is called "global"',
                "for a job of the whole deploy write GLOBAL, without quotes: from watchbill.jobs import GLOBAL",
            )
        elif not isinstance(value, str) or not value:
            self.wrong(f"unknown component {value!r}", "name one of the bill, or GLOBAL")
        else:
            return value
        return ""

    def moment(self, value: object) -> Moment:
        if isinstance(value, Moment):
            return value
        how = "is missing" if value is MISSING else f"cannot be {value!r}"
        self.wrong(f"when it runs {how}", "write Pre or Post: from watchbill.jobs import Pre, Post")
        return Moment.PRE

    def until(self, value: object, reason: str) -> Version | None:
        if value is MISSING:
            self.wrong(
                "until is missing",
                'say which version must not have this job any more: until="2.6.0"; or until=None, with a reason',
            )
        elif value is None:
            if not reason.strip():
                self.wrong("until=None needs a reason", 'say why it stays: reason="..."')
        else:
            try:
                return versions.parse(self.text("until", value) or "0.0.0")
            except UserError as error:
                self.wrong(f"until: {error.what}", error.then or "")
        return None

    def duration(self, key: str, value: object, *, may_be_zero: bool = False) -> float | None:
        if value is None:
            return None
        seconds = durations.seconds(value) if isinstance(value, str) else None
        if seconds is None:
            self.wrong(f"{key} cannot be {value!r}", f'write a duration like {key}="90s", "10m" or "1h30m"')
        elif not seconds and not may_be_zero:
            self.wrong(f"{key} must be longer than 0s")
        return seconds

    def rights(self, value: object) -> "tuple[Right, ...]":
        given = self.texts("requires", value, "patch persistentvolumeclaims")
        if not given:
            return ()
        from watchbill.kube import rights  # a job that asks for none needs no client

        found = []
        for text in given:
            try:
                found.append(rights.parse(text))
            except UserError as error:
                self.wrong(f"requires: {error.what}", error.then or "")
        return tuple(found)

    def texts(self, key: str, value: object, example: str) -> tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return tuple(value)
        example = value if isinstance(value, str) else example
        self.wrong(f"{key} must be a list of texts", f'write it as: {key}=["{example}"]')
        return ()

    def nothing_else(self, given: Iterable[str], known: Sequence[str]) -> None:
        from difflib import get_close_matches  # for who mistypes alone

        for key in [key for key in given if key not in known]:
            close = get_close_matches(key, known, n=1)
            then = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
            self.wrong(f"it cannot be given {key!r}", then)

    def function(self, function: Callable[..., object]) -> None:
        bare = inspect.unwrap(function)
        if inspect.isgeneratorfunction(bare) or inspect.isasyncgenfunction(bare):
            self.wrong("it has a yield in it: a generator does nothing until somebody goes through it")
            return
        parameters = list(inspect.signature(function).parameters.values())
        takes = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        needed = [
            one
            for one in parameters
            if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        ]
        if not takes or any(one is not takes[0] for one in needed):
            self.wrong(
                f"it takes {inspect.signature(function)}, and is called with one argument, the context",
                f"write it as: {bare.__name__}(ctx)",
            )
            return
        self._context(function, takes[0].annotation)

    def _context(self, function: Callable[..., object], annotation: object) -> None:
        """The wrong one has other methods: better told now than in the middle of a deploy."""
        said = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        given = "Context" if inspect.iscoroutinefunction(function) else "SyncContext"
        kind = "an async" if given == "Context" else "a plain"
        if said.rpartition(".")[2] in {"Context", "SyncContext"} - {given}:
            self.wrong(
                f"{kind} function is given a {given}, and this one wants a {said}",
                f"write it as: ctx: {given}",
            )
