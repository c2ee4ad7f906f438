"""All that goes wrong with a chart on one ground: by exploring, on named paths, and with each change alone."""

from collections.abc import Container, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from watchbill.checking.grounds import Ground, neighbours
from watchbill.lifecycle.client import Step
from watchbill.lifecycle.explore import explore
from watchbill.lifecycle.folding import killing
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move, parse, to_the_next
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import FAILURES, Property, Violation
from watchbill.lifecycle.scenarios import START, Scenario, retrace, scenarios, stage_for, walk
from watchbill.lifecycle.server import Cluster
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import World
from watchbill.rules.policies import BEFORE, policies
from watchbill.rules.sighting import Sighting
from watchbill.ticking import OutOfTime


def sightings(ground: Ground, depth: int, own: Sequence[Scenario] = ()) -> Iterator[Sighting]:
    """`own` are scenarios of the user's. Changes come first, but are played last: until then they are rendered."""
    changes, life = list[Sighting](), list[Sighting]()
    late = None
    try:
        for part in (_named(ground, own), _explored(ground, depth), _killed(ground), _neighbours(ground)):
            life.extend(part)
        changes.extend(_changes(ground))
    except OutOfTime as reached:
        late = reached
    yield from changes
    yield from life
    if late is not None:
        raise late


def _explored(ground: Ground, depth: int) -> Iterator[Sighting]:
    labs = {id(lab): lab for lab in (ground.life, *([ground.alone] if ground.checked else []))}
    for lab in labs.values():
        changes = ground.changes if lab is ground.life else ()
        for violation in explore(lab, depth, kills=partial(_orphans, _lasting(lab))).violations:
            if _is_about(violation, ground, lab):
                yield Sighting(violation, lab, changes=changes)


def _killed(ground: Ground) -> Iterator[Sighting]:
    """What an upgrade that died in a hook left shows only after the rollback that its release is in need of: farther
    away than the explorer walks."""
    lab = ground.life
    lasting = _lasting(lab) if ground.tool.name == "helm" else set()
    if not lasting:
        return
    stage, newest = stage_for(lab), len(lab.versions) - 1
    install, rollback = parse("install", "helm"), parse("rollback", "helm")
    upgrades = [replace(parse("upgrade", "helm"), version=version) for version in range(newest + 1)]
    for upgrade in upgrades:
        plays, _ = retrace(stage, (install, upgrade))
        # What fails of itself needs nobody to kill it.
        for writes, step in enumerate(plays[-1].steps[:-1] if plays[-1].ok else (), start=1):
            if not _orphans(lasting, step):
                continue
            killed = replace(upgrade, dies_after=writes, text=killing(upgrade, writes))
            walked, violations = retrace(stage, (install, killed, rollback, upgrades[newest]))
            for violation in violations:
                if _is_about(violation, ground, lab):
                    yield Sighting(violation, lab, changes=ground.changes, walked=walked)


def _lasting(lab: Lab) -> set[Key]:
    """A client that dies leaves its release pending whatever the chart is. What it may leave for good, and a chart
    can change, are hooks that nothing deletes before they are created again."""
    return {
        manifest.key
        for version in range(len(lab.versions))
        for hook in lab.versions.render(
            version, lab.named(""), upgrade=bool(version), revision=1 + version, world=World()
        ).hooks
        if BEFORE not in policies(hook)
        for manifest in hook.objects
    }


def _orphans(lasting: Container[Key | None], step: Step) -> bool:
    return step.created and step.key in lasting


def _named(ground: Ground, own: Sequence[Scenario]) -> Iterator[Sighting]:
    chosen = list(scenarios(ground.tool, own))
    for lab in (ground.alone, ground.life) if ground.checked else (ground.life,):
        stage = stage_for(lab)
        for scenario in chosen:
            # Where there is a version before, paths that stay with it say nothing of the one that is checked.
            if scenario.upgrades if lab is not ground.life else ground.checked and not scenario.upgrades:
                continue
            if scenario.upgrades and len(lab.versions) < 2:
                continue
            walked = walk(stage, scenario)
            for violation in walked.violations:
                if _is_about(violation, ground, lab) and _is_due_to_its_name(violation, stage):
                    changes = ground.changes if lab is ground.life else ()
                    yield Sighting(violation, lab, scenario.name, changes, walked.plays)


def _is_due_to_its_name(violation: Violation, stage: Stage) -> bool:
    """Under another name than its own a release shows again whatever it shows: only what fails because of it counts."""
    if not (other := violation.trace[-1].release):
        return True
    if violation.property not in FAILURES:
        return False
    words = f"release {other} "
    own = [replace(move, release="", text=move.text.replace(words, "", 1)) for move in violation.trace]
    plays, _ = retrace(stage, own)
    return plays[-1].ok


def _neighbours(ground: Ground) -> Iterator[Sighting]:
    """What a second release of the chart does to the first.

    Manifests are of one release: nobody knows what another one's would be.
    """
    if ground.chart is None or ground.tool.name != "helm":
        return
    lab = ground.alone
    first, own = parse("install", "helm"), _hook_objects(lab, "")
    for release in neighbours(lab.named("")) if own else ():
        other = lab.records(release)
        if own.isdisjoint(_hook_objects(lab, other)):
            continue
        _, violations = retrace(stage_for(lab), (first, parse(f"release {other} install", "helm")))
        for violation in violations:
            if violation.property is Property.NEIGHBOURS:
                yield Sighting(violation, lab)


def _hook_objects(lab: Lab, release: str) -> set[Key]:
    rendered = lab.versions.render(0, lab.named(release), upgrade=False, revision=1, world=World())
    return {manifest.key for hook in rendered.hooks for manifest in hook.objects}


def _changes(ground: Ground) -> Iterator[Sighting]:
    """Which changes break an upgrade: each alone, so that it can be told."""
    install, upgrade = to_the_next(ground.tool.name)
    installed = dict[Cluster, Played]()  # the same in all trials that assume the same of the cluster
    for places in ground.alike:
        alike = [ground.trials[place] for place in places]
        for change in alike:
            stage = stage_for(change.lab)
            if (known := installed.get(change.lab.cluster)) is not None:
                stage.remember(START, known)
            plays, violations = retrace(stage, (install, upgrade))
            installed[change.lab.cluster] = plays[0]
            if not plays[-1].ok and not is_sound(stage, install, upgrade):
                continue
            kinds = tuple(dict.fromkeys(other.kind for other in alike))
            for violation in violations:
                if violation.trace[-1] is upgrade:
                    yield Sighting(violation, change.lab, changes=(change.kind,), alike=kinds, walked=plays)
            break


def is_sound(stage: Stage, install: Move, upgrade: Move) -> bool:
    """Whether the next version works by itself: a value that was made up may be none that anybody could give, a request
    above its limit, a port beyond the last. `upgrade` goes to that version; it is there already."""
    plays, _ = retrace(stage, (replace(install, version=upgrade.version), upgrade))
    return all(played.ok for played in plays)


def _is_about(violation: Violation, ground: Ground, lab: Lab) -> bool:
    """What befalls only the version before is nothing that the checked one could change."""
    if lab is not ground.life or not ground.checked:
        return True
    last = violation.trace[-1]
    if last.verb in ("install", "upgrade", "apply"):
        return last.version >= ground.checked
    return any(move.version >= ground.checked for move in violation.trace if move.of_tool)
