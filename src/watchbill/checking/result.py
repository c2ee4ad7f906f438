"""What `check` found, as values: every report is made of these and of nothing else."""

from typing import Literal, Self

from msgspec import Struct

from watchbill.errors import UserError

Level = Literal["error", "warning", "note"]
Which = Literal["before", "this", "next"]  # of the versions of a chart: this is the one that is checked
GIVEN = "given: "  # begins a row that assumes something instead of moving
LEVELS: tuple[Level, ...] = ("error", "warning", "note")  # the worst first


class Location(Struct, frozen=True, rename="camel"):
    """A place in a file of the user's: a template, or manifests."""

    file: str  # as reachable from where the command was run
    line: int
    column: int = 0
    note: str = ""  # what stands there
    through: tuple[str, ...] = ()  # file:line of the defines the text comes through, the innermost last


class Row(Struct, frozen=True, rename="camel"):
    """One move of a trace and what came of it."""

    move: str  # in words for a person: `upgrade, new image`, `given: every Job fails`
    works: bool | None  # None for what no tool does: time that passes, an assumption
    did: tuple[str, ...] = ()  # `Job/membership-migrate runs`, `revision 2 is failed`
    error: str = ""  # the tool's own words


class Trace(Struct, frozen=True, rename="camel"):
    """The shortest way to see it."""

    tool: str  # helm@4.3.1
    rows: tuple[Row, ...]
    moves: tuple[str, ...]  # in the words of `rehearse`
    before: tuple[str, ...] = ()  # the world before the bad move: `Job/x succeeded`, `revision 1 deployed`
    after: tuple[str, ...] = ()
    versions: tuple[Which, ...] = ()  # that the moves take, one after the other; the last is taken again


class Sibling(Struct, frozen=True, rename="camel"):
    """Another object of the chart that has the same defect and the same fix."""

    title: str
    fingerprint: str
    location: Location | None = None


class Finding(Struct, frozen=True, rename="camel"):
    rule: str  # WB101
    name: str  # immutable-job
    level: Level
    confidence: Literal["high", "medium"]
    title: str  # operation, object, consequence
    fingerprint: str  # without lines: a baseline survives edits
    objects: tuple[str, ...]  # Job/membership-migrate
    because: str = ""  # what in the chart makes it so, in one line
    location: Location | None = None
    related: tuple[Location, ...] = ()
    siblings: tuple[Sibling, ...] = ()  # other objects with the same cause, reported with this one
    dependency: str = ""  # the subchart it is in, and its version: `postgresql 12.1.0`
    tools: tuple[str, ...] = ()  # helm@4.3.1, helm@3.19.0
    scenarios: tuple[str, ...] = ()  # named ones it shows in
    changes: tuple[str, ...] = ()  # which changes break it: image, chart version, value job.args
    charts: tuple[str, ...] = ()  # paths; more than one where a shared define is the cause
    profiles: tuple[str, ...] = ()  # values files it shows with; empty: with all
    release_name_length: int = 0  # the shortest release name with which it happens; 0: with any name
    trace: Trace | None = None  # None where one look at what is rendered is enough
    error: str = ""  # the tool's error text, once
    fix: str = ""  # one or two lines
    override: str = ""  # values that avoid it where it is in a dependency: `postgresql.job.enabled: false`


class Fact(Struct, frozen=True, rename="camel"):
    """What no chart can change: shown by `matrix` and `-v`, never counted."""

    text: str
    tools: tuple[str, ...]


class Ignored(Struct, frozen=True, rename="camel"):
    finding: Finding
    reason: str  # of the ignore, or that the baseline knows it


class Problem(Struct, frozen=True, rename="camel"):
    """Why a chart was not checked."""

    what: str
    where: str = ""
    then: str = ""

    @classmethod
    def of(cls, error: UserError) -> Self:
        return cls(error.what, error.where or "", error.then or "")


class Checked(Struct, frozen=True, rename="camel"):
    """One chart, or one release out of a stream of manifests."""

    path: str  # as it was named
    name: str = ""
    version: str = ""
    from_version: str = ""  # with --from
    jobs: int = 0
    hooks: int = 0  # hook objects that are no Jobs
    tools: tuple[str, ...] = ()
    scenarios: int = 0
    findings: tuple[Finding, ...] = ()  # the worst first
    ignored: tuple[Ignored, ...] = ()
    facts: tuple[Fact, ...] = ()
    assumed: tuple[str, ...] = ()  # the made-up next version, release name, values
    skipped: str = ""  # why there is nothing to check: a library chart
    problem: Problem | None = None

    @property
    def unfinished(self) -> str:
        """Say how far the check of a chart with a problem came."""
        return "incomplete" if self.assumed else "not checked"


class Run(Struct, frozen=True, rename="camel"):
    """All of it."""

    charts: tuple[Checked, ...]
    findings: tuple[Finding, ...]  # of all charts, those of a shared define once; the worst first
    unknown_ignores: tuple[str, ...] = ()  # ignores and baseline entries that match nothing any more
    since: str = ""  # the git ref of --since, if it chose the charts

    def count(self, level: Level) -> int:
        return sum(finding.level == level for finding in self.findings)
