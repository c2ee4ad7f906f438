"""What counts as a difference between two plays of one move, the worst first."""

from watchbill.checking.comparing.parting import parting
from watchbill.lifecycle.client import Step
from watchbill.lifecycle.moves import parse
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.world import Live, Phase, Run, World

JOB, MAP = Key("batch", "Job", "default", "migrate"), Key("", "ConfigMap", "default", "settings")
UPGRADE = parse("upgrade", "helm")


def live(kind: str, phase: Phase | None = None, *, terminating: bool = False) -> Live:
    run = Run(phase) if phase else None
    return Live(Body.of({"apiVersion": "v1", "kind": kind}), run=run, terminating=terminating)


def played(*objects: tuple[Key, Live], error: str = "", ran: tuple[Key, ...] = ()) -> Played:
    world = World(dict(objects))
    steps = tuple(Step("create", world, key, created=True) for key in ran)
    return Played(UPGRADE, world, steps, error)


DONE, FAILED = (JOB, live("Job", "succeeded")), (JOB, live("Job", "failed"))


def test_the_same_is_no_parting() -> None:
    assert parting(played(DONE, ran=(JOB,)), played(DONE, ran=(JOB,))) is None


def test_other_words_of_an_error_are_none() -> None:
    assert parting(played(error="Error: UPGRADE FAILED: a"), played(error="Error: b")) is None


def test_one_works_and_the_other_fails() -> None:
    found = parting(played(DONE), played(DONE, error='Error: jobs.batch "migrate" already exists'))
    assert found is not None
    assert (found.what, found.fails, found.why) == ("outcome", 1, "already exists")


def test_other_jobs_run_or_more_often() -> None:
    for other in ((), (JOB, JOB)):
        found = parting(played(DONE, ran=(JOB,)), played(DONE, ran=other))
        assert found is not None
        assert (found.what, found.objects) == ("runs", (JOB,))


def test_other_objects_are_left() -> None:
    found = parting(played(DONE, (MAP, live("ConfigMap"))), played(DONE))
    assert found is not None
    assert (found.what, found.objects) == ("remains", (MAP,))


def test_what_is_being_deleted_is_not_left() -> None:
    going = (MAP, live("ConfigMap", terminating=True))
    assert parting(played(going), played()) is None


def test_a_job_ends_otherwise_also_if_it_is_gone_by_then() -> None:
    here = parting(played(DONE), played(FAILED))
    deleted = [
        Played(UPGRADE, World(), (Step("delete", World(), *job[:1], deleted=job[1]),))
        for job in (DONE, FAILED)
    ]
    gone = parting(*deleted)
    for found in (here, gone):
        assert found is not None
        assert (found.what, found.objects) == ("ends", (JOB,))


def test_what_no_chart_can_change_is_told_apart() -> None:
    refused = (
        "Error: UPGRADE FAILED: invalid operation: cannot use server-side apply and force replace together"
    )
    found = parting(played(), played(error=refused))
    assert found is not None
    assert [side for side, _ in found.facts] == [1]
