"""Golden files: a run goes in, every format comes out as it is stored beside it."""

from importlib import import_module

import pytest
from click import unstyle
from msgspec.structs import replace

from tests.report.golden import FOLDER, OPTIONS, compare, names, read
from watchbill.report.formats import FORMATS, report_in

# The file of each, the format and what it is asked for.
VIEWS = {
    "text.txt": ("text", OPTIONS),
    "quiet.txt": ("text", replace(OPTIONS, quiet=True)),
    "verbose.txt": ("text", replace(OPTIONS, verbose=True)),
    "narrow.txt": ("text", replace(OPTIONS, width=60)),
    "report.json": ("json", OPTIONS),
    "report.sarif": ("sarif", OPTIONS),
    "concise.txt": ("concise", OPTIONS),
    "gitlab.json": ("gitlab", OPTIONS),
    "github.txt": ("github", OPTIONS),
    "report.md": ("markdown", OPTIONS),
    "report.html": ("html", OPTIONS),
    "junit.xml": ("junit", replace(OPTIONS, fail_on="warning")),
}


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("file", VIEWS)
def test_a_report_reads_as_stored(name: str, file: str) -> None:
    form, options = VIEWS[file]
    text = report_in(form)(read(name), options)
    assert text == report_in(form)(read(name), options), "equal input, equal bytes"
    compare(FOLDER / name / file, unstyle(text) + "\n")


def test_every_format_is_shown() -> None:
    assert {form for form, _ in VIEWS.values()} == set(FORMATS)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("form", FORMATS)
def test_nothing_reaches_a_terminal_as_a_command(name: str, form: str) -> None:
    text = unstyle(report_in(form)(read(name), OPTIONS))
    for line in text.split("\n"):
        assert "\x1b" not in line
        assert form in ("json", "sarif", "gitlab") or line.isprintable(), line
        assert form == "github" or not line.lstrip().startswith("::"), line


def test_a_format_is_a_module_of_its_name() -> None:
    for form in FORMATS:
        assert import_module(f"watchbill.report.{form}").report is report_in(form)
