"""Every error that was ever recorded is recognised, as it is and in every mess, and the state it names is true."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.mess import MESSES
from tests.support.txtar import read
from watchbill.lifecycle.kube.words import normalise
from watchbill.rules.errors.recognise import recognise

TAPES = Path(__file__).resolve().parents[2] / "tapes"
NAMED = re.compile(r'"[^"]*"|\b\d+\b|(?<=[/ ])[a-z]+-\d+\b')


class Recorded(NamedTuple):
    """What a real tool said, doing what, and the release's status afterwards."""

    error: str
    move: str
    tool: str
    status: str
    tape: str


@cache
def recorded() -> tuple[Recorded, ...]:
    found = []
    for path in sorted(TAPES.rglob("*.txtar")):
        for line in read(path).files.get("truth.jsonl", b"").splitlines():
            truth = json.loads(line)
            found += [_recorded(move, truth["tool"], path) for move in truth["moves"] if move["error"]]
    return tuple(found)


def _recorded(move: dict[str, Any], tool: str, path: Path) -> Recorded:
    status = (move["release"] or {}).get("status", "")
    return Recorded(move["error"], move["move"], tool, status, f"{path.parent.name}/{path.stem}")


@cache
def shapes() -> dict[str, Recorded]:
    """One of each: errors that differ in more than names and numbers."""
    return {NAMED.sub("?", normalise(one.error)): one for one in recorded()}


def test_there_is_much_to_recognise() -> None:
    assert len(recorded()) > 1900
    assert len(shapes()) > 300


def test_every_recorded_error_is_recognised() -> None:
    unknown = {
        f"{one.tape} {one.tool} {one.move}: {one.error[:200]}"
        for one in recorded()
        if not recognise(one.error)
    }
    assert not unknown


@pytest.mark.parametrize("mess", MESSES)
def test_no_mess_hinders_it(mess: str) -> None:
    differences = []
    for one in shapes().values():
        clean, messy = gist(one.error), gist(MESSES[mess](one.error))
        if clean != messy:
            differences.append(
                f"{one.tape} {one.tool}: {one.error[:300]!r}\n  is {clean}\n  in the mess {messy}"
            )
    assert not differences, "\n".join(differences[:10])


@cache
def gist(text: str) -> list[tuple[object, ...]]:
    return [
        (one.error, one.operation, one.event, one.kind, one.objects, one.release, one.namespace)
        for one in recognise(text)
    ]


def test_the_operation_it_names_is_the_one_that_failed() -> None:
    wrong = []
    for one in recorded():
        verb = re.sub(r"^(?:kill \d+ |release \S+ )+", "", one.move).split()[0]
        for told in recognise(one.error):
            of_helm = told.tool == "helm" and told.operation
            undoing = "rolling back" in one.error and told.operation == "rollback"
            installing = "--install" in one.move and told.operation == "install"
            if of_helm and told.operation != verb and not undoing and not installing:
                wrong.append(f"{one.tape} {one.tool} {one.move}: {told.operation}, {one.error[:200]}")
    assert sorted({text.split()[0] for text in wrong}) == UNTOLD, "\n".join(wrong)


# `upgrade --install` that adopts a Job and cannot change it says what only a rollback says otherwise.
UNTOLD = ["uninstall/keep-changed-job-then-reinstall"]


def test_the_status_it_names_is_the_one_that_was_stored() -> None:
    wrong = [
        f"{one.tape} {one.tool} {one.move}: {told.error} says {told.status}, is {one.status}"
        for one in recorded()
        for told in recognise(one.error)[-1:]  # the last that went wrong left the state
        if told.tool == "helm" and told.operation and told.status and one.status not in told.status
    ]
    assert not [text for text in wrong if text.split()[0] not in UNTOLD], "\n".join(wrong)
