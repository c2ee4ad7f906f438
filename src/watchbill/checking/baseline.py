"""A baseline: findings that were there when Watchbill came. They are not reported, new ones are.

Entries say which chart and what, for people; only chart and fingerprint are compared, so that edits, new versions and
better words do no harm.
"""

import os
from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from watchbill.checking.result import Checked, Finding, Sibling
from watchbill.errors import UserError

SCHEMA = 1
LARGEST = 64 << 20


class Entry(Struct, frozen=True, order=True, forbid_unknown_fields=True):
    chart: str  # its name: it may lie anywhere, or be packed; empty: manifests
    rule: str
    fingerprint: Annotated[str, Meta(min_length=1)]
    title: str

    def is_about(self, finding: Finding) -> bool:
        return self.fingerprint == finding.fingerprint


class BaselineFile(Struct, frozen=True, forbid_unknown_fields=True):
    schema: int
    findings: tuple[Entry, ...]


class Baseline(Struct, frozen=True):
    file: str = ""  # empty: there is none
    entries: tuple[Entry, ...] = ()

    def of(self, chart: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.chart == chart)


def entries(charts: Iterable[Checked]) -> tuple[Entry, ...]:
    """All that is found now, each once."""
    found = dict[tuple[str, str], Entry]()
    for checked in charts:
        for finding in checked.findings:
            alike: tuple[Finding | Sibling, ...] = (finding, *finding.siblings)
            for one in alike:
                entry = Entry(checked.name, finding.rule, one.fingerprint, one.title)
                found.setdefault((entry.chart, entry.fingerprint), entry)
    return tuple(sorted(found.values()))


def write(file: str, entries: Iterable[Entry]) -> None:
    """The same findings give the same bytes."""
    text = msgspec.json.format(msgspec.json.encode(BaselineFile(SCHEMA, tuple(sorted(entries)))), indent=2)
    try:
        with open(file, "wb") as opened:
            opened.write(text + b"\n")
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{file}: cannot write the baseline: {said}") from None


def read(file: str) -> Baseline:
    """What is not as we write it is an error: a baseline that is half understood hides the wrong things."""
    try:
        with open(file, "rb") as opened:
            text = opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise UserError(
            f"{file}: no such file",
            then=f"create the baseline: watchbill check --write-baseline {file} CHART",
        ) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{file}: cannot read the baseline: {said}") from None
    if len(text) > LARGEST:
        raise UserError(f"the baseline {file} is larger than {LARGEST >> 20} MiB", then=_again(file))
    try:
        schema = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).get("schema")
        if schema is not None and (number := msgspec.json.decode(schema, type=int)) != SCHEMA:
            raise UserError(
                f"the baseline {file} is of schema {number}, and this watchbill reads {SCHEMA}",
                then=_again(file),
            )
        written = msgspec.json.decode(text, type=BaselineFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{file} is not a baseline: {error}", then=_again(file)) from None
    return Baseline(file, written.findings)


def _again(file: str) -> str:
    return f"write it again: watchbill check --write-baseline {os.path.basename(file)}"
