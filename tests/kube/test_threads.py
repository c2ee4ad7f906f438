"""Threads that decode a kind at the same time, for the first time in their process."""

import subprocess
import sys

ROUNDS = 50


def test_kinds_can_be_decoded_for_the_first_time_by_many_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.kube.first_decodes", str(ROUNDS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
