"""JUnit's XML: what fails is what --fail-on says, and every text is XML."""

from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, monster, run_of
from watchbill.checking.result import LEVELS, Level
from watchbill.report import junit


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("fail_on", LEVELS)
def test_the_numbers_are_those_of_what_is_in_it(name: str, fail_on: Level) -> None:
    run = read(name)
    root = ET.fromstring(junit.report(run, replace(OPTIONS, fail_on=fail_on)))
    assert len(root) == len(run.charts)
    for node in (root, *root):
        said = {key: int(node.attrib[key]) for key in ("tests", "failures", "errors", "skipped")}
        assert said == {
            "tests": len(list(node.iter("testcase"))),
            "failures": len(list(node.iter("failure"))),
            "errors": len(list(node.iter("error"))),
            "skipped": len(list(node.iter("skipped"))),
        }


@pytest.mark.parametrize(("fail_on", "failing"), [("error", 1), ("warning", 2), ("note", 3)])
def test_what_fails_is_asked_for(fail_on: Level, failing: int) -> None:
    run = run_of(PLAIN, replace(PLAIN, level="warning"), replace(PLAIN, level="note"))
    root = ET.fromstring(junit.report(run, replace(OPTIONS, fail_on=fail_on)))
    assert len(list(root.iter("failure"))) == failing
    assert len(list(root.iter("system-out"))) == 3 - failing


def test_names_of_strangers_are_text() -> None:
    root = ET.fromstring(junit.report(read("hostile"), OPTIONS))
    failure = next(root.iter("failure"))
    assert "]]> <b>&amp;" in failure.attrib["message"]
    assert "]]> <b>&amp;" in (failure.text or "")
    assert "\\x00" in failure.attrib["message"]


def test_names_that_are_no_unicode_and_huge_ones_are_text_too() -> None:
    assert ET.fromstring(junit.report(run_of(monster("\udc80\ufffe\U0010ffff")), OPTIONS))
    assert ET.fromstring(junit.report(run_of(monster(HUGE)), OPTIONS))


def test_it_does_not_depend_on_a_terminal() -> None:
    run = read("error-and-note")
    assert junit.report(run, replace(OPTIONS, width=50)) == junit.report(run, OPTIONS)
