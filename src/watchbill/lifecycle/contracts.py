"""What Jobs are declared to do, and whether they do it: pure judging of what was played.

A contract is said in annotations of the Job, or by its name (see Lab). Without one nothing is judged here: when a
Job has to run, and whether it minds company, nobody else can know.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from msgspec import Struct

from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.lab import Contract, Lab
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.play import Played, is_job
from watchbill.lifecycle.properties import REMOVES, Cause, Offence, Property, may_overlap
from watchbill.lifecycle.world import Live, Manifest, Rendered, World

RUNS, OVERLAP = "watchbill.dev/runs", "watchbill.dev/overlap"
ONCE, EACH_VERSION, EACH_UPGRADE, ON_CHANGE = "once", "each-version", "each-upgrade", "on-change"
NEVER, LOCKED = "never", "locked"
WORDS = {RUNS: (ONCE, EACH_VERSION, EACH_UPGRADE, ON_CHANGE), OVERLAP: (NEVER, LOCKED)}

AGAIN, WITHOUT_NEED, NOT_RUN = "runs again", "runs though nothing changed", "does not run"
IN_TWOS, EVICTED, ABREAST = "deleted while it ran and created again", "podReplacementPolicy", "parallelism"
UPGRADES = ("upgrade", "apply")
BRINGS = ("install", *UPGRADES)


def contract_of(body: Body, contracts: tuple[Contract, ...]) -> Contract:
    """What the Job says itself, and what is said of it by name, which has the last word."""
    runs, overlap = (
        word if (word := str(body.annotations.get(name, ""))) in WORDS[name] else ""
        for name in (RUNS, OVERLAP)
    )
    for known in contracts:
        if fnmatchcase(body.name, known.job):
            runs, overlap = known.runs or runs, known.overlap or overlap
    return Contract(body.name, runs, overlap)


def judge(plays: Sequence[Played], lab: Lab) -> Iterator[Offence]:
    """The last of these plays, in the light of those before it."""
    last = plays[-1]
    if not last.move.of_tool or last.move.release:
        return
    before = plays[-2].world if len(plays) > 1 else World()
    bound = _bound(_rendered(last, lab, before), lab.contracts)
    if not bound:
        return
    life = _Life(plays, lab)
    for place, (body, contract) in bound.items():
        if contract.runs:
            yield from _runs(life, place, body, contract.runs)
        if contract.overlap == NEVER:
            yield from _overlaps(life, place)


@lru_cache(1 << 10)
def _bound(rendered: Rendered, contracts: tuple[Contract, ...]) -> dict["_Place", tuple[Body, Contract]]:
    """Jobs of which something is said."""
    return {
        place: (manifest.body, contract)
        for place, manifest in _places(rendered).items()
        if (contract := contract_of(manifest.body, contracts)) != Contract(manifest.key.name)
    }


class _Creation(Struct, frozen=True):
    play: int
    step: int  # from 1
    key: Key


class _Life:
    """A release since it was installed: what was played, and where each of its Jobs was created.

    A Job that has another name in each version is the same one if it comes from the same place of the same template.
    """

    def __init__(self, plays: Sequence[Played], lab: Lab) -> None:
        self.lab = lab
        ended = [place for place, one in enumerate(plays[:-1]) if one.move.verb in REMOVES and one.ok]
        self.plays = plays[ended[-1] + 1 :] if ended else plays
        self.last = self.plays[-1]
        self._before = plays[ended[-1]].world if ended else World()
        self._places = [_places(_rendered(one, lab, self.before(at))) for at, one in enumerate(self.plays)]

    def before(self, play: int) -> World:
        return self.plays[play - 1].world if play else self._before

    def creations(self, place: "_Place") -> list[_Creation]:
        found = []
        for play, (played, places) in enumerate(zip(self.plays, self._places, strict=True)):
            keys = {places[place].key} if place in places else set()
            found += [
                _Creation(play, number, step.key)
                for number, step in enumerate(played.steps, 1)
                if step.created and step.key in keys
            ]
        return found

    def template(self, play: int, place: "_Place") -> object:
        """Of the Job in the version of this play."""
        manifest = self._places[play].get(place)
        return at(manifest.body.object, "spec", "template") if manifest is not None else None

    def failed(self, creation: _Creation) -> bool:
        """How a Job ended, or will: one that is gone by itself ended as it was fated to."""
        played = self.plays[creation.play]
        for later in played.steps[creation.step :]:
            if later.key == creation.key and later.deleted is not None:
                return not _succeeded(later.deleted)
        live = played.world.objects.get(creation.key)
        if live is None:
            fates = self.before(creation.play).fates
            return fate_of(creation.key.kind, creation.key.name, fates) == "fail"
        return not _succeeded(live)

    @property
    def deployed(self) -> int | None:
        """The play that brought what is deployed before the last one; None where that cannot be told."""
        for play in range(len(self.plays) - 2, -1, -1):
            played = self.plays[play]
            if played.move.verb == "rollback":
                return None  # to which version is written in the history only
            if played.move.verb in BRINGS and played.ok:
                return play
        return None


_Place = tuple[str, int]


def _rendered(played: Played, lab: Lab, before: World) -> Rendered:
    """What the tool had before it."""
    if played.release is not None:
        return played.release.rendered
    if played.move.verb != "apply":
        return Rendered()
    return lab.versions.render(played.move.version, lab.named(""), upgrade=False, revision=1, world=before)


def _places(rendered: Rendered) -> dict[_Place, Manifest]:
    """Jobs by template and number in it; manifests of one version have another file's name than those of the next."""
    found: dict[_Place, Manifest] = {}
    for manifest in rendered.everything():
        if is_job(manifest.key):
            path = manifest.path if "/" in manifest.path else manifest.key.name
            found[path, sum(known[0] == path for known in found)] = manifest
    return found


