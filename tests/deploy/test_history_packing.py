"""What is stored of a deploy: all of it where that fits, else less of the logs, and it is said how much less."""

import random
import string

import pytest
from msgspec.structs import replace

from watchbill.deploy import history
from watchbill.deploy.history import ComponentEntry, Deploy, JobEntry, packed, unpacked


def noise(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices(string.printable[:90], k=length))


def deploy(jobs: int = 1, lines: int = 5, length: int = 20, components: int = 1) -> Deploy:
    return Deploy(
        number=7,
        operation="op",
        product="tetris",
        version="2.0.0",
        started="2030-01-01T00:00:00Z",
        status="failed",
        components=tuple(
            ComponentEntry(f"c{number}", "done", seconds=1.5, revision=2) for number in range(components)
        ),
        jobs=tuple(
            JobEntry(
                f"c.pre.j{number}",
                "c",
                "pre",
                "done",
                log=tuple(noise(length, number * 1000 + line) for line in range(lines)),
            )
            for number in range(jobs)
        ),
    )


def test_a_small_one_comes_back_as_it_was() -> None:
    given = deploy()
    assert unpacked(packed(given)) == given


def test_of_a_job_the_last_lines_are_kept() -> None:
    given = deploy(lines=250)
    kept = unpacked(packed(given))
    assert kept.jobs[0].log == given.jobs[0].log[-200:]
    assert kept.cut == 50


@pytest.mark.parametrize(
    ("jobs", "lines", "length"), [(40, 200, 200), (400, 200, 60), (3, 200, 5000), (900, 3, 400)]
)
def test_it_never_takes_more_than_its_share(jobs: int, lines: int, length: int) -> None:
    text = packed(deploy(jobs, lines, length, components=200))
    assert len(text) <= history.MOST_BYTES
    kept = unpacked(text)
    assert len(kept.jobs) == jobs
    assert len(kept.components) == 200
    assert kept.cut + sum(len(job.log) for job in kept.jobs) == jobs * lines


def test_the_oldest_logs_go_first() -> None:
    kept = unpacked(packed(deploy(jobs=20, lines=200, length=100)))
    lengths = [len(job.log) for job in kept.jobs]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    assert lengths[0] > 0, "half a log is worth more than none"


def test_reasons_without_end_do_not_break_it() -> None:
    job = JobEntry("c.pre.j", "c", "pre", "failed", reason=noise(900_000, 1))
    kept = unpacked(packed(replace(deploy(), jobs=(job,))))
    assert kept.jobs[0].reason == job.reason[:300]
