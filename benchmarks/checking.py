"""Claims: a check of a small chart takes less than three times one `helm template` of it; a hundred charts are checked
in less time than `xargs -P2 -n1 helm lint` takes for them; a worker and its engine stay below 150 MB.

Measured on a compiled wheel, Helm 4 and Helm 3, default depth.
"""

import resource
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.installed import ROOT, installed
from benchmarks.measure import interleaved, table
from dev import binaries

SMALL = ("examples/charts/orders", "examples/charts/billing", "examples/stories/conditional-hook")
CHARTS = 100


def main() -> None:
    helm = str(binaries.helm("4.3.1"))
    with installed() as folder:
        watchbill = str(folder / "watchbill")
        for chart in SMALL:
            print(f"one chart, {chart}, against one helm template (goal: below x3):")
            subjects = {
                "helm template": partial(_quiet, helm, "template", chart),
                "watchbill check": partial(_quiet, watchbill, "check", chart),
            }
            table(interleaved(subjects), against="helm template")
        _many(watchbill, helm)


def _many(watchbill: str, helm: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(CHARTS):
            source = ROOT / SMALL[number % len(SMALL)]
            shutil.copytree(source, Path(folder) / f"chart-{number:03}")
        lint = f"ls -d {folder}/* | xargs -P2 -n1 {helm} lint"
        print(f"{CHARTS} charts, against xargs -P2 -n1 helm lint (goal: below x1):")
        subjects = {
            "xargs -P2 -n1 helm lint": partial(_quiet, "sh", "-c", lint),
            "watchbill check": partial(_quiet, watchbill, "check", folder),
        }
        table(interleaved(subjects, rounds=3), against="xargs -P2 -n1 helm lint")
        print(f"memory of those: {_peak(watchbill, folder)} (goal: 150 MB a worker with its engine)")


def _quiet(*arguments: str) -> None:
    """What is found makes `check` end with 1."""
    done = subprocess.run(
        arguments, check=False, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert done.returncode in (0, 1), arguments


def _peak(watchbill: str, folder: str) -> str:
    """The largest worker and the largest engine, as the kernel counts them while they run."""
    process = subprocess.Popen(
        [watchbill, "check", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    largest: dict[str, int] = {}
    while process.poll() is None:
        for kind, size in _sizes(process.pid):
            largest[kind] = max(largest.get(kind, 0), size)
        time.sleep(0.02)
    return " + ".join(f"{kind} {size >> 20} MB" for kind, size in sorted(largest.items(), reverse=True))


def _sizes(leader: int) -> list[tuple[str, int]]:
    """Of the workers and of their engines."""
    page, found = resource.getpagesize(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            command = stat[stat.index("(") + 1 : stat.rindex(")")]
            session = int(stat[stat.rindex(")") + 2 :].split()[3])
            resident = int((folder / "statm").read_text().split()[1]) * page
        except (OSError, ValueError):
            continue
        if session == leader:
            found.append(("engine" if command.startswith("watchbill-engi") else "worker", resident))
    return found


if __name__ == "__main__":
    main()
