"""What a person reads when a deploy is over: the table of durations, what failed and what is to be done, and the verdict."""

import datetime as dt

import click
import pytest
from msgspec.structs import replace

from watchbill import versions
from watchbill.cli.deploy_text import closing, heading, warnings, way
from watchbill.deploy.bill import Bill
from watchbill.deploy.outlook import Outlook
from watchbill.deploy.path import Hop
from watchbill.deploy.record import Record
from watchbill.deploy.releases import Release, Revision
from watchbill.deploy.result import Charted, ComponentResult, Result, StageResult
from watchbill.jobs.moments import Moment, Post, Pre
from watchbill.jobs.outcomes import Outcome, Status

BILL = Bill("bill.yaml", "/product", "shop", versions.parse("1.1.0"), (), "shop", profile="large")
HOP = Hop("1.0.0", "1.1.0", "upgrade")


def outcome(
    identity: str,
    moment: Moment,
    status: Status,
    reason: str = "",
    *,
    guide: str = "",
    log: tuple[str, ...] = (),
) -> Outcome:
    component = None if identity.startswith("global/") else identity.partition("/")[0]
    return Outcome(identity, component, moment, status, dt.datetime.now(dt.UTC), 2.0, reason, guide, log)


def told(result: Result) -> str:
    return click.unstyle("\n".join(closing(BILL, HOP, result)))


def test_durations_by_job_stage_and_total() -> None:
    result = Result(
        "done",
        "",
        75.0,
        (StageResult("global-pre", "done", 2.0), StageResult("components", "done", 70.0)),
        (
            ComponentResult(
                "web",
                "components",
                "done",
                seconds=69.0,
                chart=Charted("done", revision=7),
                chart_seconds=60.0,
            ),
        ),
        (
            outcome("global/look", Pre, "done"),
            outcome("web/grow", Pre, "skipped", "claim is 30Gi"),
            outcome("web/seed", Post, "done"),
        ),
    )
    rows = [" ".join(line.split()) for line in told(result).splitlines()]
    assert rows[1:] == [
        "what how took",
        "global-pre done 2s",
        "pre look done 2s",
        "components done 1m10s",
        "web done 1m9s revision 7",
        "pre grow skipped 2s claim is 30Gi",
        "chart done 1m",
        "post seed done 2s",
        "total done 1m15s",
        "",
        "shop 1.0.0 → 1.1.0: done after 1m15s (1 components, 3 jobs)",
    ]


def test_what_failed_and_what_to_do() -> None:
    lines = tuple(f"line {at}" for at in range(30))
    result = Result(
        "failed",
        "",
        9.0,
        (StageResult("components", "failed", 9.0),),
        (
            ComponentResult(
                "web", "components", "manual", "pre job web/grow: it cannot grow", "copy the data"
            ),
            ComponentResult("shop", "components", "failed", "helm said no", chart=Charted("failed")),
            ComponentResult("last", "components", "not-started", "an earlier stage failed"),
        ),
        (
            outcome(
                "web/grow", Pre, "manual", "it cannot grow", guide="copy the data\nthen delete it", log=lines
            ),
        ),
    )
    text = told(result)
    assert "what you have to do:\n    copy the data\n    then delete it" in text
    assert "| line 29" in text
    assert "| line 19" not in text, "the end of the log is enough here"
    assert "helm said no" in text
    assert "0 of 3 components" in text
    assert "run the same command again: it finishes 1.1.0" in text
    assert "watchbill history show --logs" in text


def test_of_several_failed_jobs_each_is_named_with_its_own_lines() -> None:
    result = Result(
        "failed",
        components=(ComponentResult("web", "components", "failed", "pre job web/one: no room"),),
        jobs=(
            outcome("web/one", Pre, "failed", "no room", log=("measures",)),
            outcome("web/two", Pre, "manual", "no way", guide="make one", log=("looks",)),
        ),
    )
    assert (
        "  pre job web/one: failed: no room\n    | measures\n"
        "  pre job web/two: manual: no way\n    | looks\n  what you have to do:\n    make one\n"
    ) in told(result)


def test_the_command_for_logs_names_a_bill_that_is_not_found_by_itself() -> None:
    failed = Result("failed")
    there = "\n".join(closing(replace(BILL, file="bills/our shop.yaml"), HOP, failed))
    assert "watchbill history show --logs --bill 'bills/our shop.yaml'" in there
    assert "--bill" not in told(failed)


def test_what_stays_and_where_a_record_is_are_warnings() -> None:
    revision = Revision(3, "deployed", {}, "stored")
    outlook = Outlook(
        Record("shop"), {}, dropped=(Release("old", "shop", (revision,)),), elsewhere=("before",)
    )
    dropped, elsewhere = warnings(BILL, HOP, outlook)
    assert dropped == (
        "release shop/old is of shop, but of no component of 1.1.0: it stays. "
        "To remove it: helm uninstall old --namespace shop"
    )
    assert elsewhere.startswith("shop has a record in namespace before and none in shop")
    assert list(warnings(BILL, HOP, Outlook(Record("shop"), {}))) == []


def test_a_global_job_is_told_of_in_full() -> None:
    failed = outcome("global/look", Pre, "failed", "ValueError: no room left", log=("looks around",))
    text = told(Result("failed", "", 2.0, (StageResult("global-pre", "failed", 2.0),), (), (failed,)))
    assert "failed  global/look\n  ValueError: no room left\n    | looks around" in text


@pytest.mark.parametrize(
    ("hop", "words"),
    [
        (Hop("", "1.1.0", "first"), "1.1.0, from nothing"),
        (Hop("1.1.0", "1.1.0", "same"), "1.1.0, again"),
        (HOP, "1.0.0 → 1.1.0"),
        (Hop("1.0.0", "1.1.0", "resume"), "1.0.0 → 1.1.0, which was begun before"),
        (Hop("", "1.1.0", "resume"), "nothing → 1.1.0, which was begun before"),
        (Hop("1.1.0", "1.0.0", "back"), "back from a part of 1.1.0 to 1.0.0"),
    ],
)
def test_from_where_to_where(hop: Hop, words: str) -> None:
    assert way(hop) == words
    assert click.unstyle(heading(BILL, hop, "abc")) == f"shop {words}, profile large    operation abc"
