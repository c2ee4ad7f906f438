"""Named paths through the life of a release: what happens to every chart sooner or later.

The explorer walks everywhere, but not far, and never with special flags; these are the paths people name.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle import contracts
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION, fate_of
from watchbill.lifecycle.flags import HELM, HELM3, HELM4
from watchbill.lifecycle.helm.traits import Span
from watchbill.lifecycle.judges import judge
from watchbill.lifecycle.lab import Lab, Tool
from watchbill.lifecycle.moves import KUBECTL_VERBS, Move, parse
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import CLEAN, Offence, Past, Scene, Violation, failed
from watchbill.lifecycle.sketch import sketch
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import World

THIS, NEXT = 0, 1
ANY_JOB = "*"
UNTIL_EXPIRED = "wait TTL"  # until the last finished Job that has a TTL is gone
LONGEST_NAME = "a" * 53
BRINGS = ("install", "upgrade", "apply")  # the version that is asked for
MEETS = ("rollback", "uninstall", "delete", "test")  # the version that is there
LIFE = ("install", "upgrade", "rollback", "uninstall")
ORDINARY = frozenset({"--install"})  # pipelines never leave it out
START = World()


class Act(Struct, frozen=True):
    """One move before it is known which versions there are, and which Job it is about."""

    text: str  # in the words of `rehearse`
    version: int = THIS


class Scenario(Struct, frozen=True):
    name: str
    tool: str
    acts: tuple[Act, ...]
    change: str = ""  # it is about a next version in which this differs: chart version, image, value
    versions: Span = HELM  # of the tool, which spell it so

    @property
    def upgrades(self) -> bool:
        """Whether it needs a next version."""
        return any(act.version == NEXT for act in self.acts)

    @property
    def flags(self) -> frozenset[str]:
        """Flags that it is about: who never uses them never comes here."""
        given = (parse(act.text, self.tool).given for act in self.acts if act.text != UNTIL_EXPIRED)
        return frozenset(name for names in given for name in names) - ORDINARY

    @property
    def faults(self) -> frozenset[str]:
        """What goes wrong in it: fail, hang, kill."""
        return frozenset(act.text.split()[0] for act in self.acts) & {"fail", "hang", "late", "kill"}

    @property
    def waits(self) -> bool:
        """Whether it needs a Job that is deleted some time after it finished."""
        return any(act.text == UNTIL_EXPIRED for act in self.acts)


class Walked(Struct, frozen=True):
    scenario: Scenario
    plays: tuple[Played, ...] = ()  # none: nothing here has what it is about
    violations: tuple[Violation, ...] = ()

    def before(self, play: int) -> World:
        return self.plays[play - 1].world if play else START


def _helm(name: str, *acts: str, change: str = "", versions: Span = HELM) -> Scenario:
    return Scenario(name, "helm", tuple(map(_act, acts)), change, versions)


def _kubectl(name: str, *acts: str, change: str = "") -> Scenario:
    return Scenario(name, "kubectl", tuple(map(_act, acts)), change)


def _act(text: str) -> Act:
    """`upgrade, next`: to the next version; without it, this one again."""
    words, comma, _ = text.partition(", next")
    return Act(words, NEXT if comma else THIS)


# Equal names mean the same thing done with another tool. Where nothing is said of a TTL, it has not elapsed.
HELM_SCENARIOS = (
    _helm("first install", "install"),
    _helm("install with a hanging hook", "hang *", "install"),
    _helm("install --wait", "install --wait"),
    _helm("install --wait --wait-for-jobs", "install --wait --wait-for-jobs"),
    _helm("install --wait --wait-for-jobs while a Job fails", "fail *", "install --wait --wait-for-jobs"),
    _helm("install --wait --wait-for-jobs while a Job hangs", "hang *", "install --wait --wait-for-jobs"),
    # All that Helm does with names; hooks are made by the operation they belong to.
    _helm("longest release name", *(f"release {LONGEST_NAME} {verb}" for verb in LIFE)),
    _helm("retry of a failed install", "fail *", "install", "succeed *", "upgrade --install"),
    _helm("uninstall after a failed install", "fail *", "install", "succeed *", "uninstall", "install"),
    _helm("no-op upgrade", "install", "upgrade"),
    _helm("version upgrade", "install", "upgrade, next", change="chart version"),
    _helm("image upgrade", "install", "upgrade, next", change="image"),
    _helm("value upgrade", "install", "upgrade, next", change="value"),
    _helm("upgrade --wait --wait-for-jobs", "install", "upgrade --wait --wait-for-jobs, next"),
    _helm("forced upgrade", "install", "upgrade --force, next", versions=HELM3),
    _helm("forced upgrade", "install", "upgrade --force-replace, next", versions=HELM4),
    _helm(
        "forced upgrade client-side",
        "install",
        "upgrade --force-replace --server-side=false, next",
        versions=HELM4,
    ),
    _helm("forced no-op upgrade", "install", "upgrade --force", versions=HELM3),
    _helm("forced no-op upgrade", "install", "upgrade --force-replace --server-side=false", versions=HELM4),
    _helm("no-op upgrade after the TTL", "install", UNTIL_EXPIRED, "upgrade"),
    _helm("upgrade after the TTL", "install", UNTIL_EXPIRED, "upgrade, next"),
    _helm("upgrade while the Job still runs", "hang *", "install", "upgrade, next"),
    _helm("retry while the hook still runs", "install", "hang *", "upgrade, next", "upgrade, next"),
    _helm("retry of a failed upgrade", "install", "fail *", "upgrade, next", "succeed *", "upgrade, next"),
    _helm(
        "failed upgrade rolled back by hand",
        "install",
        "fail *",
        "upgrade, next",
        "succeed *",
        "rollback",
        "upgrade, next",
    ),
    _helm(
        "failed upgrade rolled back",
        "install",
        "fail *",
        "upgrade --atomic, next",
        "succeed *",
        "upgrade, next",
        versions=HELM3,
    ),
    _helm(
        "failed upgrade rolled back",
        "install",
        "fail *",
        "upgrade --rollback-on-failure, next",
        "succeed *",
        "upgrade, next",
        versions=HELM4,
    ),
    _helm(
        "migrated and rolled back",
        "install",
        "hang Deployment/*",
        "hang StatefulSet/*",
        "upgrade --atomic, next",
        versions=HELM3,
    ),
    _helm(
        "migrated and rolled back",
        "install",
        "hang Deployment/*",
        "hang StatefulSet/*",
        "upgrade --rollback-on-failure, next",
        versions=HELM4,
    ),
    _helm(
        "reinstall after a failed upgrade",
        "install",
        "fail *",
        "upgrade --wait --wait-for-jobs, next",
        "succeed *",
        "upgrade",
        "uninstall",
        "install, next",
    ),
    _helm("retry of a killed upgrade", "install", "kill 1 upgrade, next", "upgrade, next"),
    _helm("rollback", "install", "upgrade, next", "rollback"),
    _helm("upgrade after a rollback", "install", "upgrade, next", "rollback", "upgrade, next"),
    _helm("rollback twice", "install", "upgrade", "rollback", "rollback"),
    _helm("retry of a failed rollback", "install", "upgrade", "fail *", "rollback", "succeed *", "rollback"),
    _helm("uninstall after a rollback", "install", "upgrade", "rollback", "uninstall"),
    _helm("uninstall", "install", "uninstall"),
    _helm("reinstall", "install", "uninstall", "install"),
    _helm("reinstall after upgrades", "install", "upgrade", "upgrade, next", "uninstall", "install"),
    _helm("test", "install", "test"),
    _helm("test twice", "install", "test", "test"),
)

KUBECTL_SCENARIOS = (
    _kubectl("first install", "apply"),
    _kubectl("no-op upgrade", "apply", "apply"),
    _kubectl("version upgrade", "apply", "apply, next", change="chart version"),
    _kubectl("image upgrade", "apply", "apply, next", change="image"),
    _kubectl("value upgrade", "apply", "apply, next", change="value"),
    _kubectl("forced upgrade", "apply", "apply --force, next"),
    _kubectl("no-op upgrade after the TTL", "apply", UNTIL_EXPIRED, "apply"),
    _kubectl("upgrade after the TTL", "apply", UNTIL_EXPIRED, "apply, next"),
    _kubectl("upgrade while the Job still runs", "hang *", "apply", "apply, next"),
    _kubectl("retry of a failed install", "fail *", "apply", "succeed *", "apply"),
    _kubectl("retry of a failed upgrade", "apply", "fail *", "apply, next", "succeed *", "apply, next"),
    _kubectl("uninstall", "apply", "delete"),
    _kubectl("reinstall", "apply", "delete", "apply"),
)


def scenarios(tool: Tool, own: Sequence[Scenario] = ()) -> Iterator[Scenario]:
    """Those that this version of the tool can play; `own` are the user's."""
    version = tuple(map(int, tool.version.split(".")))
    for known in (*HELM_SCENARIOS, *KUBECTL_SCENARIOS, *own):
        if known.tool == tool.name and (tool.name == "kubectl" or version in known.versions):
            yield known


