"""From which version to which a deploy may go: what the record says, the bill, and what comes of it."""

import pytest
from msgspec import Struct

from watchbill import versions
from watchbill.deploy.path import Hop, decide
from watchbill.deploy.siblings import Sibling
from watchbill.errors import UserError


class Known(Struct, frozen=True):
    """A record."""

    installed: str = ""
    target: str = ""
    done: tuple[str, ...] = ()


def bill(version: str, *upgrades_from: str) -> Sibling:
    return Sibling(
        f"bills/{version}.yaml", "shop", versions.parse(version), tuple(map(versions.parse, upgrades_from))
    )


A, B, C, D = bill("1.0.0"), bill("2.0.0", "1.0.0", "1.1.0"), bill("3.0.0", "2.0.0"), bill("4.0.0", "3.0.0")
NOTHING = Known()
COMPLETE = Known("2.0.0", "2.0.0", ("web", "api"))
PART = Known("1.0.0", "2.0.0", ("web",))
FIRST_PART = Known("", "1.0.0", ("web",))


@pytest.mark.parametrize(
    ("record", "to", "hop"),
    [
        (None, A, Hop("", "1.0.0", "first")),
        (NOTHING, A, Hop("", "1.0.0", "first")),
        (NOTHING, C, Hop("", "3.0.0", "first")),
        (Known("2.0.0"), B, Hop("2.0.0", "2.0.0", "same")),
        (COMPLETE, B, Hop("2.0.0", "2.0.0", "same")),
        (COMPLETE, bill("2.0.0+rebuilt"), Hop("2.0.0", "2.0.0+rebuilt", "same")),
        (Known("1.0.0"), B, Hop("1.0.0", "2.0.0", "upgrade")),
        (Known("1.1.0", "1.1.0"), B, Hop("1.1.0", "2.0.0", "upgrade")),
        (COMPLETE, C, Hop("2.0.0", "3.0.0", "upgrade")),
        (PART, B, Hop("1.0.0", "2.0.0", "resume")),
        (Known("1.0.0", "2.0.0"), B, Hop("1.0.0", "2.0.0", "resume")),
        (FIRST_PART, A, Hop("", "1.0.0", "resume")),
    ],
)
@pytest.mark.parametrize("back", [False, True])
def test_a_step_that_is_allowed(record: Known | None, to: Sibling, hop: Hop, back: bool) -> None:
    assert decide(record, to, back=back) == hop


def test_a_part_is_taken_back_when_asked_to_and_with_a_warning() -> None:
    hop = decide(PART, A, back=True)
    assert (hop.from_, hop.to, hop.kind) == ("2.0.0", "1.0.0", "back")
    assert hop.warning == (
        "shop 2.0.0 is there in part (1 of its components done: web). 1.0.0 is deployed over it: "
        "what jobs of 2.0.0 changed stays as they left it."
    )


