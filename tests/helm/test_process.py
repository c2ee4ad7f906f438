"""Lines as they come, what is kept of them, and how a helm is stopped. A script plays the helm that will not behave."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from watchbill.helm.driver import Helm
from watchbill.helm.guardian import SECONDS_TO_KILL
from watchbill.helm.requests import Done, UpgradeRequest

ASKED = UpgradeRequest(release="r", namespace="n", chart="c", values_text='{"password": "hunter2"}')


def script(folder: Path, body: str) -> str:
    file = folder / "helm"
    file.write_text(f"#!/bin/sh\n[ $1 = version ] && {{ echo v4.3.1; exit; }}\ncd {folder}\n{body}\n")
    file.chmod(0o755)
    return str(file)


def run(binary: str, *, grace: float = 5, cancel_after: float | None = None) -> tuple[Done | None, list[str]]:
    told: list[str] = []

    async def main() -> Done | None:
        async with Helm.find(binary, grace=grace) as helm:
            work = asyncio.ensure_future(helm.upgrade(ASKED, tell=told.append))
            if cancel_after is not None:
                await asyncio.sleep(cancel_after)
                work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                return await work
            return None

    return asyncio.run(main()), told


def until(path: Path, seconds: float = 10) -> str:
    end = time.monotonic() + seconds
    while not path.exists() or not path.read_text().strip():
        assert time.monotonic() < end, f"{path.name} is not there after {seconds} s"
        time.sleep(0.02)
    return path.read_text().strip()


def is_gone(pid: int) -> bool:
    """Or is a corpse that nobody has buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_lines_of_both_streams_are_told_and_kept(tmp_path: Path) -> None:
    done, told = run(script(tmp_path, "echo one; echo; echo two >&2; echo 'REVISION: 7'"))
    assert done is not None
    assert done.ok
    assert done.reason == ""
    assert done.revision == 7
    assert sorted(told) == sorted(done.lines) == ["REVISION: 7", "one", "two"]


def test_notes_and_manifests_are_nobodys_business(tmp_path: Path) -> None:
    done, told = run(
        script(tmp_path, "echo before; echo NOTES:; echo 'password: hunter2'; echo 'Error: x' >&2")
    )
    assert done is not None
    assert sorted(told) == sorted(done.lines) == ["Error: x", "before"]


def test_logins_in_addresses_are_left_out(tmp_path: Path) -> None:
    done, told = run(
        script(tmp_path, "echo 'Error: cannot fetch https://me:hunter2@charts.example/x' >&2; exit 1")
    )
    assert done is not None
    assert done.reason == "cannot fetch https://…@charts.example/x"
    assert "hunter2" not in "".join(told)


def test_a_pod_template_that_the_server_repeats_is_left_out(tmp_path: Path) -> None:
    """It holds what pods hold, and is longer than anything that is kept of a line."""
    repeated = '{"Containers":[{"Env":[{"Name":"TOKEN","Value":"hunter2"}]}],"Filler":"' + "x" * 9000 + '"}'
    (tmp_path / "said").write_text(
        f"Error: Job is invalid: spec.template: Invalid value: {repeated}: field is immutable"
    )
    done, told = run(script(tmp_path, "cat said >&2; exit 1"))
    assert done
    assert done.reason == "Job is invalid: spec.template: Invalid value: …: field is immutable"
    assert "hunter2" not in "".join(told)


def test_the_reason_is_all_of_helms_error(tmp_path: Path) -> None:
    done, _ = run(script(tmp_path, "printf 'level=WARN x\\nError: UPGRADE FAILED: a\\n  b\\n' >&2; exit 1"))
    assert done is not None
    assert done.reason == "UPGRADE FAILED: a\n  b"
    silent, _ = run(script(tmp_path, "exit 3"))
    assert silent is not None
    assert silent.reason == "helm exited with code 3 and printed nothing"


def test_a_line_of_a_megabyte_is_cut_and_the_next_is_read(tmp_path: Path) -> None:
    done, told = run(script(tmp_path, "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end"))
    assert done is not None
    assert [len(line) for line in told] == [4000, 3]


def test_values_go_through_stdin_and_no_command_line_shows_them(tmp_path: Path) -> None:
    run(script(tmp_path, 'echo "$@" > command; cat > stdin'))
    assert "hunter2" not in (tmp_path / "command").read_text()
    assert "--values -" in (tmp_path / "command").read_text()
    assert (tmp_path / "stdin").read_text() == '{"password": "hunter2"}'


def test_a_helm_that_does_not_read_its_values_is_no_crash(tmp_path: Path) -> None:
    done, _ = run(script(tmp_path, "exec 0<&-; echo 'Error: no' >&2; exit 1"))
    assert done is not None
    assert done.reason == "no"


def test_cancelled_it_is_asked_to_stop_and_waited_for(tmp_path: Path) -> None:
    body = "trap 'echo cleaned; echo end > ended; exit 1' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    done, told = run(script(tmp_path, body), cancel_after=0.5)
    assert done is None
    assert (tmp_path / "ended").read_text() == "end\n"
    assert told == ["cleaned"]


