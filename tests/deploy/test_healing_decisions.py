"""Which interrupted release is ours, and what is done with it. The states are those that real helm leaves (cluster/deploy/test_healing.py)."""

import pytest

from watchbill.deploy import healing
from watchbill.deploy.record import Record, Verb
from watchbill.deploy.releases import OPERATION, PRODUCT, Release, Revision

OURS = "op-ours"


def release(*revisions: tuple[str, str]) -> Release:
    """Status and operation of each revision; no operation: no label."""
    return Release(
        "web",
        "shop",
        tuple(
            Revision(
                number,
                status,
                {
                    "modifiedAt": "1893456000",
                    **({PRODUCT: "tetris", OPERATION: operation} if operation else {}),
                },
                f"sh.helm.release.v1.web.v{number}",
            )
            for number, (status, operation) in enumerate(revisions, 1)
        ),
    )


def working(verb: Verb, revision: int) -> Record:
    return Record("tetris").begun(OURS).started("shop", "web", verb, revision).begun("op-next")


NOTHING = Record("tetris").begun("op-next")
GOOD = ("deployed", "op-before")
FAILED = ("failed", OURS)

CASES: dict[str, tuple[Record, Release, bool, str]] = {
    "nothing is interrupted": (working("upgrade", 1), release(GOOD, FAILED), False, "none"),
    "our upgrade": (working("upgrade", 1), release(GOOD, ("pending-upgrade", OURS)), False, "rollback to 1"),
    "our upgrade, after one that failed": (
        working("upgrade", 2),
        release(GOOD, FAILED, ("pending-upgrade", OURS)),
        False,
        "rollback to 1",
    ),
    "our upgrade of what was superseded by failures only": (
        working("upgrade", 2),
        release(("superseded", "a"), ("failed", "b"), ("pending-upgrade", OURS)),
        False,
        "rollback to 1",
    ),
    "our first install": (working("upgrade", 0), release(("pending-install", OURS)), False, "refuse"),
    "our first install, and it may go": (
        working("upgrade", 0),
        release(("pending-install", OURS)),
        True,
        "uninstall",
    ),
    "our second attempt of an install that never worked": (
        working("upgrade", 1),
        release(("failed", "op-before"), ("pending-upgrade", OURS)),
        True,
        "uninstall",
    ),
    "uninstall is not for what can be rolled back": (
        working("upgrade", 1),
        release(GOOD, ("pending-upgrade", OURS)),
        True,
        "rollback to 1",
    ),
    "the rollback of our atomic upgrade": (
        working("atomic-upgrade", 1),
        release(GOOD, FAILED, ("pending-rollback", "op-before")),
        False,
        "rollback to 1",
    ),
    "somebody's rollback of our upgrade that failed": (
        working("upgrade", 1),
        release(GOOD, FAILED, ("pending-rollback", "op-before")),
        False,
        "refuse",
    ),
    "our own healing, interrupted": (
        working("rollback", 2),
        release(GOOD, ("pending-upgrade", "op-0"), ("pending-rollback", "op-before")),
        False,
        "rollback to 1",
    ),
    "our own healing, which had not begun": (
        working("rollback", 2),
        release(GOOD, ("pending-upgrade", "op-0")),
        False,
        "rollback to 1",
    ),
    "our own uninstall, interrupted": (
        working("uninstall", 1),
        release(("uninstalling", OURS)),
        True,
        "uninstall",
    ),
    "our own uninstall, interrupted, and now nobody asks for it": (
        working("uninstall", 1),
        release(("uninstalling", OURS)),
        False,
        "refuse",
    ),
    "somebody's uninstall": (working("upgrade", 0), release(("uninstalling", OURS)), True, "refuse"),
    "somebody's own release": (NOTHING, release(("pending-install", "")), True, "refuse"),
    # Helm hands the labels of a revision on to the next one, whoever makes it.
    "somebody's upgrade after ours worked": (
        NOTHING,
        release(("deployed", OURS), ("pending-upgrade", OURS)),
        True,
        "refuse",
    ),
    "somebody's upgrade after ours failed": (
        working("upgrade", 1),
        release(GOOD, FAILED, ("pending-upgrade", OURS)),
        False,
        "refuse",
    ),
    "somebody's upgrade before ours began": (
        working("upgrade", 1),
        release(GOOD, ("pending-upgrade", "op-before")),
        False,
        "refuse",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_decision(case: str) -> None:
    record, found, uninstall, expected = CASES[case]
    healed = healing.decide(record, found, uninstall=uninstall)
    said = "none" if healed is None else healed.action
    assert (f"{said} to {healed.revision}" if healed and healed.revision else said) == expected


def test_a_refusal_says_whose_it_is_since_when_and_the_command() -> None:
    healed = healing.decide(NOTHING, release(("deployed", "op-1"), ("pending-upgrade", "op-1")))
    assert healed
    error = healing.refusal([healed])
    assert error
    assert error.what == (
        "release shop/web: revision 2 is pending-upgrade since 2030-01-01T00:00:00Z, and was not left by a deploy of "
        "tetris: its labels name product tetris, operation op-1, and it may be somebody's own helm on that"
    )
    assert error.then == "if nobody is at work on it: helm rollback web 1 --namespace shop"


def test_since_when_is_not_the_time_of_the_revision_before() -> None:
    """Helm copies the label modifiedAt into the next revision."""
    labels = {"modifiedAt": "1893456000", "createdAt": "1893456084"}
    pending = Revision(2, "pending-upgrade", labels, "sh.helm.release.v1.web.v2")
    healed = healing.decide(NOTHING, Release("web", "shop", (pending,)))
    assert healed
    assert "pending-upgrade since 2030-01-01T00:01:24Z" in healed.what


def test_the_refusal_of_a_first_install_has_both_ways_out() -> None:
    healed = healing.decide(working("upgrade", 0), release(("pending-install", OURS)))
    assert healed
    assert "left by operation op-ours; no revision has ever worked" in healed.what
    assert "--heal=uninstall" in healed.then
    assert "kubectl delete secret sh.helm.release.v1.web.v1 --namespace shop" in healed.then


def test_all_refusals_are_told_at_once() -> None:
    refused = healing.decide(NOTHING, release(("pending-install", "")))
    assert refused
    error = healing.refusal([refused, refused])
    assert error
    assert error.what == "2 releases were left in the middle of something"
    assert str(error).count("helm uninstall web --namespace shop") == 2
    assert healing.refusal([]) is None
