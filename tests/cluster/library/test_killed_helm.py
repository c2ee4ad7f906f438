"""Helm is killed at random moments: what the library's README says to do then brings the release to its end.

Each version of the schema is applied once, whatever was killed. WATCHBILL_SEED repeats the moments of another run.
"""

import os
import random
import re
import shlex
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import pytest

from tests.support.membership import HOOKS, LIBRARY, PLAIN, Form, Release, is_hook

pytestmark = [pytest.mark.cluster, pytest.mark.long]

SEED = int(os.environ.get("WATCHBILL_SEED") or random.SystemRandom().randrange(10**6))
Verb = Literal["install", "upgrade"]
FORMS: dict[Verb, tuple[Form, ...]] = {
    "upgrade": ("hook", "plain", "hook", "plain", "bundled"),  # ten with both generations of Helm
    "install": ("hook", "plain"),
}
# They wait more than they work.
AT_ONCE = 3


@dataclass(frozen=True)
class Kill:
    verb: Verb
    form: Form
    # When, in parts of the time that it takes if nobody kills it.
    moment: float

    def __str__(self) -> str:
        return f"{self.verb} ({self.form}), killed after {self.moment:.2f} of its time"


def kills(verb: Verb, chance: random.Random) -> Iterator[Kill]:
    """Somewhere in each of as many stretches: random, and all along the way."""
    forms = FORMS[verb]
    for number, form in enumerate(chance.sample(forms, len(forms))):
        yield Kill(verb, form, (number + chance.random()) / len(forms))


@pytest.mark.parametrize("verb", FORMS)
def test_after_a_kill_the_documented_way_out_ends_with_each_migration_applied_once(
    fleet: Callable[[str, Form], Release], helm: str, verb: Verb
) -> None:
    planned = list(kills(verb, random.Random(f"{SEED} {helm} {verb}")))

    def play(number: int) -> str:
        kill = planned[number]
        release = fleet(f"k{number}", kill.form)
        if verb == "upgrade":
            usual = duration(lambda: release.install(1, "--wait"))
            if kill.form == "bundled":
                # The install made a database as well, which takes longer than all the rest.
                usual = duration(lambda: release.upgrade(1, "--wait"))
        else:
            usual = duration(lambda: fleet(f"m{number}", kill.form).install(2, "--wait"))
        return f"{kill}: {outcome(release, kill, usual * kill.moment)}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(play, range(len(planned))))

    print(f"WATCHBILL_SEED={SEED}", *told, sep="\n")
    assert [line for line in told if not line.endswith(WELL)] == []


WELL = "all is well"


def outcome(release: Release, kill: Kill, seconds: float) -> str:
    """What was met after the kill, and what came of the way out."""
    helm = release.begin(kill.verb, 2, "--wait")
    time.sleep(seconds)
    helm.send_signal(signal.SIGKILL)
    helm.communicate(timeout=30)
    met = (release.history() or ["not found"])[-1]

    for command in ways_out()[met]:
        follow(release, command)

    release.completed()
    release.wait_for_application(2)
    hooks = {f"job.batch/{run['metadata']['name']}" for run in release.runs() if is_hook(run)}
    expected = ("deployed", ["1", "2"], 1, hooks)
    found = (release.history()[-1], release.database.history(), len(release.runs()), release.strays())
    return f"{met}, then {WELL if found == expected else found}"


def duration(call: Callable[[], object]) -> float:
    begun = time.monotonic()
    call()
    return time.monotonic() - begun


def ways_out() -> dict[str, list[str]]:
    """The commands of the README's section, by the status that `helm history` shows."""
    text = (LIBRARY / "README.md").read_text()
    section = text.partition("\n## When helm was killed\n")[2].partition("\n## ")[0]
    ways = re.findall(r"^\* (.+?): [^`]*\n\n  ```sh\n(.*?)  ```\n", section, re.MULTILINE | re.DOTALL)
    return {
        status: [line.strip() for line in commands.splitlines()]
        for statuses, commands in ways
        for status in re.findall(r"`(.+?)`", statuses)
    }


def follow(release: Release, command: str) -> None:
    """Run one of them as somebody would who means this release."""
    _, *words = shlex.split(command)
    given = {"RELEASE": [release.name], "CHART": release.words("upgrade", 2)[2:]}
    if "REVISION" in words:
        statuses = release.history()
        last = max(
            number for number, status in enumerate(statuses, 1) if status in ("deployed", "superseded")
        )
        given["REVISION"] = [str(last)]
    # Helm 3's rollback may stop at a Job: the README says to go on then.
    release.run(*(part for word in words for part in given.get(word, [word])), check=words[0] != "rollback")


def test_what_a_killed_hook_left_is_taken_over_by_the_plain_form(release: Release) -> None:
    """The plain form has a ServiceAccount of the same name, and Helm takes over only what is marked as its own."""
    hooked = release.like(**HOOKS)
    hooked.install(1)
    with hooked.database.locked():
        helm = hooked.begin("upgrade", 2)
        hooked.database.wait_for_the_waiting()
        helm.send_signal(signal.SIGKILL)
        helm.communicate(timeout=30)
    assert "serviceaccount/acme-membership-migrate" in hooked.strays()

    plain = release.like(**PLAIN)
    for command in ways_out()["pending-upgrade"]:
        follow(plain, command)

    plain.completed()
    plain.wait_for_application(2)
    assert plain.strays() == {"job.batch/acme-membership-migrate"}, "until its time to live is over"
    assert plain.database.history() == ["1", "2"]
