"""What was found, as data: every folder of `cases/` is a run and what each format makes of it."""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from watchbill.checking.result import Run
from watchbill.report.options import ReportOptions

FOLDER = Path(__file__).parent / "cases"
# `WATCHBILL_UPDATE=1 pytest tests/report` writes anew what is expected. Read the difference before you commit it.
UPDATE = bool(os.environ.get("WATCHBILL_UPDATE"))


class KnownRule(NamedTuple):
    id: str
    name: str
    summary: str


RULES = (
    KnownRule(
        "WB101",
        "immutable-job",
        "an upgrade changes a plain Job with a fixed name, and Kubernetes refuses it",
    ),
    KnownRule("WB301", "failed-logs-deleted", "the logs of a Job that failed are deleted with it."),
    KnownRule("WB302", "logs-deleted", "the logs of a Job that succeeded are deleted with it"),
)
OPTIONS = ReportOptions(rules=RULES)


def names() -> list[str]:
    return sorted(folder.name for folder in FOLDER.iterdir())


def read(name: str) -> Run:
    return msgspec.json.decode((FOLDER / name / "run.json").read_bytes(), type=Run)


def compare(file: Path, text: str) -> None:
    if UPDATE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    expected = file.read_text() if file.exists() else ""
    assert text == expected, f"{file.name} differs; WATCHBILL_UPDATE=1 writes it anew"
