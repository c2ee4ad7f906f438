"""Which components are new."""

import pytest

from watchbill.deploy.outlook import Outlook
from watchbill.deploy.record import Record
from watchbill.deploy.releases import PRODUCT, Release, Revision


def released(*revisions: tuple[str, str]) -> Release:
    """By status and by the product of its labels."""
    made = (
        Revision(at, status, {PRODUCT: product} if product else {}, f"stored-{at}")
        for at, (status, product) in enumerate(revisions, 1)
    )
    return Release("web", "shop", tuple(made))


OURS = ("deployed", "shop")


@pytest.mark.parametrize(
    ("record", "release", "is_new"),
    [
        (Record("shop"), released(("failed", "shop")), True),
        (Record("shop", target="1.0.0"), released(OURS), True),
        (Record("shop", installed="0.9.0", target="1.0.0", complete=("queue",)), released(OURS), True),
        (Record("shop", target="1.0.0", complete=("web",)), released(OURS), False),
        (Record("shop", installed="1.0.0", complete=("web",)), released(("failed", "shop")), True),
        (Record("shop"), released(("deployed", "")), False),
        (Record("shop", target="1.0.0"), released(("superseded", ""), OURS), False),
        (Record("shop", installed="1.0.0"), released(OURS), False),
    ],
    ids=[
        "its first install failed",
        "its chart is in, and a job after it failed",
        "the same, of a component that the version before did not have",
        "it was complete once",
        "nothing of it ever worked",
        "somebody's own helm installed it",
        "and a deploy that is not complete upgraded it",
        "an earlier Watchbill installed it, and did not write down components",
    ],
)
def test_a_component_is_new_until_it_was_complete_once(
    record: Record, release: Release, is_new: bool
) -> None:
    assert ("web" not in Outlook(record, {"web": release}).present) is is_new
