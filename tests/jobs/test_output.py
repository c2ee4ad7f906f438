"""Whatever way a job prints, it goes into its log, and nowhere else."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.jobs.playing import context, declared
from watchbill.jobs import Context, SyncContext, output
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.runner import run


def play(*functions: Callable[[Any], Any]) -> tuple[list[Outcome], list[str]]:
    """All at once; and the lines of which nobody knows who printed them."""
    heard: list[str] = []

    async def main() -> list[Outcome]:
        with output.capturing(heard.append):
            jobs = [declared(function, name=f"job-{at}") for at, function in enumerate(functions)]
            runs = (run(job, context(job), grace=5, tell=lambda _event: print("ours")) for job in jobs)
            return list(await asyncio.gather(*runs))

    return asyncio.run(main()), heard


def lines(outcome: Outcome) -> list[str]:
    return [line.partition(" ")[2] for line in outcome.log]


async def prints(_ctx: Context) -> None:
    print("printed", end=" ")
    print("in pieces")
    await asyncio.to_thread(print, "in a thread")


def writes_bytes(_ctx: SyncContext) -> None:
    sys.stdout.buffer.write(b"bytes\n")
    sys.stderr.write("unfinished")


def starts_a_program(_ctx: SyncContext) -> None:
    subprocess.run(["sh", "-c", "echo out; echo err >&2"], check=True)
    subprocess.run(["echo", "handed over"], check=True, stdout=sys.stdout)
    os.write(1, b"by number\n")


def logs(_ctx: SyncContext) -> None:
    logging.getLogger("a.library").info("connected")
    logging.getLogger("a.library").warning("slow")
    logging.getLogger("httpx2").info("HTTP Request: GET")


def uses_a_thread_of_its_own(_ctx: SyncContext) -> None:
    thread = threading.Thread(target=print, args=("from a thread",))
    thread.start()
    thread.join()


def closes_stdout(_ctx: SyncContext) -> None:
    sys.stdout.close()
    print("still here")


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (prints, ["printed in pieces", "in a thread"]),
        (writes_bytes, ["bytes", "unfinished"]),
        (starts_a_program, ["out", "err", "handed over", "by number"]),
        (logs, ["connected", "WARNING slow"]),
        (uses_a_thread_of_its_own, ["from a thread"]),
        (closes_stdout, ["still here"]),
    ],
)
def test_it_is_in_the_log_of_the_job_alone(
    job: Callable[[Any], Any], said: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    [outcome], heard = play(job)
    assert outcome.status == "done"
    assert lines(outcome) == said
    assert heard == []
    shown = capfd.readouterr()
    assert set(shown.out.splitlines()) == {"ours"}
    assert shown.err == ""


def test_of_several_jobs_each_has_what_it_prints(capfd: pytest.CaptureFixture[str]) -> None:
    together = threading.Barrier(2)

    def speak(text: str) -> Callable[[SyncContext], None]:
        def job(_ctx: SyncContext) -> None:
            together.wait()
            print(text)
            together.wait()

        return job

    outcomes, heard = play(speak("one"), speak("two"))
    assert [lines(outcome) for outcome in outcomes] == [["one"], ["two"]]
    assert heard == []
    assert capfd.readouterr().err == ""


def test_a_program_of_one_of_several_jobs_is_heard_once_and_kept_by_all() -> None:
    together = threading.Barrier(2)

    def starts(_ctx: SyncContext) -> None:
        together.wait()
        subprocess.run(["echo", "whose?"], check=True)
        together.wait()

    async def waits(_ctx: Context) -> None:
        await asyncio.to_thread(together.wait)
        await asyncio.to_thread(together.wait)
        await asyncio.sleep(0.2)

    outcomes, heard = play(starts, waits)
    assert heard == ["whose?"]
    assert [lines(outcome) for outcome in outcomes] == [["whose?"], ["whose?"]]