REFUSED = {
    "older": (
        COMPLETE,
        A,
        False,
        (),
        """\
shop cannot go back to 1.0.0: 2.0.0 is installed
  bills/1.0.0.yaml
  downgrades are not supported: deploy 2.0.0 or a later version""",
    ),
    "older, with --back": (
        COMPLETE,
        A,
        True,
        (),
        """\
shop cannot go back to 1.0.0: 2.0.0 is installed
  bills/1.0.0.yaml
  --back is for a deploy that is not complete, and that of 2.0.0 is
  downgrades are not supported: deploy 2.0.0 or a later version""",
    ),
    "one too far": (
        Known("1.0.0"),
        C,
        False,
        (),
        """\
shop cannot go from 1.0.0 to 3.0.0
  bills/3.0.0.yaml: it upgrades from 2.0.0
  deploy 2.0.0 first, or name the folder of all bills: --through FOLDER""",
    ),
    "two too far, and the bills between are known": (
        Known("1.0.0"),
        D,
        False,
        (A, B, C),
        """\
shop cannot go from 1.0.0 to 4.0.0
  bills/4.0.0.yaml: it upgrades from 3.0.0
  1.0.0 → 2.0.0 → 3.0.0 → 4.0.0 is the way; deploy them one after the other:
    watchbill deploy bills/2.0.0.yaml
    watchbill deploy bills/3.0.0.yaml
    watchbill deploy bills/4.0.0.yaml
  or all of them with --through and their folder""",
    ),
    "too far, and the bills between do not lead there": (
        Known("1.0.0"),
        D,
        False,
        (A, B, bill("2.5.0", "2.0.0")),
        """\
shop cannot go from 1.0.0 to 4.0.0
  bills/4.0.0.yaml: it upgrades from 3.0.0
  2.0.0 and 2.5.0 lie between, but no upgrade leads from 1.0.0 over them to 4.0.0""",
    ),
    "to a first version": (
        Known("0.9.0"),
        A,
        False,
        (),
        """\
shop cannot go from 0.9.0 to 1.0.0
  bills/1.0.0.yaml: it is a first version: it upgrades from none
  say under upgradesFrom that it upgrades from 0.9.0, if it does""",
    ),
    "to another one after a part": (
        PART,
        C,
        False,
        (A, B),
        """\
shop cannot go to 3.0.0: the deploy of 2.0.0 is not complete
  from 1.0.0 to 2.0.0, 1 of its components done: web
  finish 2.0.0 first: watchbill deploy bills/2.0.0.yaml
  or go back to 1.0.0: with its bill and --back""",
    ),
    "to another one after a part, with --back": (
        PART,
        bill("1.1.0", "1.0.0"),
        True,
        (),
        """\
shop cannot go to 1.1.0: the deploy of 2.0.0 is not complete
  from 1.0.0 to 2.0.0, 1 of its components done: web
  finish 2.0.0 first: watchbill deploy FILE, with the bill of 2.0.0
  or go back to 1.0.0: with its bill and --back
  or give 2.0.0 up, and deploy 1.1.0 over what is there of it: --abandon 2.0.0""",
    ),
    "back from a part, unasked": (
        Known("1.0.0", "2.0.0"),
        A,
        False,
        (),
        """\
shop cannot go to 1.0.0: the deploy of 2.0.0 is not complete
  from 1.0.0 to 2.0.0, none of its components done
  finish 2.0.0 first: watchbill deploy FILE, with the bill of 2.0.0
  or go back to 1.0.0: --back deploys it over what is there of 2.0.0""",
    ),
    "to another one after a part of a first install": (
        FIRST_PART,
        B,
        False,
        (),
        """\
shop cannot go to 2.0.0: the deploy of 1.0.0 is not complete
  first install of 1.0.0, 1 of its components done: web
  finish 1.0.0 first: watchbill deploy FILE, with the bill of 1.0.0
  or give 1.0.0 up, and deploy 2.0.0 over what is there of it: --abandon 1.0.0""",
    ),
    "back from a part of a first install": (
        FIRST_PART,
        bill("0.9.0"),
        True,
        (),
        """\
shop cannot go to 0.9.0: the deploy of 1.0.0 is not complete
  first install of 1.0.0, 1 of its components done: web
  finish 1.0.0 first: watchbill deploy FILE, with the bill of 1.0.0
  --back has nothing to go back to: nothing was installed before
  or give 1.0.0 up, and deploy 0.9.0 over what is there of it: --abandon 1.0.0""",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_says_what_is_installed_what_is_allowed_and_what_to_do(case: str) -> None:
    record, to, back, known, words = REFUSED[case]
    with pytest.raises(UserError) as caught:
        decide(record, to, back=back, known=known)
    assert str(caught.value) == words
    assert caught.value.exit_code == 2


def test_many_components_fill_no_screen() -> None:
    record = Known("1.0.0", "2.0.0", tuple(f"component-{number}" for number in range(200)))
    with pytest.raises(UserError) as caught:
        decide(record, C)
    assert "200 of its components done: component-0, " in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("record", "to", "abandon", "from_", "kind"),
    [
        (FIRST_PART, B, "1.0.0", "", "first"),
        (FIRST_PART, bill("1.0.1"), "v1.0.0", "", "first"),
        (PART, bill("2.0.1", "1.0.0"), "2.0.0", "1.0.0", "upgrade"),
    ],
)
def test_a_version_that_cannot_be_completed_can_be_given_up(
    record: Known, to: Sibling, abandon: str, from_: str, kind: str
) -> None:
    with pytest.raises(UserError) as refused:
        decide(record, to)
    assert f"--abandon {record.target}" in str(refused.value)
    hop = decide(record, to, abandon=abandon)
    assert (hop.from_, hop.to, hop.kind) == (from_, str(to.version), kind)
    assert f"{record.target} is given up (done so far: web)" in hop.warning


@pytest.mark.parametrize("record", [Known("", "2.0.0"), Known("2.0.0")])
def test_the_same_command_again_finds_the_version_given_up_already(record: Known) -> None:
    assert decide(record, B, abandon="1.0.0").kind in ("resume", "same")


@pytest.mark.parametrize(
    ("record", "to", "abandon", "told"),
    [
        (NOTHING, A, "1.0.0", "no deploy was left incomplete"),
        (PART, C, "1.5.0", "--abandon 2.0.0"),
        (PART, B, "2.0.0", "to finish 2.0.0, leave --abandon out"),
        (PART, A, "2.0.0", "use --back instead"),
        (PART, C, "2.0.0", "cannot go from 1.0.0 to 3.0.0"),
    ],
)
def test_what_is_given_up_must_be_under_way_and_the_way_open(
    record: Known, to: Sibling, abandon: str, told: str
) -> None:
    with pytest.raises(UserError) as refused:
        decide(record, to, abandon=abandon)
    assert told in str(refused.value)


def test_what_has_no_way_is_not_advised() -> None:
    with pytest.raises(UserError) as refused:
        decide(PART, C)
    assert "--abandon" not in str(refused.value)
