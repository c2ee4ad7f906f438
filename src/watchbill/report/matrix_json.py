"""A matrix for scripts. The schema is published (docs/schemas/matrix.json); a change that breaks readers raises its number."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from watchbill.checking.result import Problem
from watchbill.checking.tabulating.matrix import Matrix
from watchbill.checking.tabulating.tabulate import Tabulated
from watchbill.report.encoding import encoded


class Skipped(Struct, frozen=True, rename="camel"):
    path: str
    reason: str


class Failed(Struct, frozen=True, rename="camel"):
    path: str
    problem: Problem


class Report(Struct, frozen=True, rename="camel"):
    """The output of `watchbill matrix --output json`."""

    schema: Literal[1]
    charts: tuple[Matrix, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[Failed, ...]


def report(found: Tabulated) -> str:
    return encoded(
        Report(
            schema=1,
            charts=found.charts,
            skipped=tuple(Skipped(item.path, item.reason) for item in found.skipped),
            failed=tuple(Failed(item.path, Problem.of(item.error)) for item in found.failed),
        )
    )


def schema() -> dict[str, Any]:
    """Published as docs/schemas/matrix.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Report)}
