"""Workflow commands, read as GitHub's runner reads them."""

import re

import pytest
from msgspec.structs import replace

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, monster, run_of
from watchbill.checking.result import Location, Run
from watchbill.report import github


def commands(run: Run) -> list[tuple[str, dict[str, str], str]]:
    """As in the runner's ActionCommand.TryParseV2."""
    found = []
    *lines, last = github.report(run, OPTIONS).split("\n")
    assert not last.startswith("::")
    for line in lines:
        match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
        assert match, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        found.append(
            (match[1], {key: unescaped(value) for key, value in properties.items()}, unescaped(match[3]))
        )
    return found


def unescaped(text: str) -> str:
    for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(written, meant)
    return text


@pytest.mark.parametrize("name", names())
def test_every_finding_is_one_command(name: str) -> None:
    run = read(name)
    kinds = {"error": "error", "warning": "warning", "note": "notice"}
    told = [kind for kind, properties, _ in commands(run) if properties["title"].startswith("WB")]
    assert told == [kinds[finding.level] for finding in run.findings]


def test_it_points_at_the_line() -> None:
    finding = replace(PLAIN, location=Location("charts/a, 100%: x.yaml", 7, 3))
    ((_, properties, text),) = commands(run_of(finding))
    assert properties == {
        "file": "charts/a, 100%: x.yaml",
        "line": "7",
        "col": "3",
        "title": "WB101 immutable-job",
    }
    assert text.startswith(f"{PLAIN.title}\n")


def test_without_a_place_it_is_of_the_whole_run() -> None:
    ((_, properties, _),) = commands(run_of(replace(PLAIN, location=None)))
    assert properties == {"title": "WB101 immutable-job"}


def test_a_chart_that_was_not_checked_is_an_error() -> None:
    told = [
        text
        for kind, at, text in commands(read("many-charts"))
        if (kind, at["title"]) == ("error", "not checked")
    ]
    assert told[1] == (
        "charts/broken: Chart.yaml is no YAML: did not find expected node content\n"
        "charts/broken/Chart.yaml:3:7\nmend it"
    )


def test_huge_names_stay_within_what_the_page_shows() -> None:
    assert len(github.report(run_of(monster(HUGE)), OPTIONS)) < 65_536


def test_a_path_is_written_as_git_does() -> None:
    finding = replace(PLAIN, location=Location("./templates/job.yaml", 3, 5))
    [(_, properties, _)] = commands(run_of(finding))
    assert properties["file"] == "templates/job.yaml"
