"""Times that mean something on a busy machine: interleaved runs, the best and the median of each, ratios in one run."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple


class Times(NamedTuple):
    best: float
    middle: float


def interleaved(subjects: Mapping[str, Callable[[], object]], rounds: int = 15) -> dict[str, Times]:
    """Each subject once a round, so that a slow moment of the machine hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds + 1):
        for name, subject in subjects.items():
            began = time.perf_counter()
            subject()
            taken[name].append(time.perf_counter() - began)
    return {name: Times(min(times[1:]), median(times[1:])) for name, times in taken.items()}


def command(*arguments: str) -> Callable[[], object]:
    def run() -> None:
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)

    return run


def peak_memory(*arguments: str, request: bytes = b"") -> int:
    """The largest resident size of a command in MiB; with a request, of one that answers lines until done."""
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    if request:
        process.stdin.write(request)
        process.stdin.flush()
        while b'"done":true' not in process.stdout.readline():
            pass
    process.stdin.close()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_maxrss >> 10


def table(times: Mapping[str, Times], against: str) -> None:
    for name, taken in times.items():
        best, middle = taken.best / times[against].best, taken.middle / times[against].middle
        print(
            f"  {name:<42} {taken.best * 1000:7.1f} ms best {taken.middle * 1000:7.1f} ms median"
            f"   x{best:.2f} best x{middle:.2f} median"
        )