def stage_for(lab: Lab) -> Stage:
    """One for all scenarios of a lab: what they begin with alike is played once."""
    return Stage(lab, lambda world: sketch(world, numbers=True, whole=True))


def walk(
    stage: Stage, scenario: Scenario, *, this: int = THIS, following: int = NEXT, job: str = ANY_JOB
) -> Walked:
    """Plays it from version `this` to version `following`; what goes wrong befalls Jobs of this name."""
    path, there = _Path(stage), this
    for act in scenario.acts:
        version = following if act.version == NEXT else this
        move = _move(act, version, job, path.world, scenario.tool)
        if move is None:
            return Walked(scenario)
        if move.verb in BRINGS:
            there = move.version
        path.go(replace(move, version=there) if move.verb in MEETS else move)
    return Walked(scenario, tuple(path.plays), tuple(path.violations))


def retrace(stage: Stage, trace: Sequence[Move]) -> tuple[tuple[Played, ...], tuple[Violation, ...]]:
    """The same moves again, in a lab where they may have other consequences."""
    path = _Path(stage)
    for move in trace:
        path.go(move)
    return tuple(path.plays), tuple(path.violations)


class _Path:
    """Moves one after the other, each judged in the light of what went wrong before."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._past = CLEAN
        self.world = START
        self.plays: list[Played] = []
        self.violations: list[Violation] = []

    def go(self, move: Move) -> None:
        world, played = self.world, self._stage.play(self.world, move)
        self.plays.append(played)
        self.world = played.world
        if not move.of_tool or self._past.broken:
            return
        which = (id(played), self._past)
        judged: tuple[tuple[Offence, ...], Past] | None = self._stage.notes.get(which)
        if judged is None:
            scene = Scene(self._stage.lab, world, played, self._past, excused(world, played))
            judged = self._stage.notes[which] = (tuple(judge(scene)), _past(scene))
        trace = tuple(one.move for one in self.plays)
        offences = (*judged[0], *contracts.judge(self.plays, self._stage.lab))
        self.violations += (
            Violation(offence.property, offence.cause, offence.step, trace) for offence in offences
        )
        self._past = judged[1]


def _move(act: Act, version: int, job: str, world: World, tool: str) -> Move | None:
    """None where nothing would ever expire."""
    text = act.text
    if text == UNTIL_EXPIRED:
        timers = [live.run.expires_in for live in world.objects.values() if live.run and live.run.expires_in]
        if not timers:
            return None
        text = f"wait {max(timers)}s"
    elif text.endswith(f" {ANY_JOB}"):
        text = text.removesuffix(ANY_JOB) + job
    return replace(parse(text, tool), version=version)


def excused(world: World, played: Played) -> bool:
    """Whether it failed because of a fault: its client was killed, or what it waited for is fated not to end well."""
    if played.ok or played.killed:
        return played.killed
    if played.move.verb in KUBECTL_VERBS:
        return False  # it waits for no Job
    refused = (step := failed(played).step) and played.steps[step - 1].refused
    return bool(played.steps) and not refused and any(_doomed(key, world) for key in _met(world, played))


def _met(world: World, played: Played) -> Iterator[Key]:
    """What runs to completion and was not done before it, by name, or nobody could mean it; and workloads."""
    created = (step.key for step in played.steps if step.created)
    unfinished = (key for key, live in world.objects.items() if live.run and not live.run.finished)
    yield from (key for key in (*created, *unfinished) if key and key.kind in RUNS_TO_COMPLETION and key.name)
    yield from (key for key in played.world.objects if key.kind in WORKLOADS)


def _doomed(key: Key, world: World) -> bool:
    return fate_of(key.kind, key.name, world.fates) != "succeed"


def _past(scene: Scene) -> Past:
    """What has gone wrong by the end of the scene."""
    played, before = scene.played, scene.before
    faulted = scene.past.faulted or played.killed or any(fate != "succeed" for _, fate in before.fates)
    if played.ok:
        return Past(faulted=True) if faulted else CLEAN
    if not scene.excused:
        return replace(scene.past, broken=True)
    if played.killed:
        return Past(faulted=True, failed=played.move)
    key = failed(played).cause.key
    ended_badly = key is not None and fate_of(key.kind, key.name, before.fates) == "fail"
    return Past(faulted=True, failed=played.move, job=key if ended_badly else None)
