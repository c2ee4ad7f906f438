"""From sightings to findings: rules claim them, one root cause is one finding, and only what can be mended counts."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.charts.render import Resource
from watchbill.checking import evidence
from watchbill.checking.doubt import doubted
from watchbill.checking.grounds import Ground
from watchbill.checking.locating import Locator
from watchbill.checking.mending import can_be_mended, can_be_unsaid
from watchbill.checking.result import LEVELS, Checked, Fact, Finding, Level, Sibling, Which
from watchbill.checking.sightings import sightings
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.scenarios import Scenario
from watchbill.rules import wb000_unclaimed
from watchbill.rules.facts import REPLACED, fact_of, is_of_every_job
from watchbill.rules.look import Look, look
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.severity import weigh
from watchbill.rules.sha256 import sha256
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import short

LEVEL: dict[Severity, Level] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}
Cause = tuple[str, Key, str, Path]
_JOINING = frozenset(rule.id for rule in RULES if rule.joins_objects)


Avoid = Callable[["Heard", Resource], str]


class Heard(Struct, frozen=True):
    """One claim of one rule on one ground."""

    rule: Rule
    claim: Claim
    ground: Ground
    severity: Severity
    sighting: Sighting | None = None
    seen: Look | None = None  # where one look was enough

    @property
    def cause(self) -> Cause:
        return self.rule.id, self.claim.subject, self.claim.cause, self.claim.path

    @property
    def mendable(self) -> bool:
        if self.sighting is not None:
            # Without one before it the checked version is the first.
            since = 0 if self.sighting.lab is self.ground.alone else self.ground.checked
            return can_be_mended(self.claim, self.sighting, since)
        assert self.seen is not None
        return can_be_unsaid(self.rule, self.claim, self.seen, self.ground.checked)

    @property
    def is_a_failed_install(self) -> bool:
        """Of the checked version, without flags and faults: what installs in no way is to be changed, whoever knows how."""
        sighting = self.sighting
        if sighting is None or sighting.broke not in FAILURES or sighting.flags or sighting.faults:
            return False
        own = sighting.lab is self.ground.alone or not self.ground.checked
        return own and len(sighting.violation.trace) == 1

    @property
    def versions(self) -> Sequence[Which]:
        """What those are that it was seen with."""
        if self.sighting is not None and self.sighting.lab is self.ground.alone:
            return ("this",)
        return ("before", "this") if self.ground.checked else ("this", "next")

    @property
    def plainness(self) -> tuple[int, bool, bool, int, int, bool]:
        """What makes the best evidence: the worst, of the chart as it is, played rather than looked at, the shortest,
        the fewest changes."""
        sighting, repaired = self.sighting, bool(self.ground.repaired)
        if sighting is None:
            return -self.severity, repaired, True, 0, 0, False
        changes = sighting.needed_changes
        return (
            -self.severity,
            repaired,
            False,
            len(sighting.violation.trace),
            len(changes),
            "image" not in changes,
        )


def listen(
    ground: Ground, depth: int, in_use: frozenset[str], own: Sequence[Scenario]
) -> Iterator[Heard | Fact]:
    """Everything that rules say of one ground, and the facts."""
    for sighting in sightings(ground, depth, own):
        yield hear(ground, sighting, in_use)
    named = ground.renderings[0].context.kube_version.replace(catalog.VERSION, "")
    seen = look(ground.life, ground.checked, ground.dropped, ground.volatile, named)
    for rule in RULES:
        if rule.inspect is not None:
            for claim in rule.inspect(seen):
                yield Heard(rule, claim, ground, weigh(claim, None, in_use), seen=seen)


def listen_after_repair(
    repaired: Ground, depth: int, in_use: frozenset[str], own: Sequence[Scenario], known: Collection[Cause]
) -> Iterator[Heard]:
    """What rules say of later operations, once the objects are repaired that keep a chart from being installed."""
    for sighting in sightings(repaired, depth, own):
        if _is_refused_like_repaired(sighting, repaired):
            continue
        heard = hear(repaired, sighting, in_use)
        if (
            isinstance(heard, Heard)
            and heard.cause not in known
            and heard.claim.subject not in repaired.repaired
        ):
            yield heard


def _is_refused_like_repaired(sighting: Sighting, ground: Ground) -> bool:
    """Whether an operation fails at an object that a repaired one's template makes under another name."""
    key = sighting.key
    if sighting.broke not in FAILURES or key is None:
        return False
    known = [one for rendering in ground.renderings for one in rendering.resources]
    if any((one.kind, one.name) == (key.kind, key.name) for one in known):
        return False
    names = {(key.kind, key.name) for key in ground.repaired}
    templates = {(one.origin.template, one.kind) for one in known if (one.kind, one.name) in names}
    made = (*sighting.rendered.everything(), *sighting.recorded.everything())
    return any(one.key == key and (one.path, key.kind) in templates for one in made)