def test_cancelled_again_it_is_still_given_its_grace(tmp_path: Path) -> None:
    body = "trap 'sleep 1; echo end > ended; exit 1' TERM; echo $$ > pid; while :; do sleep 0.05; done"

    async def main() -> None:
        async with Helm.find(script(tmp_path, body)) as helm:
            work = asyncio.ensure_future(helm.upgrade(ASKED))
            await asyncio.sleep(0.5)
            for _ in range(3):
                work.cancel()
                await asyncio.sleep(0.1)
            with pytest.raises(asyncio.CancelledError):
                await work

    asyncio.run(main())
    assert (tmp_path / "ended").exists()


def test_one_that_does_not_stop_is_killed_and_that_is_said(tmp_path: Path) -> None:
    began = time.monotonic()
    done, told = run(
        script(tmp_path, "trap '' TERM; echo $$ > pid; sleep 60 & wait; sleep 60"),
        grace=0.5,
        cancel_after=0.5,
    )
    assert done is None
    assert told == ["helm did not stop within 0.5 s and was killed: its release may be left pending"]
    assert is_gone(int((tmp_path / "pid").read_text()))
    assert time.monotonic() - began < 10


def test_a_child_that_keeps_the_pipes_open_does_not_hold_us(tmp_path: Path) -> None:
    began = time.monotonic()
    done, _ = run(script(tmp_path, "sleep 30 & echo done"))
    assert done is not None
    assert done.lines == ("done",)
    assert time.monotonic() - began < 15


# The rest is about our own end: we are a process of our own then, and are killed.

_OURSELVES = """
import asyncio, sys
from watchbill.helm.driver import Helm
from watchbill.helm.requests import UpgradeRequest

async def main():
    async with Helm.find(sys.argv[1]) as helm:
        await helm.upgrade(UpgradeRequest(release="r", namespace="n", chart="c"))

asyncio.run(main())
"""


def start_ourselves(binary: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", _OURSELVES, binary])


def test_killed_we_leave_no_helm_behind(tmp_path: Path) -> None:
    body = "trap 'echo end > ended; exit 1' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    with start_ourselves(script(tmp_path, body)) as us:
        helm = int(until(tmp_path / "pid"))
        us.kill()
    assert until(tmp_path / "ended", 5) == "end"
    time.sleep(0.2)
    assert is_gone(helm)


def test_killed_we_leave_no_helm_behind_that_does_not_want_to_stop(tmp_path: Path) -> None:
    with start_ourselves(script(tmp_path, "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done")) as us:
        helm = int(until(tmp_path / "pid"))
        us.kill()
    time.sleep(1)
    assert not is_gone(helm)
    time.sleep(SECONDS_TO_KILL)
    assert is_gone(helm)


def test_killed_at_any_moment_of_a_start_we_leave_no_helm_behind(tmp_path: Path) -> None:
    binary = script(tmp_path, "echo $$ >> pids; exec sleep 60")
    for step in range(12):
        with start_ourselves(binary) as us:
            time.sleep(0.1 + 0.02 * step)
            us.kill()
    time.sleep(1)
    started = (tmp_path / "pids").read_text().split() if (tmp_path / "pids").exists() else []
    assert [pid for pid in started if not is_gone(int(pid))] == []


def test_ctrl_c_at_the_terminal_reaches_us_only(tmp_path: Path) -> None:
    """Helm would hear it as well, before we have decided anything, were it in our process group."""
    with start_ourselves(script(tmp_path, "echo $$ > pid; exec sleep 60")) as us:
        helm = int(until(tmp_path / "pid"))
        assert os.getpgid(helm) != os.getpgid(us.pid)
        us.kill()


def test_a_guardian_that_was_killed_is_replaced(tmp_path: Path) -> None:
    async def main() -> None:
        async with Helm.find(script(tmp_path, "echo fine")) as helm:
            first = helm.group()
            os.kill(first, signal.SIGKILL)
            await asyncio.sleep(0.1)
            assert (await helm.upgrade(ASKED)).lines == ("fine",)
            assert helm.group() != first

    asyncio.run(main())


def test_a_helm_gets_the_environment_and_the_folder_of_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs run in our process, and may change both."""
    start, elsewhere = tmp_path / "start", tmp_path / "elsewhere"
    start.mkdir()
    elsewhere.mkdir()
    file = tmp_path / "helm"
    file.write_text('#!/bin/sh\n[ $1 = version ] && { echo v4.3.1; exit; }\necho "$KUBECONFIG"; pwd\n')
    file.chmod(0o755)
    monkeypatch.chdir(start)
    monkeypatch.setenv("KUBECONFIG", "staging")

    async def main() -> Done:
        async with Helm.find("../helm") as helm:
            monkeypatch.setenv("KUBECONFIG", "other")
            monkeypatch.chdir(elsewhere)
            return await helm.upgrade(ASKED)

    assert asyncio.run(main()).lines == ("staging", str(start))


def test_a_copy_of_the_kubeconfig_does_not_outlive_a_kill(tmp_path: Path) -> None:
    copy = tmp_path / "kubeconfig"
    copy.touch()
    program = (
        "import os, signal; from watchbill.helm.driver import Helm; from watchbill.helm.requests import Target\n"
        f"Helm('helm', Target({str(copy)!r}, is_ours=True)).group(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    end = time.monotonic() + 30
    while copy.exists():
        assert time.monotonic() < end, "the copy is still there"
        time.sleep(0.05)
