"""A job is run to its end whatever it does, and its end is told as what it was."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from tests.jobs.playing import context, declared, play, play_cancelled
from watchbill.jobs import Abort, Context, Manual, Skip, SyncContext
from watchbill.jobs.events import Ended, Started
from watchbill.jobs.runner import run

HERE = "tests/jobs/test_running.py"


def test_a_job_that_returns_is_done_whatever_it_returns() -> None:
    async def async_one(_ctx: Context) -> bool:
        return False

    def plain_one(_ctx):  # type: ignore[no-untyped-def]
        return "anything"

    before = datetime.now(UTC)
    for function in (async_one, plain_one):
        outcome, events = play(function)
        assert (outcome.status, outcome.reason, outcome.guide, outcome.log) == ("done", "", "", ())
        assert (outcome.component, outcome.moment) == ("logging", "pre")
        assert outcome.identity == f"logging/{function.__name__}"
        assert outcome.is_good
        assert before <= outcome.started <= before + timedelta(seconds=300)
        assert 0 <= outcome.seconds < 20
        assert events == [Started(outcome.identity, outcome.started), Ended(outcome)]


@pytest.mark.parametrize(
    ("raised", "status", "reason", "guide"),
    [
        (Skip("claim is 30Gi"), "skipped", "claim is 30Gi", ""),
        (Abort("wrong cluster"), "aborted", "wrong cluster", ""),
        (
            Manual("class cannot grow", "1. back up\n2. restore\n"),
            "manual",
            "class cannot grow",
            "1. back up\n2. restore",
        ),
        (Skip("two\nlines"), "skipped", "two …", ""),
    ],
)
def test_a_job_says_how_it_ended(raised: Exception, status: str, reason: str, guide: str) -> None:
    async def async_one(_ctx: Context) -> None:
        raise raised

    def plain_one(_ctx: SyncContext) -> None:
        raise raised

    for function in (async_one, plain_one):
        outcome = play(function).outcome
        assert (outcome.status, outcome.reason, outcome.guide) == (status, reason, guide)
        assert outcome.log == (), "an answer is no error"


def test_an_error_is_told_in_one_line_and_its_traceback_is_for_the_log_alone() -> None:
    def deeper() -> None:
        raise KeyError("claim")

    def plain_one(_ctx: SyncContext) -> None:
        deeper()

    async def async_one(_ctx: Context) -> None:
        await asyncio.wait_for(asyncio.to_thread(deeper), 5)

    for function in (async_one, plain_one):
        outcome = play(function).outcome
        assert outcome.status == "failed"
        line = deeper.__code__.co_firstlineno + 1
        assert outcome.reason == f"KeyError: 'claim' ({HERE}:{line})"
        log = "\n".join(outcome.log)
        assert f'{HERE}", line {line}, in deeper' in log
        assert f"in {function.__name__}" in log
        assert "watchbill/jobs" not in log, "our own frames are no help"
        assert "asyncio/" not in log


def test_an_error_keeps_its_cause() -> None:
    async def fails(_ctx: Context) -> None:
        try:
            int("many")
        except ValueError as error:
            raise RuntimeError("no number") from error

    log = "\n".join(play(fails).outcome.log)

    assert "ValueError: invalid literal" in log
    assert "direct cause" in log
    assert "RuntimeError: no number" in log


class _Unspeakable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError


class _Exits(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (SystemExit(0), "it called sys.exit(0)"),
        (SystemExit(), "it called sys.exit()"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (BaseException("odd"), "BaseException: odd"),
        (asyncio.CancelledError(), "it cancelled itself"),
        (_Unspeakable(), "_Unspeakable"),
        (_Exits(), "_Exits"),
        (ValueError("x" * 5000), f"ValueError: {'x' * 400}…"),
        (ValueError("first\nsecond"), "ValueError: first …"),
    ],
)
def test_nothing_that_a_job_raises_is_more_than_its_own_failure(raised: BaseException, reason: str) -> None:
    async def async_one(_ctx: Context) -> None:
        raise raised

    def plain_one(_ctx: SyncContext) -> None:
        raise raised

    for function in (async_one, plain_one):
        outcome = play(function).outcome
        assert outcome.status == "failed"
        assert outcome.reason.startswith(f"{reason} ({HERE}:")


def test_an_exit_in_a_task_of_a_job_ends_the_job() -> None:
    async def leave() -> None:
        sys.exit(1)

    async def exits(_ctx: Context) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(leave())

    assert play(exits).outcome.status == "failed"


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        ([Skip("a"), Skip("b")], "skipped"),
        ([Skip("a"), ValueError("b")], "failed"),
        ([Manual("a", ""), Skip("b")], "manual"),
        ([Manual("a", ""), ValueError("b")], "failed"),
        ([ValueError("b"), Abort("a")], "aborted"),
    ],
)
def test_of_several_answers_of_a_task_group_the_worst_counts(raised: list[Exception], status: str) -> None:
    async def fails(_ctx: Context) -> None:
        raise ExceptionGroup("several", [raised[0], ExceptionGroup("more", raised[1:])])

    assert play(fails).outcome.status == status


def test_a_plain_function_that_returns_a_coroutine_did_nothing_and_fails() -> None:
    async def work() -> None:
        raise AssertionError("never awaited")

    def forgets(_ctx):  # type: ignore[no-untyped-def]
        return work()

    outcome = play(forgets).outcome

    assert outcome.status == "failed"
    assert "declare it with `async def`" in outcome.reason


def test_a_job_runs_out_of_time() -> None:
    cleaned = []

    async def async_one(ctx: Context) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            cleaned.append(ctx.cancelled.is_set())

    outcome = play(async_one, timeout="1s").outcome

    assert (outcome.status, outcome.reason) == ("timed-out", "it did not end within 1s")
    assert cleaned == [True]

    def plain_one(ctx: SyncContext) -> None:
        cleaned.append(ctx.cancelled.wait(60))

    outcome = play(plain_one, timeout="1s").outcome

    assert outcome.status == "timed-out"
    assert outcome.reason == "it did not end within 1s; it returned when it was told to stop"
    assert cleaned == [True, True]
    assert outcome.seconds < 60


def test_what_held_a_job_up_is_the_reason_when_its_time_is_over() -> None:
    async def waits(ctx: Context) -> None:
        ctx.held_up("the other thing")
        ctx.held_up("")
        ctx.held_up("claim storage-0 is Pending")
        await asyncio.sleep(60)

    outcome = play(waits, timeout="1s").outcome

    assert outcome.reason == "it did not end within 1s: claim storage-0 is Pending"


def test_an_error_while_a_job_is_stopped_is_told_and_does_not_hide_why_it_was() -> None:
    async def fails(_ctx: Context) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("no way back")

    outcome = play(fails, timeout="1s").outcome

    assert outcome.status == "timed-out"
    assert outcome.reason.startswith(
        "it did not end within 1s; when it was told to stop: ValueError: no way back ("
    )
    assert "ValueError: no way back" in "\n".join(outcome.log)


def test_a_job_that_does_not_stop_is_abandoned_by_name() -> None:
    over = threading.Event()

    async def swallows(ctx: Context) -> None:
        while not over.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                ctx.log.info("no")

    async def blocks(_ctx: Context) -> None:
        over.wait(60)

    async def blocks_a_thread(_ctx: Context) -> None:
        await asyncio.to_thread(over.wait, 60)

    def plain_one(_ctx: SyncContext) -> None:
        over.wait(60)

    try:
        for function in (swallows, blocks, plain_one, blocks_a_thread):
            outcome = play(function, timeout="1s", grace=0.2).outcome
            assert (outcome.status, outcome.identity) == ("abandoned", f"logging/{function.__name__}")
            assert outcome.reason.startswith("it did not end within 1s; ")
            assert outcome.seconds < 60
            outcome = play_cancelled(function, grace=0.2).outcome
            assert outcome.status == "abandoned"
            assert outcome.reason.startswith("cancelled; ")
    finally:
        over.set()


def test_a_job_has_a_grace_of_its_own() -> None:
    over = threading.Event()

    def does_not_stop(_ctx: SyncContext) -> None:
        over.wait()

    def slow_to_stop(ctx: SyncContext) -> None:
        ctx.cancelled.wait()
        time.sleep(0.4)

    assert play(does_not_stop, timeout="1s", grace=600, own_grace="0.1s").outcome.status == "abandoned"
    over.set()
    assert play(slow_to_stop, timeout="1s", grace=0.1, own_grace="60s").outcome.status == "timed-out"


def test_a_job_that_blocks_its_event_loop_holds_nobody_else_up() -> None:
    """The deploy has a Lease to renew meanwhile, and other jobs go on."""
    blocked, ticked = threading.Event(), threading.Event()
    events: list[object] = []

    async def blocks(ctx: Context) -> None:
        blocked.set()
        while not ctx.cancelled.is_set():
            time.sleep(0.01)  # noqa: ASYNC251  (as people do)

    async def works(_ctx: Context) -> None:
        await asyncio.to_thread(ticked.wait)

    async def main() -> None:
        blocking, working = declared(blocks), declared(works)
        first = asyncio.create_task(run(blocking, context(blocking), grace=60, tell=events.append))
        second = asyncio.create_task(run(working, context(working), grace=60, tell=lambda _: None))
        await asyncio.to_thread(blocked.wait)
        ticked.set()
        assert (await second).status == "done"
        assert not first.done()
        first.cancel()
        await asyncio.wait([first])

    asyncio.run(main())

    [outcome] = [event.outcome for event in events if isinstance(event, Ended)]
    assert outcome.status == "cancelled", "it saw ctx.cancelled though its event loop stood still"


def test_a_cancelled_job_gets_its_grace_and_the_cancellation_goes_on() -> None:
    stages = []

    async def tidies_up(_ctx: Context) -> None:
        stages.append("begun")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.1)
            stages.append("tidy")

    outcome = play_cancelled(tidies_up).outcome

    assert (outcome.status, outcome.reason) == ("cancelled", "cancelled")
    assert stages == ["begun", "tidy"]


def test_a_second_cancellation_waits_no_longer() -> None:
    over = threading.Event()

    def stubborn(_ctx: SyncContext) -> None:
        over.wait()

    outcome = play_cancelled(stubborn, grace=600, cancels=(0.1, 0.1)).outcome
    over.set()

    assert outcome.status == "abandoned"
    assert outcome.seconds < 600


def test_a_job_that_ended_before_it_was_cancelled_is_what_it_was() -> None:
    job = declared(lambda ctx: None, name="quick")  # noqa: ARG005
    events: list[object] = []

    async def main() -> None:
        task = asyncio.create_task(run(job, context(job), grace=1, tell=events.append))
        await asyncio.sleep(0)
        # It ends, and nobody hears of it yet.
        while any(thread.name == "job logging/quick" for thread in threading.enumerate()):
            time.sleep(0.01)  # noqa: ASYNC251  (nobody shall)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())

    [outcome] = [event.outcome for event in events if isinstance(event, Ended)]
    assert outcome.status == "done"


def test_tasks_that_a_job_leaves_behind_are_ended() -> None:
    ended = []

    async def background() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    async def leaves(_ctx: Context) -> None:
        leaves.task = asyncio.create_task(background())  # type: ignore[attr-defined]
        await asyncio.sleep(0)

    played = play(leaves)

    assert played.outcome.status == "done"
    assert ended == [True]
    assert played.said == ["it left tasks behind, which were cancelled: 1"]


def test_the_client_of_a_job_is_made_where_it_runs_and_closed_when_it_has_ended() -> None:
    class Client:
        closed = False

        def __init__(self) -> None:
            self.loop = asyncio.get_running_loop()

        async def close(self) -> None:
            assert asyncio.get_running_loop() is self.loop
            self.closed = True

    made = []

    def connect() -> Client:
        made.append(Client())
        return made[-1]

    async def asks(ctx: Context) -> None:
        assert ctx.kube is ctx.kube

    async def does_not(ctx: Context) -> None:
        pass

    assert play(asks, facts={"connect": connect}).outcome.status == "done"
    assert [client.closed for client in made] == [True]
    assert play(does_not, facts={"connect": connect}).outcome.status == "done"
    assert len(made) == 1, "who asks nothing is not connected"


def test_the_process_ends_though_abandoned_jobs_do_not() -> None:
    program = """
        import asyncio, time
        from tests.jobs.playing import play

        async def swallows(ctx):
            while True:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass

        async def blocks_a_thread(ctx):
            await asyncio.to_thread(time.sleep, 600)

        def sleeps(ctx):
            time.sleep(600)

        for function in (swallows, blocks_a_thread, sleeps):
            print(play(function, timeout="1s", grace=0.1).outcome.status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    assert (done.stdout.split(), done.stderr, done.returncode) == (["abandoned"] * 3, "", 0)


def test_a_job_may_start_programs() -> None:
    async def starts(_ctx: Context) -> None:
        process = await asyncio.create_subprocess_exec("true")
        assert await process.wait() == 0

    assert play(starts).outcome.status == "done"


@pytest.mark.parametrize("kind", [ValueError, Skip, Abort, lambda text: Manual(text, guide=text)])
def test_whatever_a_job_says_can_be_encoded(kind: Callable[[str], Exception]) -> None:
    """Names of files that are not UTF-8 have characters that no encoder takes."""

    async def lists(ctx: Context) -> None:
        ctx.log.info("%s", os.fsdecode(b"gr\xfc\xdfe.txt"))
        ctx.progress(os.fsdecode(b"gr\xfc\xdfe.txt"))
        raise kind(os.fsdecode(b"gr\xfc\xdfe.txt"))

    played = play(lists)

    assert r"gr\udcfc\udcdfe.txt" in played.outcome.reason
    assert msgspec.json.decode(msgspec.json.encode(played.outcome))["log"]
    assert msgspec.json.encode(played.events)


def test_a_login_in_an_error_is_left_out() -> None:
    async def connects(_ctx: Context) -> None:
        raise ConnectionError("no answer from postgres://shop:hunter2@database:5432/shop")

    played = play(connects)

    assert "postgres://…@database:5432/shop" in played.outcome.reason
    assert "hunter2" not in str(played)