def hear(ground: Ground, sighting: Sighting, in_use: frozenset[str]) -> Heard | Fact:
    """What rules say of one sighting."""
    tool = str(ground.tool)
    if is_of_every_job(sighting):
        return Fact(REPLACED, (tool,))
    if (said := claimed(sighting)) is not None:
        rule, claim = said
        severity = weigh(claim, sighting, in_use)
        if ground.chart is None and (doubtful := doubted(claim, sighting)) is not None:
            claim, severity = doubtful, min(severity, Severity.WARNING)
        return Heard(rule, claim, ground, severity, sighting)
    if (fact := fact_of(sighting)) is not None:
        return Fact(fact, (tool,))
    claim = wb000_unclaimed.claim(sighting)
    return Heard(wb000_unclaimed.RULE, claim, ground, weigh(claim, sighting, in_use), sighting)


def claimed(sighting: Sighting) -> tuple[Rule, Claim] | None:
    """By the first rule that knows it."""
    killed = "kill" in sighting.faults
    for rule in RULES:
        if rule.claim is None or (killed and not rule.after_kills):
            continue
        if (claim := rule.claim(sighting)) is not None:
            return rule, claim
    return None


def settle(heard: Sequence[Heard]) -> tuple[list[list[Heard]], list[Fact]]:
    """One group a root cause, the best evidence first; what cannot be mended is a fact."""
    groups: dict[Cause, list[Heard]] = {}
    for one in heard:
        groups.setdefault(one.cause, []).append(one)
    kept, facts = [], []
    for group in _uncovered(groups):
        group.sort(key=lambda one: one.plainness)
        if (
            first := next((one for one in group if one.mendable or one.is_a_failed_install), None)
        ) is not None:
            kept.append([first, *(one for one in group if one is not first)])
        else:
            tools = dict.fromkeys(str(one.ground.tool) for one in group)
            facts.append(Fact(group[0].claim.title, tuple(tools)))
    return kept, facts


def _uncovered(groups: dict[Cause, list[Heard]]) -> Iterator[list[Heard]]:
    """Where one rule names the cause, what others say of the same object is no other finding."""
    covered = {
        (rule, subject): group
        for (_, subject, _, _), group in groups.items()
        for rule in group[0].rule.covers
    }
    for (rule, subject, _, _), group in groups.items():
        cause = covered.get((rule, subject))
        if cause is None:
            yield group
        else:
            cause += group