def _succeeded(live: Live) -> bool:
    return live.run is not None and live.run.phase == "succeeded"


def _runs(life: _Life, place: _Place, body: Body, runs: str) -> Iterator[Offence]:
    last = len(life.plays) - 1
    creations = life.creations(place)
    now = [one for one in creations if one.play == last]
    before = [one for one in creations if one.play < last]
    earlier = [one for one in before if not life.failed(one)]
    if runs == ONCE:
        if now and (earlier or len(now) > 1):
            yield _broken(now[-1], runs, AGAIN)
        return
    deployed = life.deployed
    if life.last.move.verb not in UPGRADES or not life.last.ok or deployed is None:
        return
    # What was tried in vain since then counts too: a Job that has done its work need not do it again.
    since = [one for one in earlier if one.play > deployed]
    news = _is_news(life, place, deployed, runs)
    if news and not now and not since:
        key = Key("batch", "Job", str(body.metadata.get("namespace", "")), body.name)
        yield Offence(Property.KEEPS_ITS_WORD, Cause(key, f"{runs}: {NOT_RUN}"))
    if not news and now and (earlier or not before):  # one that has only failed so far may try again
        yield _broken(now[0], runs, WITHOUT_NEED)


def _is_news(life: _Life, place: _Place, deployed: int, runs: str) -> bool:
    """Whether this upgrade is one at which it has to run."""
    if runs == EACH_UPGRADE:
        return True
    if runs == EACH_VERSION:
        return life.last.move.version != life.plays[deployed].move.version
    return life.template(len(life.plays) - 1, place) != life.template(deployed, place)


def _broken(creation: _Creation, runs: str, how: str) -> Offence:
    return Offence(Property.KEEPS_ITS_WORD, Cause(creation.key, f"{runs}: {how}"), creation.step)


def _overlaps(life: _Life, place: _Place) -> Iterator[Offence]:
    played = life.last
    for one in life.creations(place):
        if one.play != len(life.plays) - 1:
            continue
        step = played.steps[one.step - 1]
        body = step.world.objects[one.key].body
        if at(body.object, "spec", "parallelism") not in (None, 1):
            yield Offence(Property.ALONE_AS_SAID, Cause(one.key, ABREAST), one.step)
        elif may_overlap(body):
            yield Offence(Property.ALONE_AS_SAID, Cause(one.key, EVICTED), one.step)
        if any(_was_running(life, earlier, one) for earlier in life.creations(place)):
            yield Offence(Property.ALONE_AS_SAID, Cause(one.key, IN_TWOS), one.step)


def _was_running(life: _Life, earlier: _Creation, now: _Creation) -> bool:
    """Whether the one made before had not ended when this one was made: still there, or deleted while it ran."""
    if (earlier.play, earlier.step) >= (now.play, now.step):
        return False
    steps = life.last.steps[: now.step - 1]
    deleted = next((step.deleted for step in steps if step.key == earlier.key and step.deleted), None)
    live = deleted or (steps[-1].world if steps else life.before(now.play)).objects.get(earlier.key)
    return live is not None and live.run is not None and live.run.phase == "running"
