"""Severities, ignores and the baseline, on findings."""

import pytest

from tests.support.findings import finding
from watchbill.checking.baseline import Baseline, Entry
from watchbill.checking.ignores import InlineIgnore
from watchbill.checking.result import Finding, Location
from watchbill.checking.settings.config import Config, Ignore
from watchbill.checking.silencing import silence, unused

FILE = ".watchbill.yaml"


def config(*ignores: Ignore, **severities: str) -> Config:
    return Config(file=FILE, ignores=ignores, severities=severities)  # type: ignore[arg-type]


def rules(found: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(one.rule, one.level) for one in found]


def test_without_settings_all_is_kept() -> None:
    silenced = silence([finding("WB101"), finding("WB304", level="note")], "shop", Config())
    assert rules(silenced.kept) == [("WB101", "error"), ("WB304", "note")]
    assert (silenced.ignored, silenced.used, silenced.unused) == ((), frozenset(), frozenset())


def test_severities_change_the_level_and_the_order() -> None:
    found = [finding("WB101"), finding("WB301", level="warning"), finding("WB304", level="note")]
    silenced = silence(found, "shop", config(WB101="note", WB304="error", WB301="off"))
    assert rules(silenced.kept) == [("WB304", "error"), ("WB101", "note")]
    [ignored] = silenced.ignored
    assert (ignored.finding.rule, ignored.reason) == ("WB301", "WB301 is off in .watchbill.yaml")


@pytest.mark.parametrize(
    ("ignore", "holds"),
    [
        (Ignore("r", rule="WB101"), True),
        (Ignore("r", rule="WB301"), False),
        (Ignore("r", resource="Job/shop-migrate"), True),
        (Ignore("r", resource="job/*-migrate"), True),
        (Ignore("r", resource="*/shop-*"), True),
        (Ignore("r", resource="Job/*-MIGRATE"), False),
        (Ignore("r", resource="CronJob/*-migrate"), False),
        (Ignore("r", dependency="postgresql"), True),
        (Ignore("r", dependency="post*"), True),
        (Ignore("r", dependency="db"), True),
        (Ignore("r", dependency="db/postgresql"), True),
        (Ignore("r", dependency="12.1.0"), False),
        (Ignore("r", dependency="redis"), False),
        (Ignore("r", rule="WB101", resource="Job/*", dependency="postgresql"), True),
        (Ignore("r", rule="WB101", resource="Job/*", dependency="redis"), False),
        (Ignore("r", rule="WB101", resource="Pod/*", dependency="postgresql"), False),
    ],
)
def test_all_that_an_ignore_says_must_be_true(ignore: Ignore, holds: bool) -> None:
    silenced = silence([finding(dependency="db/postgresql 12.1.0")], "shop", config(ignore))
    assert bool(silenced.ignored) is holds
    assert bool(silenced.kept) is not holds


def test_an_ignore_of_a_dependency_is_not_about_the_chart_itself() -> None:
    assert silence([finding()], "shop", config(Ignore("r", dependency="*"))).kept


def test_of_several_objects_all_must_be_accepted() -> None:
    both = finding(objects=("Job/a-smoke", "Job/b-migrate"))
    assert silence([both], "shop", config(Ignore("r", resource="Job/*-smoke"))).kept
    assert not silence([both], "shop", config(Ignore("r", resource="Job/*"))).kept


def test_the_reason_goes_with_what_is_ignored() -> None:
    comment = InlineIgnore("t.yaml", 1, 1, 9, ("WB304",), "in the template")
    known = Baseline("b.json", (Entry("shop", "WB301", "x", "t"),))
    found = [
        finding("WB101"),
        finding("WB304", location=Location("t.yaml", 2)),
        finding("WB301", fingerprint="x"),
    ]
    silenced = silence(found, "shop", config(Ignore("in settings", rule="WB101", line=3)), [comment], known)
    assert silenced.kept == ()
    assert [ignored.reason for ignored in silenced.ignored] == [
        "in settings",
        "in the template",
        "known in b.json",
    ]


def test_what_the_baseline_knows_is_of_one_chart() -> None:
    known = Baseline("b.json", (Entry("shop", "WB101", "x", "t"),))
    assert not silence([finding(fingerprint="x")], "shop", Config(), baseline=known).kept
    assert silence([finding(fingerprint="x")], "cart", Config(), baseline=known).kept
    assert silence([finding(fingerprint="y")], "shop", Config(), baseline=known).kept


def test_what_is_of_no_use_is_told_in_the_order_of_files_and_lines() -> None:
    ignores = [Ignore("r", rule="WB101", line=9), Ignore("r", "WB304", "Job/x", "redis", line=10)]
    comment = InlineIgnore("t.yaml", 7, 1, 9, ("WB101", "WB304"), "r")
    known = Baseline("b.json", (Entry("shop", "WB101", "x", "it fails"), Entry("cart", "WB101", "x", "t")))
    silenced = silence([], "shop", config(*ignores), [comment], known)
    assert unused([silenced]) == (
        ".watchbill.yaml:9: WB101",
        ".watchbill.yaml:10: WB304 of Job/x in redis",
        "b.json: WB101 it fails (shop)",
        "t.yaml:7: WB101, WB304",
    )


def test_what_is_of_use_for_one_chart_is_of_use() -> None:
    settings = config(Ignore("r", rule="WB101", line=9))
    of_none, of_one = silence([], "shop", settings), silence([finding()], "cart", settings)
    assert unused([of_none, of_one]) == ()
    assert len(unused([of_none, of_none])) == 1


def test_what_is_silenced_twice_makes_both_of_use() -> None:
    known = Baseline("b.json", (Entry("shop", "WB101", "f", "t"),))
    silenced = silence([finding()], "shop", config(Ignore("r", rule="WB101", line=9)), baseline=known)
    assert len(silenced.ignored) == 1
    assert unused([silenced]) == ()
