"""What each Job of a chart does in each scenario under each tool."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.render import Resource
from watchbill.checking.grounds import Change, Ground
from watchbill.checking.locating import Locator
from watchbill.checking.result import Fact, Location
from watchbill.checking.sightings import is_sound
from watchbill.checking.tabulating.cells import Cell, View, cell, nothing
from watchbill.checking.tabulating.runners import Part, Roster
from watchbill.lifecycle.helm.hooks import policies
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import to_the_next
from watchbill.lifecycle.objects import at
from watchbill.lifecycle.scenarios import NEXT, THIS, Scenario, Walked, scenarios, stage_for, walk
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import Rendered, World
from watchbill.rules.facts import fact_of
from watchbill.rules.rule import Pointer
from watchbill.rules.sighting import Sighting

# Rows that are about a next version in which one thing differs, and what may differ: the first that changes the Job.
CHANGES = {
    "version upgrade": ("chart version", "app version", "subchart version"),
    "image upgrade": ("image", "app version", "subchart version"),
    "value upgrade": ("value ",),
}
RUNNING, FAILED, EXPIRED, TEST = (
    "while the Job still runs",
    "after a failed Job",
    "upgrade after TTL",
    "test",
)
ROWS = (
    "first install",
    "no-op upgrade",
    *CHANGES,
    "forced upgrade",
    "forced upgrade client-side",
    EXPIRED,
    RUNNING,
    FAILED,
    "rollback",
    TEST,
    "uninstall",
    "reinstall",
)
KILLED = "retry of a killed upgrade"

RuleOf = Callable[[Sighting], str]


class Row(Struct, frozen=True, rename="camel"):
    scenario: str
    change: str  # what differs in the next version; empty: whatever usually does, or nothing
    cells: tuple[Cell, ...]  # one a tool, in their order


class Table(Struct, frozen=True, rename="camel"):
    """One Job, or one Pod that is a hook."""

    kind: str
    name: str
    namespace: str
    role: str  # plain, hook pre-install; before-hook-creation
    location: Location | None
    subchart: str
    rows: tuple[Row, ...]


class Matrix(Struct, frozen=True, rename="camel"):
    path: str  # as it was named
    chart: str  # its name; empty for manifests
    version: str
    from_version: str  # with --from
    release: str
    namespace: str
    tools: tuple[str, ...]
    jobs: tuple[Table, ...]
    outside: tuple[str, ...]  # CronJobs: they run by the clock, whatever is done to their release
    assumed: tuple[str, ...]
    facts: tuple[Fact, ...]  # what no chart can change


def matrix(
    grounds: Sequence[Ground], locator: Locator, path: str, old: str = "", rule_of: RuleOf = lambda _: ""
) -> Matrix:
    """`grounds` are one chart's, one a tool; `old` is the version before, if there is one."""
    first = grounds[0]
    book = _Book(grounds, locator, old, rule_of)
    return Matrix(
        path=path,
        chart=first.chart.name if first.chart else "",
        version=first.chart.version if first.chart else "",
        from_version=old,
        release=first.life.release,
        namespace=first.life.namespace,
        tools=tuple(str(ground.tool) for ground in grounds),
        jobs=tuple(sorted(book.tables(), key=_is_a_test)),
        outside=tuple(sorted({str(found) for found in _resources(first) if found.kind == "CronJob"})),
        assumed=tuple(_assumed(first)),
        facts=tuple(book.facts()),
    )


