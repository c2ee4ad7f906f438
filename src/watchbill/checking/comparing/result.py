"""What `compare` found, as values that every report is made of."""

from msgspec import Struct

from watchbill.checking.comparing.parting import What
from watchbill.checking.result import Fact, Problem, Row, Which


class Difference(Struct, frozen=True, rename="camel"):
    """One way in which the tools part, by the shortest path that shows it."""

    title: str  # operation, object, consequence under each tool
    what: What
    objects: tuple[str, ...]  # Job/membership-migrate
    handed_over: bool  # the second tool goes on with a release of the first one's, and not as with its own
    rows: tuple[Row, ...]  # the moves on which they agree
    move: str  # at which they part, in words for a person
    sides: tuple[Row, Row]  # what came of it: the `move` of each is its tool
    moves: tuple[tuple[str, ...], tuple[str, ...]]  # all of them, in the words of `rehearse`, for each tool
    versions: tuple[Which, ...]  # that the moves take, one after the other; the last is taken again
    also: tuple[str, ...] = ()  # other operations in which it shows
    scenarios: tuple[str, ...] = ()  # named ones in which it shows
    changes: tuple[str, ...] = ()  # of the next version, each of which is enough: image, value job.args
    profiles: tuple[str, ...] = ()  # values files it shows with; empty: with all


class Compared(Struct, frozen=True, rename="camel"):
    """One chart, or one release out of a stream of manifests."""

    path: str  # as it was named
    name: str = ""
    version: str = ""
    from_version: str = ""  # with --from
    scenarios: int = 0  # named ones that both tools have
    paths: int = 0
    is_cut: bool = False  # there are more paths than were walked
    differences: tuple[Difference, ...] = ()
    facts: tuple[Fact, ...] = ()  # differences that no chart can change
    assumed: tuple[str, ...] = ()
    skipped: str = ""  # why there is nothing to compare: a library chart
    problem: Problem | None = None


class Comparison(Struct, frozen=True, rename="camel"):
    """All of it."""

    tools: tuple[str, str]
    charts: tuple[Compared, ...]
    since: str = ""  # the git ref of --since, if it chose the charts
