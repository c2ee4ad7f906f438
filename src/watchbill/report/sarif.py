"""What was found, as SARIF 2.1.0: for GitHub's and GitLab's security pages and for editors.

What is ignored is left out: code scanning does not look at suppressions and would show it.
"""

import re
from collections.abc import Iterator, Sequence
from posixpath import isabs, normpath
from typing import Any
from urllib.parse import quote

from watchbill import __version__
from watchbill.checking.result import LEVELS, Finding, Level, Location, Row, Run, Trace
from watchbill.report.encoding import encoded
from watchbill.report.grouping import home_file, located, unchecked_charts
from watchbill.report.message import message
from watchbill.report.options import ReportOptions
from watchbill.report.page import in_terminal
from watchbill.report.styles import unstyle
from watchbill.report.terminal import LONGEST_LINE, shortened
from watchbill.report.words import complaint, essence

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
HELP_COLUMNS = 100
NOT_CHECKED, STALE_IGNORE = "not-checked", "stale-ignore"
# GitHub's words, by which it sorts alerts.
PROBLEM_SEVERITY: dict[Level, str] = {"error": "error", "warning": "warning", "note": "recommendation"}

Json = dict[str, Any]


def report(run: Run, options: ReportOptions) -> str:
    rules = _rules(run, options)
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    return encoded(
        _bounded(
            {
                "$schema": SCHEMA,
                "version": "2.1.0",
                "runs": [
                    {
                        "tool": {"driver": _driver(rules)},
                        "invocations": [_invocation(run)],
                        "originalUriBaseIds": {ROOT: {"description": _text("where watchbill was started")}},
                        "columnKind": "unicodeCodePoints",
                        "results": [
                            _result(finding, path, places[finding.rule]) for finding, path in located(run)
                        ],
                    }
                ],
            }
        )
    )


def _bounded(thing: Any) -> Any:
    """GitHub takes no file above ten megabytes, and no chart may make one. Pages of rules are ours."""
    match thing:
        case str():
            return shortened(thing, LONGEST_LINE)
        case list() | tuple():
            return [_bounded(item) for item in thing]
        case dict():
            return {key: value if key in ("uri", "help") else _bounded(value) for key, value in thing.items()}
        case _:
            return thing


def _driver(rules: Sequence[Json]) -> Json:
    advice = "The other charts are checked all the same."
    return {
        "name": "Watchbill",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
        "notifications": [
            _descriptor(NOT_CHECKED, NOT_CHECKED, "a chart could not be checked", advice),
            _descriptor(STALE_IGNORE, STALE_IGNORE, "an ignore no longer matches anything", "Remove it."),
        ],
    }


def _rules(run: Run, options: ReportOptions) -> list[Json]:
    """All that were looked for, and whatever else was found."""
    texts = {rule.id: (rule.name, rule.summary, options.page_of(rule)) for rule in options.rules}
    for finding in run.findings:
        texts.setdefault(finding.rule, (finding.name, finding.name.replace("-", " "), ""))
    return [
        _rule(number, *text, [finding for finding in run.findings if finding.rule == number])
        for number, text in texts.items()
    ]


def _rule(number: str, name: str, summary: str, page: str, found: Sequence[Finding]) -> Json:
    levels: list[Level] = [finding.level for finding in found] or ["warning"]
    level = min(levels, key=LEVELS.index)
    sure = all(finding.confidence == "high" for finding in found)
    advice = f"Run `watchbill explain {number}` for what happens, why, and the way out."
    return {
        **_descriptor(number, name, summary, advice),
        **({"help": _help(page)} if page else {}),
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["helm", "kubernetes"],
            "precision": "high" if sure else "medium",
            "problem.severity": PROBLEM_SEVERITY[level],
        },
    }


def _descriptor(number: str, name: str, summary: str, advice: str) -> Json:
    sentence = f"{summary[:1].upper()}{summary[1:]}".rstrip(".") + "."
    plain = f"{sentence} {advice.replace('`', '')}"
    return {
        "id": number,
        "name": "".join(part.capitalize() for part in re.split(r"\W+", name)),
        "shortDescription": _text(sentence),
        "fullDescription": _text(plain),
        "help": {"text": plain, "markdown": f"{sentence}\n\n{advice}"},
    }


def _help(page: str) -> Json:
    """The whole page of a rule: GitHub shows it below an alert. There is no site yet that `helpUri` could lead to."""
    return {"text": unstyle("\n".join(in_terminal(page, HELP_COLUMNS))), "markdown": page.strip()}