class _Book:
    """All grounds, and what was played on them."""

    def __init__(self, grounds: Sequence[Ground], locator: Locator, old: str, rule_of: RuleOf) -> None:
        self._grounds = grounds
        self._locator = locator
        self._old = old
        self._rule_of = rule_of
        self._stages: dict[int, Stage] = {}
        self._roster = Roster(
            rendered for ground in grounds for lab in _labs(ground) for rendered in _renders(lab)
        )

    def tables(self) -> Iterator[Table]:
        first = self._grounds[0]
        for number in range(len(self._roster)):
            parts = [self._part(rendered, number) for rendered in _situations(first)]
            part = next((part for part in parts if part is not None), None)
            if part is None:
                continue  # only a made-up version has it
            key = part.key._replace(name=part.key.name.rstrip("*"))
            resource = self._locator.resource(key)
            [place] = self._locator.locate([Pointer(key)])
            yield Table(
                kind=key.kind,
                name=part.key.name,
                namespace=key.namespace,
                role=_role(parts, self._old, first) + self._renamed(parts, number),
                location=place,
                subchart=resource.origin.subchart if resource else "",
                rows=tuple(self._rows(number, part)),
            )

    def facts(self) -> Iterator[Fact]:
        tools: dict[str, list[str]] = {}
        for ground in self._grounds:
            if (killed := _scenario(ground, KILLED)) is None:
                continue
            walked = self._walked(ground.life, killed)
            for violation in walked.violations:
                fact = fact_of(Sighting(violation, ground.life, KILLED))
                if fact and len(violation.trace) == len(walked.plays):
                    tools.setdefault(fact, []).append(str(ground.tool))
        yield from (Fact(text, tuple(known)) for text, known in tools.items())

    def _renamed(self, parts: Sequence[Part | None], number: int) -> str:
        """Whether it is another object each time, and so can always be created."""
        ground = self._grounds[0]
        if len({part.key.name for part in parts if part is not None}) > 1:
            return ", with another name each time"
        last = parts[-1]
        following = self._part(_render(ground.life, len(ground.life.versions) - 1, upgrade=True), number)
        changed = last is not None and following is not None and last.key != following.key
        return ", with another name in the next version" if changed else ""

    def _rows(self, number: int, part: Part) -> Iterator[Row]:
        for label in ROWS:
            place = self._pick(label, number)
            cells = tuple(self._cell(ground, label, place, number, part) for ground in self._grounds)
            if any(found.says != "-" for found in cells):
                change = "" if place is None else self._grounds[0].trials[place].kind
                yield Row(label, change, cells)

    def _pick(self, label: str, number: int) -> int | None:
        """Which trial a row is about: one in which this Job differs, or else the first of its sort."""
        if label not in CHANGES:
            return None
        trials = self._grounds[0].trials
        sort = [
            place
            for kind in CHANGES[label]
            for place, trial in enumerate(trials)
            if trial.kind.startswith(kind)
        ]
        changing = [place for place in sort if self._changes(trials[place], number)]
        if changing or label == "value upgrade":
            sound = (place for place in changing if self._is_sound(trials[place]))
            return next(sound, changing[0]) if changing else None
        return sort[0] if sort else None

    def _is_sound(self, trial: Change) -> bool:
        """Whether anybody could deploy what was made up."""
        return is_sound(self._stage(trial.lab), *to_the_next(self._grounds[0].tool.name))

    def _changes(self, trial: Change, number: int) -> bool:
        this, following = (
            self._part(_render(trial.lab, version, upgrade=True), number) for version in (THIS, NEXT)
        )
        return this is None or following is None or this.body is not following.body

    def _cell(self, ground: Ground, label: str, place: int | None, number: int, part: Part) -> Cell:
        tool = str(ground.tool)
        if label == EXPIRED and at(part.body.object, "spec", "ttlSecondsAfterFinished") is None:
            return nothing(tool, "has no TTL")
        scenario = _scenario(ground, _played_as(label, part, ground))
        if scenario is None or (label in CHANGES and place is None and not self._is_real(label)):
            return nothing(tool)
        lab = ground.trials[place].lab if place is not None else _lab(ground, scenario)
        walked = self._walked(lab, scenario, part.key.name)
        if not walked.plays:
            return nothing(tool, "has no TTL")
        view = View.of(lab, walked, self._roster, number)
        found = cell(view)
        changes = ground.changes if place is None else (ground.trials[place].kind,)
        return replace(found, rule=self._rule(view, found, changes))

    def _is_real(self, label: str) -> bool:
        """Where the version before is known there is one upgrade, and nothing is made up."""
        return bool(self._old) and label == "version upgrade"

    def _walked(self, lab: Lab, scenario: Scenario, job: str = "*") -> Walked:
        return walk(self._stage(lab), scenario, following=min(NEXT, len(lab.versions) - 1), job=job)

    def _stage(self, lab: Lab) -> Stage:
        return self._stages.setdefault(id(lab), stage_for(lab))

    def _part(self, rendered: Rendered, number: int) -> Part | None:
        return self._roster.parts(rendered).get(number)

    def _rule(self, view: View, found: Cell, changes: tuple[str, ...]) -> str:
        if not found.reason:
            return ""
        walked = view.walked
        sightings = [
            Sighting(violation, view.lab, walked.scenario.name, changes)
            for violation in walked.violations
            if len(violation.trace) == len(walked.plays)
        ]
        own = [one for one in sightings if one.key is not None and view.mine(one.key)]
        return next(filter(None, map(self._rule_of, own or sightings)), "")


