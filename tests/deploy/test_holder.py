"""What can be seen of a holder from here: this process, one that died, a pid that another has now, another machine."""

import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from watchbill.deploy import holder
from watchbill.deploy.holder import Holder

US = holder.ourselves("op-1", "tetris 2.0.0")


def dead() -> Holder:
    """What a process of the past said of itself."""
    code = "import msgspec; from watchbill.deploy import holder; print(msgspec.json.encode(holder.ourselves('op')).decode())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    found = holder.read(said)
    assert found
    return found


@pytest.mark.parametrize(
    ("who", "state"),
    [
        (US, "alive"),
        (dead(), "dead"),
        (replace(US, process_start="1"), "dead"),  # the pid is another's now
        (replace(dead(), helm_group=os.getpgid(0)), "ending"),
        (replace(dead(), boot="another"), "unknown"),
        (replace(dead(), pid_namespace="pid:[1]"), "unknown"),
        (replace(dead(), boot=""), "unknown"),
    ],
)
def test_state(who: Holder, state: str) -> None:
    assert holder.state(who) == state


def test_a_zombie_is_dead() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        who = replace(US, pid=child.pid, process_start=holder._start(child.pid))
        assert holder.state(who) == "alive"
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert holder.state(who) == "dead"


def test_a_helm_that_nobody_reaps_is_not_at_work() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, process_group=0) as helm:
        who = replace(dead(), helm_group=helm.pid)
        assert holder.state(who) == "ending"
        helm.kill()
        os.waitid(os.P_PID, helm.pid, os.WEXITED | os.WNOWAIT)
        assert holder.state(who) == "dead"


def test_it_is_told_as_people_need_it() -> None:
    assert str(US) == (
        f"{US.user}@{US.host}, process {os.getpid()}: tetris 2.0.0, operation op-1, since {US.since}"
    )


@pytest.mark.parametrize("text", ["", "no", "{}", '{"identity": 3}'])
def test_what_is_nothing_of_ours_is_nobody(text: str) -> None:
    assert holder.read(text) is None