def write(
    engine: Engine,
    groups: Sequence[Sequence[Heard]],
    path: str,
    text: str,
    *,
    profiles: frozenset[str],
    avoid: Avoid,
) -> list[Finding]:
    """With lines, traces and lists, the worst first. `path` is the chart as the user named it, `profiles` are all that
    it was checked with."""
    found: dict[object, Finding] = {}
    for group in groups:
        locator = Locator(engine, group[0].ground, path, text, _template_of(group[0]))
        finding = _finding(group, locator, profiles, path)
        resource = locator.resource(group[0].claim.subject)
        if finding.dependency and resource is not None:
            finding = replace(finding, override=avoid(group[0], resource))
        spot = _spot(finding, _template(group[0].ground, resource))
        found[spot] = _joined(found[spot], finding) if spot in found else finding
    return sorted(_join_profiles(found.values(), profiles), key=_order)


def _join_profiles(found: Iterable[Finding], profiles: frozenset[str]) -> Iterable[Finding]:
    """Join the findings of one document that differ only because its names or texts depend on the values."""
    joined: dict[object, Finding] = {}
    for finding in found:
        place = finding.location
        spot: object = (finding.fingerprint, place.file if place else finding.objects)
        known = joined.get(spot)
        if known is None:
            joined[spot] = finding
        elif known.profiles and finding.profiles:
            joined[spot] = _joined(known, finding)
        else:
            joined[spot, finding.objects] = finding
    everywhere = {name or "values.yaml" for name in profiles}
    return [
        replace(finding, profiles=()) if everywhere <= set(finding.profiles) else finding
        for finding in joined.values()
    ]