def _scenario(ground: Ground, name: str) -> Scenario | None:
    return next((known for known in scenarios(ground.tool) if known.name == name), None)


def _played_as(label: str, part: Part, ground: Ground) -> str:
    """The scenario of a row for this Job: a hook is met again by a retry, a plain Job by the next upgrade."""
    stages = {event.rpartition("-")[2] for event in part.hook.events} if part.hook else {"install"}
    if ground.tool.name != "helm":
        stages = {"install"}
    if label == EXPIRED:
        return "no-op upgrade after the TTL"
    if label == TEST:
        return TEST if TEST in stages else ""
    if label == RUNNING:
        retried = part.hook is not None and "upgrade" in stages and ground.tool.name == "helm"
        return "retry while the hook still runs" if retried else _if("install" in stages, label)
    if label == FAILED:
        return "retry of a failed install" if "install" in stages else _if("upgrade" in stages, label)
    return label


def _if(holds: bool, label: str) -> str:
    names = {RUNNING: "upgrade while the Job still runs", FAILED: "retry of a failed upgrade"}
    return names[label] if holds else ""


def _lab(ground: Ground, scenario: Scenario) -> Lab:
    """Paths that stay with one version stay with the one that is looked at."""
    return ground.life if scenario.upgrades else ground.alone


def _labs(ground: Ground) -> Iterator[Lab]:
    yield ground.alone
    yield ground.life
    yield from (trial.lab for trial in ground.trials)


def _renders(lab: Lab) -> Iterator[Rendered]:
    for version in range(len(lab.versions)):
        for upgrade in (False, True):
            yield _render(lab, version, upgrade=upgrade)


def _render(lab: Lab, version: int, *, upgrade: bool) -> Rendered:
    return lab.versions.render(version, lab.named(""), upgrade=upgrade, revision=1 + upgrade, world=World())


def _situations(ground: Ground) -> tuple[Rendered, Rendered]:
    """In which a Job may be one thing or another: from the version before to this, or from install to upgrade."""
    if ground.checked:
        return _render(ground.life, THIS, upgrade=False), _render(ground.life, NEXT, upgrade=True)
    return _render(ground.alone, THIS, upgrade=False), _render(ground.alone, THIS, upgrade=True)


def _role(parts: Sequence[Part | None], old: str, ground: Ground) -> str:
    before, after = parts
    here = ground.chart.version if ground.chart else "this version"
    when = (f"in {old}", f"in {here}") if ground.checked else ("on install", "on upgrade")
    if before is None or after is None:
        there = before or after
        assert there is not None
        return f"{_is_what(there)} {when[0 if before else 1]} only"
    if _is_what(before) != _is_what(after):
        return f"{_is_what(before)} {when[0]}, {_is_what(after)} {when[1]}"
    return _is_what(before)


def _is_a_test(job: Table) -> bool:
    """Which come last: most charts have one, and it is seldom what one looks for."""
    return job.role.startswith(f"hook {TEST};")


def _is_what(part: Part) -> str:
    if part.hook is None:
        return "plain"
    return f"hook {','.join(part.hook.events)}; {','.join(policies(part.hook))}"


def _resources(ground: Ground) -> Iterator[Resource]:
    for rendering in ground.renderings:
        yield from rendering.resources


def _assumed(ground: Ground) -> Iterator[str]:
    if ground.profile:
        yield f"values of {ground.profile}: the chart's own are not enough"
    if ground.checked:
        return
    if ground.changes:
        yield f"the next version is made up: another {', '.join(ground.changes)}"
    else:
        yield "no next version is known: upgrades are to the same version again (--from OLD tells of a real one)"
