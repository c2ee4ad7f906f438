"""One chart, or one release out of a stream of manifests, under two tools."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.checking.comparing.lockstep import Lockstep, Moves, Parted, Spot, comes_to, exploring_stage
from watchbill.checking.comparing.parting import ORDER, parting
from watchbill.checking.comparing.result import Compared
from watchbill.checking.comparing.seen import Field, Seen, groups
from watchbill.checking.comparing.telling import tell
from watchbill.checking.grounds import Ground
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.profiles import Charts, assumed, grounds_of
from watchbill.checking.result import Problem, Which
from watchbill.errors import UserError
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.scenarios import Scenario, Walked, scenarios, stage_for, walk
from watchbill.lifecycle.stage import Stage

Grounds = tuple[Ground, Ground]  # the same chart and values with either tool
Stages = tuple[Stage, Stage]


def compare(engine: Engine, subject: Subject, options: Options) -> Compared:
    """Whatever is wrong with the input is part of the answer: other charts are still compared."""
    try:
        return _compared(engine, subject, options)
    except UserError as found:
        return Compared(subject.path, problem=Problem.of(subject.says(found)))


def _compared(engine: Engine, subject: Subject, options: Options) -> Compared:
    charts = Charts.of(engine, subject, options)
    grounds = list(grounds_of(engine, subject, charts, options))
    pairs = list(zip(grounds[::2], grounds[1::2], strict=True))
    comparisons = [_Comparison(pair, options) for pair in pairs]
    seen = [one for comparison in comparisons for one in comparison.seen()]
    profiles = frozenset(first.profile for first, _ in pairs)
    told = [tell(group, profiles) for group in groups(one for one in seen if not one.parting.facts)]
    return Compared(
        path=subject.path,
        name=charts.this.name if charts.this else subject.label,
        version=charts.version,
        from_version=charts.from_version,
        scenarios=len(comparisons[0].named),
        paths=sum(comparison.paths for comparison in comparisons),
        is_cut=any(comparison.is_cut for comparison in comparisons),
        differences=tuple(sorted(told, key=lambda one: (one.handed_over, ORDER.index(one.what)))),
        facts=tuple(dict.fromkeys(fact for one in seen for fact in one.facts)),
        assumed=tuple(assumed(grounds[0], options.context)),
    )


class _Comparison:
    """A chart with one set of values."""

    def __init__(self, grounds: Grounds, options: Options) -> None:
        self.paths = 0
        self.is_cut = False
        self.named = list(_in_common(grounds, options.scenarios))
        self._depth = options.depth
        self._grounds = grounds
        one, other = grounds
        versions: tuple[Which, ...] = ("before", "this") if one.checked else ("this", "next")
        self._life = Field((one.life, other.life), versions, one.checked, one.changes, one.profile)
        self._alone = self._life
        if one.checked:
            self._alone = Field((one.alone, other.alone), ("this",), profile=one.profile)

    def seen(self) -> Iterator[Seen]:
        for field in (self._life, self._alone) if self._alone is not self._life else (self._life,):
            yield from self._explored(field)
        yield from self._walked()
        yield from self._changed()

    def _explored(self, field: Field) -> Iterator[Seen]:
        stages = exploring_stage(field.labs[0]), exploring_stage(field.labs[1])
        lockstep = Lockstep(stages, since=field.since)
        lockstep.walk(Spot(), self._depth + 1)
        self._count(lockstep)
        yield from (Seen(field, parted.parting, parted.trace) for parted in lockstep.parted)
        if field.labs[0].tool.name == field.labs[1].tool.name:
            yield from self._handed_over(field, lockstep.alike, stages[1])

    def _handed_over(self, field: Field, alike: Sequence[Spot], second: Stage) -> Iterator[Seen]:
        """What the second tool does with the first one's release, beside what it does with its own."""
        lockstep = Lockstep((second, second), since=field.since, faults=())
        for spot in alike:
            made, known = len(spot.trace), len(lockstep.parted)
            if made and not spot.faulted:
                lockstep.walk(spot, self._depth + 1 - made)
                yield from (
                    Seen(field, parted.parting, parted.trace, made) for parted in lockstep.parted[known:]
                )
        self._count(lockstep)

    def _walked(self) -> Iterator[Seen]:
        """Named paths, where equal names mean the same thing done with either tool."""
        stages = {
            id(field): (stage_for(field.labs[0]), stage_for(field.labs[1]))
            for field in (self._life, self._alone)
        }
        for one, other in self.named:
            # Paths that stay with one version are about the one that is compared.
            field = self._life if one.upgrades else self._alone
            sides = stages[id(field)]
            walked = walk(sides[0], one), walk(sides[1], other)
            for parted in _parted(walked, sides, field.since):
                yield Seen(field, parted.parting, parted.trace, scenario=one.name)

    def _changed(self) -> Iterator[Seen]:
        """Upgrades in which one input differs."""
        for one, other in zip(self._grounds[0].trials, self._grounds[1].trials, strict=True):
            field = replace(self._life, labs=(one.lab, other.lab), since=1, changes=(one.kind,))
            lockstep = Lockstep((stage_for(one.lab), stage_for(other.lab)), since=field.since)
            lockstep.follow([lockstep.moves("install", 0), lockstep.moves("upgrade", 1)])
            self._count(lockstep)
            yield from (Seen(field, parted.parting, parted.trace) for parted in lockstep.parted)

    def _count(self, lockstep: Lockstep) -> None:
        self.paths += lockstep.paths
        self.is_cut = self.is_cut or lockstep.is_cut


def _in_common(grounds: Grounds, own: Sequence[Scenario]) -> Iterator[tuple[Scenario, Scenario]]:
    """Scenarios that both tools have and that there are versions for. Equal names mean the same thing."""
    first, second = ({known.name: known for known in scenarios(ground.tool, own)} for ground in grounds)
    for name, scenario in first.items():
        if name in second and (not scenario.upgrades or len(grounds[0].life.versions) > 1):
            yield scenario, second[name]


def _parted(walked: tuple[Walked, Walked], stages: Stages, since: int) -> Iterator[Parted]:
    """Where two walks of one scenario part, if they do once they have come to the version that is compared."""
    trace = list[Moves]()
    for one, other in zip(walked[0].plays, walked[1].plays, strict=False):
        trace.append((one.move, other.move))
        if (found := parting(one, other)) is None:
            continue
        if comes_to(since, trace) and (not one.move.release or _is_due_to_its_name(trace, stages)):
            yield Parted(found, tuple(trace))
        return


def _is_due_to_its_name(trace: Sequence[Moves], stages: Stages) -> bool:
    """Under another name than its own a release shows again whatever it shows: only what its own name does not counts."""
    lockstep = Lockstep(stages)
    lockstep.follow([(_unnamed(one), _unnamed(other)) for one, other in trace])
    return not lockstep.parted


def _unnamed(move: Move) -> Move:
    return replace(move, release="", text=move.text.replace(f"release {move.release} ", "", 1))