def join_siblings(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Join the findings of rules whose objects share a cause, so that each cause and its fix are reported once."""
    groups: dict[object, list[Finding]] = {}
    for place, finding in enumerate(found):
        # Objects whose names contain the release's have different levels only because their suffixes differ in length.
        level = "" if finding.release_name_length else finding.level
        cause: object = (finding.rule, finding.fix, finding.dependency, level)
        groups.setdefault(cause if finding.rule in _JOINING else place, []).append(finding)
    return tuple(map(_lead, groups.values()))


def _lead(group: Sequence[Finding]) -> Finding:
    """The worst finding of a group, with the others as its siblings."""
    first, *others = sorted(group, key=lambda one: (LEVELS.index(one.level), one.release_name_length))
    for other in others:
        first = _joined(first, other)
    siblings = tuple(Sibling(other.title, other.fingerprint, other.location) for other in others)
    return replace(first, siblings=siblings)


def _template_of(one: Heard) -> Callable[[Key], str]:
    """Of objects in whatever version was played: what is named by its version has another name in the checked one."""
    sighting = one.sighting
    if sighting is None:
        return lambda _: ""
    versions = (sighting.rendered, sighting.recorded)
    return lambda key: next(
        (made.path for version in versions for made in version.everything() if made.key == key), ""
    )


def shared(charts: Sequence[Checked]) -> list[Finding]:
    """Of all charts: what a library does to many of them is one finding."""
    found: dict[object, Finding] = {}
    for checked in charts:
        for finding in checked.findings:
            spot = _library_spot(finding, checked.path) or (
                checked.path,
                finding.fingerprint,
                finding.objects,
            )
            found[spot] = _joined(found[spot], finding) if spot in found else finding
    return sorted(found.values(), key=_order)


def _library_spot(finding: Finding, chart: str) -> object:
    """Where in a dependency it comes from, without the chart that the dependency is in."""
    place = finding.location
    if place is None:
        return None
    deepest = place.through[-1] if place.through else f"{place.file}:{place.line}"
    root = f"{chart.rstrip('/')}/"
    inside = deepest.removeprefix(root)
    elsewhere = bool(finding.dependency or place.through) and not deepest.startswith(root)
    return (finding.rule, finding.because, inside) if elsewhere or inside.startswith("charts/") else None


def _finding(group: Sequence[Heard], locator: Locator, profiles: frozenset[str], path: str) -> Finding:
    best = group[0]
    claim, sighting = best.claim, best.sighting
    main, *related = locator.locate([Pointer(claim.subject, claim.path), *claim.related])
    resource = locator.resource(claim.subject)
    shown = None
    if sighting is not None:
        shown = evidence.trace(sighting, claim, best.versions, best.ground.repaired)
    return Finding(
        rule=best.rule.id,
        name=best.rule.name,
        level=LEVEL[best.severity],
        confidence=claim.confidence,
        title=claim.title,
        fingerprint=_fingerprint(best, resource, locator),
        objects=(short(claim.subject),),
        because=claim.because,
        location=main or locator.whereabouts(claim.subject),
        related=tuple(place for place in related if place is not None and place != main),
        dependency=_dependency(best.ground, resource.origin.subchart if resource else ""),
        tools=_each(str(one.ground.tool) for one in group),
        scenarios=_each(one.sighting.scenario for one in group if one.sighting and one.sighting.scenario),
        changes=_changes(group),
        charts=(path,),
        profiles=_profiles(group, profiles),
        release_name_length=claim.release_name_length,
        trace=shown,
        error=shown.rows[-1].error if shown else "",
        fix=claim.fix,
    )


def _each(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _changes(group: Sequence[Heard]) -> tuple[str, ...]:
    """Which changes of the next version alone are enough."""
    made = (
        one.sighting
        for one in group
        if one.sighting and one.sighting.changes_version and len(one.sighting.changes) == 1
    )
    return _each(change for sighting in made for change in (*sighting.changes, *sighting.alike))


def _profiles(group: Sequence[Heard], all_of_them: frozenset[str]) -> tuple[str, ...]:
    """None in particular where it shows with all of them."""
    shown = _each(one.ground.profile for one in group)
    return () if all_of_them <= frozenset(shown) else tuple(name or "values.yaml" for name in shown)


def _dependency(ground: Ground, subchart: str) -> str:
    if not subchart or ground.chart is None:
        return subchart
    top = subchart.partition("/")[0]
    version = next((d.version for d in ground.chart.dependencies if top in (d.alias, d.name)), "")
    return f"{subchart} {version}".rstrip()


def _fingerprint(best: Heard, resource: Resource | None, locator: Locator) -> str:
    """No line, no version, no name of a release: a baseline survives edits."""
    place = (resource.origin.template.partition("/")[2], *locator.rank(resource)) if resource else ()
    field = ".".join(map(str, best.claim.path))
    words = (best.rule.id, *place, best.claim.cause, field)
    return sha256("\0".join(map(str, words)).encode()).hexdigest()[:16]


def _template(ground: Ground, resource: Resource | None) -> str:
    """What rendered manifests say of an object, `# Source: c/templates/jobs.yaml`, and its kind; nothing where lines tell."""
    if resource is None or ground.chart is not None or "/templates/" not in resource.origin.template:
        return ""
    return f"{resource.origin.template} {resource.kind}"


def _spot(finding: Finding, template: str) -> object:
    """Objects that one piece of template makes are one cause: a define, a range."""
    place = finding.location
    if place is None:
        return finding.fingerprint, finding.objects
    if template:
        return finding.rule, finding.because, template
    return finding.rule, finding.because, place.through[-1] if place.through else (place.file, place.line)


def _joined(one: Finding, other: Finding) -> Finding:
    worst = min(one, other, key=lambda finding: LEVELS.index(finding.level))
    return replace(
        worst,
        objects=_each(iter((*one.objects, *other.objects))),
        tools=_each(iter((*one.tools, *other.tools))),
        scenarios=_each(iter((*one.scenarios, *other.scenarios))),
        changes=_each(iter((*one.changes, *other.changes))),
        charts=_each(iter((*one.charts, *other.charts))),
        profiles=_each(iter((*one.profiles, *other.profiles))) if one.profiles and other.profiles else (),
    )


def _order(finding: Finding) -> tuple[int, str, int, str, tuple[str, ...]]:
    place = finding.location
    return (
        LEVELS.index(finding.level),
        place.file if place else "",
        place.line if place else 0,
        finding.rule,
        finding.objects,
    )
