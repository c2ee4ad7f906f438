"""A comparison for scripts. The schema is published (docs/schemas/compare.json); a change that breaks readers raises its number."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from watchbill.checking.comparing.result import Compared, Comparison
from watchbill.report.encoding import encoded


class Summary(Struct, frozen=True, rename="camel"):
    charts: int
    different: int
    same: int
    failed: int  # could not be compared
    skipped: int
    differences: int


class Report(Struct, frozen=True, rename="camel"):
    """The output of `watchbill compare --output json`."""

    schema: Literal[1]
    tools: tuple[str, str]
    summary: Summary
    charts: tuple[Compared, ...]


def report(found: Comparison) -> str:
    return encoded(Report(schema=1, tools=found.tools, summary=_summary(found), charts=found.charts))


def schema() -> dict[str, Any]:
    """Published as docs/schemas/compare.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Report)}


def _summary(found: Comparison) -> Summary:
    different = sum(bool(chart.differences) for chart in found.charts)
    failed = sum(chart.problem is not None for chart in found.charts)
    skipped = sum(bool(chart.skipped) for chart in found.charts)
    return Summary(
        charts=len(found.charts),
        different=different,
        same=len(found.charts) - different - failed - skipped,
        failed=failed,
        skipped=skipped,
        differences=sum(len(chart.differences) for chart in found.charts),
    )