def _invocation(run: Run) -> Json:
    unchecked = [
        {
            "descriptor": {"id": NOT_CHECKED, "index": 0},
            "level": "error",
            "message": _text("\n".join(complaint(chart, problem))),
            "locations": [{"physicalLocation": _physical(Location(home_file(chart.path), 1))}],
        }
        for chart, problem in unchecked_charts(run)
    ]
    stale = [
        {"descriptor": {"id": STALE_IGNORE, "index": 1}, "level": "warning", "message": _text(text)}
        for text in run.unknown_ignores
    ]
    return {
        "executionSuccessful": not unchecked,
        "toolExecutionNotifications": unchecked,
        "toolConfigurationNotifications": stale,
    }


def _result(finding: Finding, chart: str, rule: int) -> Json:
    primary = _physical(finding.location or Location(home_file(chart), 1))
    location: Json = {"physicalLocation": primary}
    if finding.objects:
        location["logicalLocations"] = [
            {"fullyQualifiedName": name, "name": name.partition("/")[2] or name, "kind": "resource"}
            for name in finding.objects
        ]
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": finding.level,
        "message": _text(message(finding)),
        "locations": [location],
        "partialFingerprints": {"watchbill/v1": finding.fingerprint},
        "properties": _properties(finding),
    }
    if related := list(_related(finding)):
        result["relatedLocations"] = related
    if finding.trace:
        flow = [_step(row, number, primary) for number, row in enumerate(finding.trace.rows, 1)]
        _add_worlds(flow, finding.trace)
        result["codeFlows"] = [
            {"message": _text(f"with {finding.trace.tool}"), "threadFlows": [{"locations": flow}]}
        ]
    return result


def _properties(finding: Finding) -> Json:
    lists = {
        "tools": finding.tools,
        "scenarios": finding.scenarios,
        "changes": finding.changes,
        "charts": finding.charts,
        "profiles": finding.profiles,
        "moves": finding.trace.moves if finding.trace else (),
    }
    texts = {"dependency": finding.dependency, "error": finding.error, "override": finding.override}
    filled = {key: value for key, value in {**lists, **texts}.items() if value}
    return {"confidence": finding.confidence, **filled}


def _related(finding: Finding) -> Iterator[Json]:
    places = [(place, place.note) for place in finding.related]
    places += [(one.location, one.title) for one in finding.siblings if one.location]
    for through in finding.location.through if finding.location else ():
        file, _, line = through.rpartition(":")
        if line.isdecimal():
            places.append((Location(file, int(line)), "the text comes through here"))
    for number, (place, note) in enumerate(places, 1):
        related: Json = {"id": number, "physicalLocation": _physical(place)}
        if note:
            related["message"] = _text(note)
        yield related


def _step(row: Row, order: int, place: Json) -> Json:
    outcome = {None: "", True: " works", False: " fails"}[row.works]
    details = "; ".join([*([essence(row.error)] if row.error else []), *row.did])
    text = f"{row.move}{outcome}{f': {details}' if details else ''}"
    return {
        "location": {"message": _text(text), "physicalLocation": place},
        "executionOrder": order,
        "importance": "essential" if row.works is False else "important",
    }


def _add_worlds(flow: Sequence[Json], trace: Trace) -> None:
    """What was there before and after the move that shows it: the last."""
    worlds = {"before": trace.before, "after": trace.after}
    state = {name: _text("; ".join(world)) for name, world in worlds.items() if world}
    if flow and state:
        flow[-1]["state"] = state


def _physical(location: Location) -> Json:
    region = {"startLine": location.line or 1}  # code scanning shows nothing that has no line
    if location.column:
        region["startColumn"] = location.column
    return {"artifactLocation": _artifact(location.file), "region": region}


def _artifact(path: str) -> Json:
    path = normpath(path)
    if isabs(path):
        return {"uri": f"file://{_encoded_path(path)}"}
    if path.startswith("../"):  # outside of whatever the root is taken for
        return {"uri": _encoded_path(path)}
    return {"uri": _encoded_path(path), "uriBaseId": ROOT}


def _encoded_path(path: str) -> str:
    return quote(shortened(path, LONGEST_LINE), safe="/", errors="surrogateescape")


def _text(text: str) -> Json:
    """Viewers make links of what looks like one, and this text is of strangers."""
    return {"text": text.replace("](", "] (")}
