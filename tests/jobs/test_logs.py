"""What a job says is told line by line as it says it, and its last lines are kept."""

import asyncio
import queue
import threading

import pytest

from tests.jobs.playing import context, declared, play
from watchbill.jobs import Context, SyncContext
from watchbill.jobs.events import Ended, Event, Logged, Progressed, is_trace
from watchbill.jobs.logbook import KEPT, MOST_PENDING
from watchbill.jobs.plain import LONGEST, lines_of
from watchbill.jobs.runner import run


def test_lines_are_told_with_their_level_and_kept() -> None:
    async def speaks(ctx: Context) -> None:
        ctx.log.debug("not this")
        ctx.log.info("claim is %s", "10Gi")
        ctx.log.warning("one\ntwo\n")

    played = play(speaks)

    told = [(event.level, event.text) for event in played.events if isinstance(event, Logged)]
    assert told == [("INFO", "claim is 10Gi"), ("WARNING", "one"), ("WARNING", "two")]
    assert [line[9:] for line in played.outcome.log] == ["claim is 10Gi", "WARNING one", "WARNING two"]
    assert isinstance(played.events[-1], Ended), "the end comes last"


def test_an_exception_is_logged_with_its_traceback() -> None:
    def speaks(ctx: SyncContext) -> None:
        try:
            int("many")
        except ValueError:
            ctx.log.exception("not a number")

    said = play(speaks).said

    assert said[:2] == ["not a number", "Traceback (most recent call last):"]
    assert said[-1] == "ValueError: invalid literal for int() with base 10: 'many'"


def test_the_traceback_of_a_failure_can_be_told_from_what_the_job_says() -> None:
    def breaks(ctx: SyncContext) -> None:
        ctx.log.info("copper is copied")
        raise RuntimeError("no copper")

    log = play(breaks).outcome.log

    assert [line[9:] for line in log if not is_trace(line)] == ["copper is copied"]
    assert log[-1][9:] == "TRACE RuntimeError: no copper"


def test_what_cannot_be_formatted_is_told_as_it_is() -> None:
    async def speaks(ctx: Context) -> None:
        ctx.log.info("%d claims", "many")

    played = play(speaks)

    assert played.outcome.status == "done"
    assert played.said[0].startswith("%d claims ('many',) (cannot be formatted: ")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a\r\nb\rc\vd", ["a", "b", "c", "d"]),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07text\x1b[2K", ["red text"]),
        ("bell\x07 null\x00 del\x7f", ["bell null del"]),
        ("tab\tulated", ["tab     ulated"]),
        ("trailing   ", ["trailing"]),
        ("ümläut ☃", ["ümläut ☃"]),
        ("gr\udcfc\udcdfe.txt", ["gr\\udcfc\\udcdfe.txt"]),
        ("cannot reach postgres://shop:hunter2@db/shop", ["cannot reach postgres://…@db/shop"]),
        ("x" * (LONGEST + 7), ["x" * LONGEST + "… (7 more characters)"]),
    ],
)
def test_lines_are_such_as_a_terminal_can_show(text: str, lines: list[str]) -> None:
    assert list(lines_of(text)) == lines


def test_of_many_lines_the_last_are_kept_and_those_that_came_too_fast_are_counted() -> None:
    many = 20_000
    all_said = threading.Event()
    events: list[Event] = []

    async def floods(ctx: Context) -> None:
        for number in range(many):
            ctx.log.info("line %d", number)
        all_said.set()

    def slow_listener(event: Event) -> None:
        events.append(event)
        if isinstance(event, Logged):
            assert all_said.wait(300)

    job = declared(floods)
    outcome = asyncio.run(run(job, context(job), grace=5, tell=slow_listener))

    assert [line[9:] for line in outcome.log] == [f"line {number}" for number in range(many - KEPT, many)]
    told = [event.text for event in events if isinstance(event, Logged)]
    assert told[-1] == f"line {many - 1}"
    [left_out] = [text for text in told if text.endswith("lines came too fast to be shown)")]
    assert int(left_out[1:].split()[0]) + len(told) - 1 == many
    assert len(told) < 3 * MOST_PENDING


def test_threads_of_a_job_may_speak_at_once() -> None:
    def speaks(ctx: SyncContext) -> None:
        def speak(name: int) -> None:
            for number in range(50):
                ctx.log.info("%d %d", name, number)
                ctx.progress(number / 50)

        threads = [threading.Thread(target=speak, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    said = play(speaks).said

    assert len(said) == 400
    for name in range(8):
        assert [line for line in said if line.startswith(f"{name} ")] == [f"{name} {n}" for n in range(50)]


def test_progress_is_a_text_a_fraction_or_both() -> None:
    heard: queue.Queue[tuple[str, float | None]] = queue.Queue()
    told = []

    async def goes_on(ctx: Context) -> None:
        for what in (
            ("copying",),
            (0.25,),
            ("copying", 0.5),
            (7,),
            (-1.0,),
            (float("nan"),),
            ("two\nlines", 1),
        ):
            ctx.progress(*what)
            told.append(await asyncio.to_thread(heard.get))  # what comes at once is told as the last of it

    def tell(event: Event) -> None:
        if isinstance(event, Progressed):
            heard.put((event.text, event.fraction))

    job = declared(goes_on)
    asyncio.run(run(job, context(job), grace=5, tell=tell))

    assert told == [
        ("copying", None), ("", 0.25), ("copying", 0.5), ("", 1.0), ("", 0.0), ("", None), ("two lines", 1.0),
    ]  # fmt: skip


def test_what_an_abandoned_job_says_later_is_not_heard() -> None:
    over, said = threading.Event(), threading.Event()

    def late(ctx: SyncContext) -> None:
        over.wait()
        ctx.log.info("too late")
        said.set()

    played = play(late, timeout="1s", grace=0.1)
    over.set()
    assert said.wait(300)

    assert played.outcome.status == "abandoned"
    assert played.said == []
