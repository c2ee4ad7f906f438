"""What is reported of what was found: severities as the user has them, then ignores, the baseline,
and the rules chosen on the command line."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.checking.baseline import Baseline
from watchbill.checking.ignores import InlineIgnore
from watchbill.checking.result import LEVELS, Finding, Ignored
from watchbill.checking.selection import Selection
from watchbill.checking.settings.config import Config

EVERYTHING = Selection()


class Place(Struct, frozen=True, order=True):
    """Where an ignore stands, or in which baseline an entry, and what it is about."""

    file: str
    line: int  # 0: none in particular
    about: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.about}" if self.line else f"{self.file}: {self.about}"


class Silencer(Struct, frozen=True):
    place: Place
    reason: str
    holds_for: Callable[[Finding], bool]


class Silenced(Struct, frozen=True):
    """The findings of one chart, and which ignores and entries of the baseline were of use."""

    kept: tuple[Finding, ...]  # the worst first
    ignored: tuple[Ignored, ...] = ()
    used: frozenset[Place] = frozenset()
    unused: frozenset[Place] = frozenset()


def silence(
    findings: Iterable[Finding],
    chart: str,
    config: Config,
    inline: Sequence[InlineIgnore] = (),
    baseline: Baseline | None = None,
    *,
    selection: Selection = EVERYTHING,
) -> Silenced:
    """`chart` is its name, by which the baseline knows it."""
    silencers = list(_silencers(chart, config, inline, baseline or Baseline()))
    kept, ignored, used = list[Finding](), list[Ignored](), set[Place]()
    for finding in findings:
        severity = config.severities.get(finding.rule, finding.level)
        if severity == "off":
            ignored.append(Ignored(finding, f"{finding.rule} is off in {config.file}"))
            continue
        weighed = replace(finding, level=severity)
        holding = [silencer for silencer in silencers if silencer.holds_for(weighed)]
        used.update(silencer.place for silencer in holding)
        # Ignores come first: one that holds for a rule that is not selected is still of use.
        if reason := holding[0].reason if holding else selection.reason_to_ignore(finding.rule):
            ignored.append(Ignored(weighed, reason))
        else:
            kept.append(weighed)
    kept.sort(key=lambda finding: LEVELS.index(finding.level))
    unused = frozenset(silencer.place for silencer in silencers) - used
    return Silenced(tuple(kept), tuple(ignored), frozenset(used), unused)


def unused(charts: Iterable[Silenced]) -> tuple[str, ...]:
    """Ignores and entries of baselines that were of no use in any chart, to be told."""
    of_use, of_none = set[Place](), set[Place]()
    for silenced in charts:
        of_use |= silenced.used
        of_none |= silenced.unused
    return tuple(map(str, sorted(of_none - of_use)))


def _silencers(
    chart: str, config: Config, inline: Sequence[InlineIgnore], baseline: Baseline
) -> Iterator[Silencer]:
    """In the order in which their reasons count."""
    for ignore in config.ignores:
        place = Place(config.file, ignore.line, str(ignore))
        yield Silencer(place, ignore.reason, ignore.holds_for)
    for comment in inline:
        place = Place(comment.file, comment.line, str(comment))
        yield Silencer(place, comment.reason, comment.holds_for)
    for entry in baseline.of(chart):
        place = Place(baseline.file, 0, f"{entry.rule} {entry.title}" + (f" ({chart})" if chart else ""))
        yield Silencer(place, f"known in {baseline.file}", entry.is_about)
