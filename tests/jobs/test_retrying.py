"""`retry` tries again when it was asked to, and only then."""

import asyncio
import time
from typing import Any

import pytest

from tests.jobs.playing import Played, play, play_cancelled
from watchbill.jobs import Abort, Context, Manual, Skip, SyncContext, retry


class Moody:
    """Fails so many times."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def ask(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "at last"

    async def ask_async(self) -> str:
        return self.ask()


def both(moody_errors: tuple[Exception, ...], **options: Any) -> list[tuple[Played, Moody]]:
    """In an async and in a plain job."""
    seen = []
    for is_async in (True, False):
        moody = Moody(*moody_errors)

        async def async_one(ctx: Context, moody: Moody = moody) -> None:
            ctx.log.info(await retry(ctx, moody.ask_async, wait="0.01s", **options))

        def plain_one(ctx: SyncContext, moody: Moody = moody) -> None:
            ctx.log.info(retry(ctx, moody.ask, wait="0.01s", **options))

        seen.append((play(async_one if is_async else plain_one), moody))
    return seen


def test_it_tries_until_it_works_and_says_so() -> None:
    for played, moody in both((OSError("busy"), OSError("busy"))):
        assert played.outcome.status == "done"
        assert moody.asked == 3
        assert [line.partition("; again in ")[0] for line in played.said] == [
            "attempt 1 of 5: OSError: busy", "attempt 2 of 5: OSError: busy", "at last",
        ]  # fmt: skip


def test_the_last_error_is_raised() -> None:
    for played, moody in both(tuple(OSError(f"busy {n}") for n in range(9)), attempts=3):
        assert moody.asked == 3
        assert played.outcome.status == "failed"
        assert played.outcome.reason.startswith("OSError: busy 2 (")


def test_other_errors_are_not_tried_again() -> None:
    for played, moody in both((ValueError("bad"),), on=OSError):
        assert (moody.asked, played.outcome.status) == (1, "failed")


@pytest.mark.parametrize(
    ("answer", "status"), [(Skip(""), "skipped"), (Abort(""), "aborted"), (Manual("", ""), "manual")]
)
def test_answers_are_not_asked_for_again(answer: Exception, status: str) -> None:
    for played, moody in both((answer,)):
        assert (moody.asked, played.outcome.status) == (1, status)


def test_it_does_not_wait_when_the_job_shall_stop() -> None:
    def plain_one(ctx: SyncContext) -> None:
        retry(ctx, Moody(*[OSError("busy")] * 9).ask, wait="60s", longest="60s")

    async def async_one(ctx: Context) -> None:
        await retry(ctx, Moody(*[OSError("busy")] * 9).ask_async, wait="60s", longest="60s")

    for function in (plain_one, async_one):
        began = time.monotonic()
        assert play_cancelled(function).outcome.status == "cancelled"
        assert time.monotonic() - began < 60


def test_waits_grow_to_the_longest() -> None:
    for played, _ in both(tuple(OSError() for _ in range(5)), attempts=6, longest="0.05s"):
        waits = [float(line.rpartition(" in ")[2].removesuffix(" s")) for line in played.said[:-1]]
        assert len(waits) == 5
        assert played.outcome.seconds < 5
        assert all(wait <= 0.1 for wait in waits)


@pytest.mark.parametrize(
    ("options", "error"), [({"wait": "soon"}, "wait cannot be 'soon'"), ({"attempts": 0}, "at least 1")]
)
def test_a_mistake_is_told(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        retry(SyncContext(), lambda: None, **options)


def test_it_can_be_tested_without_a_deploy() -> None:
    moody = Moody(OSError("busy"))

    async def job(ctx: Context) -> str:
        return await retry(ctx, moody.ask_async, wait="0s")

    assert asyncio.run(job(Context())) == "at last"
