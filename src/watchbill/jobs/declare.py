"""`@job(...)`: a function declared as a job. What is wrong with the declaration is told at load, with its line."""

import inspect
from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from msgspec import Struct

from watchbill.jobs.checks import MISSING, Checks
from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.moments import Global, Moment
from watchbill.jobs.places import Mistake, Place, refusal
from watchbill.versions import Version

if TYPE_CHECKING:
    from watchbill.jobs.containers import Container
    from watchbill.kube.rights import Right

KEYWORDS = ("until", "reason", "name", "timeout", "requires", "once", "grace")

AsyncFunction = TypeVar("AsyncFunction", bound=Callable[[Context], Coroutine[Any, Any, object]])
# None, not object: an async function that takes a SyncContext must not pass for a plain one.
SyncFunction = TypeVar("SyncFunction", bound=Callable[[SyncContext], None])


class Job(Struct, frozen=True, eq=False):
    """A declared job. It decides itself whether it must act."""

    name: str
    component: str | None  # None: global
    moment: Moment
    until: Version | None  # the first version that must not have it any more
    reason: str  # why it stays, if there is no such version
    timeout: float | None  # in seconds
    grace: float | None  # in seconds; None: as the bill says
    requires: "tuple[Right, ...]"
    once: bool
    place: Place
    summary: str  # its description's first line
    function: Callable[[Any], object]
    is_async: bool
    container: "Container | None" = None

    @property
    def identity(self) -> str:
        return f"{self.component or Global.GLOBAL.value}/{self.name}"


class Declared(Protocol):
    """Gives the function back as it is: tests call it with a context of their own."""

    @overload
    def __call__(self, function: AsyncFunction) -> AsyncFunction: ...
    @overload
    def __call__(self, function: SyncFunction) -> SyncFunction: ...


class Collector:
    """The declarations of the modules that are being loaded; with mistakes in them, too: there may be more."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.mistakes: list[Mistake] = []


collecting: ContextVar[Collector | None] = ContextVar("collecting", default=None)


@overload
def job(
    component: str | Global,
    moment: Moment,
    *,
    until: str,
    reason: str = "",
    name: str | None = None,
    timeout: str | None = None,
    requires: Sequence[str] = (),
    once: bool = False,
    grace: str | None = None,
) -> Declared: ...
@overload
def job(
    component: str | Global,
    moment: Moment,
    *,
    until: None,
    reason: str,
    name: str | None = None,
    timeout: str | None = None,
    requires: Sequence[str] = (),
    once: bool = False,
    grace: str | None = None,
) -> Declared: ...
# Takes whatever it is given: what is wrong with it is told together with all other mistakes.
def job(component: Any = MISSING, moment: Any = MISSING, *more: Any, **given: Any) -> Any:
    """Declares the function below as a job of a component, or of the whole deploy (GLOBAL), before it (Pre) or after
    it (Post). `until` is the first version of the product that must not have the job any more."""
    if inspect.isfunction(component):
        checks = Checks(place_of(component), component.__name__)
        checks.wrong("@job says nothing about it", 'write it as: @job("component", Pre, until="2.6.0")')
        report(checks)
        return component

    def declared(function: Any) -> Any:
        if not inspect.isfunction(function):
            checks = Checks(place_of(function), getattr(function, "__name__", repr(function)))
            checks.wrong("only a function can be a job")
            report(checks)
            return function
        name = function.__name__ if given.get("name") is None else given["name"]
        checks = Checks(place_of(function), str(name or function.__name__))
        checks.function(function)
        if more:
            checks.wrong(
                "only component and moment are given without a name", f"give the rest as: {KEYWORDS[0]}=..."
            )
        checks.nothing_else(given, KEYWORDS)
        declare(
            checks,
            component,
            moment,
            {key: value for key, value in given.items() if key in KEYWORDS} | {"name": name},
            summary=(inspect.getdoc(function) or "").partition("\n")[0],
            function=function,
            is_async=inspect.iscoroutinefunction(function),
        )
        return function

    return declared


def declare(checks: Checks, component: object, moment: object, given: dict[str, Any], **made: Any) -> Job:
    """Where every kind of job becomes one."""
    reason = checks.text("reason", given.get("reason", ""))
    declared = Job(
        name=checks.name(given["name"]),
        component=checks.component(component),
        moment=checks.moment(moment),
        until=checks.until(given.get("until", MISSING), reason),
        reason=reason,
        timeout=checks.duration("timeout", given.get("timeout")),
        grace=checks.duration("grace", given.get("grace"), may_be_zero=True),
        requires=checks.rights(given.get("requires", ())),
        once=checks.flag("once", given.get("once", False)),
        place=checks.place,
        **made,
    )
    report(checks)
    if collector := collecting.get():
        collector.jobs.append(declared)
    return declared


def report(checks: Checks) -> None:
    collector = collecting.get()
    if collector:
        collector.mistakes += checks.mistakes
    elif checks.mistakes:
        raise refusal(checks.mistakes)


def place_of(declared: Any) -> Place:
    bare = inspect.unwrap(declared) if callable(declared) else declared
    if inspect.isfunction(bare):
        return Place(bare.__code__.co_filename, bare.__code__.co_firstlineno)
    return caller(2)


def caller(above: int) -> Place:
    """The line that called the function that asks, or one further up."""
    frame = inspect.currentframe()
    for _ in range(above + 1):
        frame = frame.f_back if frame else None
    return Place(frame.f_code.co_filename, frame.f_lineno) if frame else Place("?", 0)
