"""The way through several versions, and the bills that are found for it."""

from pathlib import Path

import pytest

from tests.support.trees import write
from watchbill import versions
from watchbill.charts.engine import Engine
from watchbill.deploy.siblings import Sibling, beside, in_folder
from watchbill.deploy.way import through
from watchbill.errors import UserError


def bill(version: str, *upgrades_from: str) -> Sibling:
    return Sibling(
        f"bills/{version}.yaml", "shop", versions.parse(version), tuple(map(versions.parse, upgrades_from))
    )


CHAIN = [bill("1.0.0"), bill("3.0.0", "2.0.0", "2.1.0"), bill("2.0.0", "1.0.0"), bill("4.0.0", "3.0.0")]


def way(bills: list[Sibling], installed: str, target: str = "", under_way: str = "") -> list[str]:
    goal = versions.parse(target) if target else None
    return [str(step.version) for step in through(bills, installed, goal, under_way=under_way)]


def refused(bills: list[Sibling], installed: str, target: str = "", under_way: str = "") -> str:
    with pytest.raises(UserError) as caught:
        way(bills, installed, target, under_way)
    return str(caught.value)


@pytest.mark.parametrize(
    ("installed", "target", "under_way", "steps"),
    [
        ("", "", "", "4.0.0"),
        ("", "2.0.0", "", "2.0.0"),
        ("1.0.0", "", "", "2.0.0 3.0.0 4.0.0"),
        ("v1.0.0", "", "1.0.0", "2.0.0 3.0.0 4.0.0"),
        ("1.0.0", "3.0.0", "", "2.0.0 3.0.0"),
        ("2.1.0", "", "", "3.0.0 4.0.0"),
        ("4.0.0", "", "4.0.0", "4.0.0"),
        ("2.0.0", "2.0.0", "", "2.0.0"),
        ("1.0.0", "", "2.0.0", "2.0.0 3.0.0 4.0.0"),
        ("1.0.0", "2.0.0", "2.0.0", "2.0.0"),
        ("", "", "1.0.0", "1.0.0 2.0.0 3.0.0 4.0.0"),
        ("", "", "4.0.0", "4.0.0"),
    ],
)
def test_the_way(installed: str, target: str, under_way: str, steps: str) -> None:
    assert way(CHAIN, installed, target, under_way) == steps.split()


def test_the_shortest_way_and_of_several_that_over_later_versions() -> None:
    bills = [
        bill("1.1.0", "1.0.0"),
        bill("1.2.0", "1.1.0", "1.0.0"),
        bill("1.3.0", "1.0.0"),
        bill("2.0.0", "1.1.0", "1.2.0", "1.3.0"),
    ]
    assert way(bills, "1.0.0") == ["1.3.0", "2.0.0"]
    assert way(bills, "1.1.0") == ["2.0.0"]


def test_pre_releases_come_before() -> None:
    bills = [bill("2.0.0-rc.1", "1.0.0"), bill("2.0.0", "2.0.0-rc.1")]
    assert way(bills, "1.0.0") == ["2.0.0-rc.1", "2.0.0"]


def test_a_long_way() -> None:
    bills = [bill(f"1.{number}.0", f"1.{number - 1}.0") for number in range(1, 301)]
    assert len(way(bills, "1.0.0")) == 300


def test_a_gap_is_named() -> None:
    bills = [bill("2.0.0", "1.0.0"), bill("4.0.0", "3.0.0"), bill("5.0.0", "4.0.0")]
    assert refused(bills, "1.0.0") == (
        "no bills lead from shop 1.0.0 to 5.0.0\n"
        "  bills/4.0.0.yaml: 4.0.0 upgrades from 3.0.0\n"
        "  bills/5.0.0.yaml: 5.0.0 upgrades from 4.0.0\n"
        "  from 1.0.0 bills lead no further than 2.0.0\n"
        "  add the bill of 3.0.0"
    )


def test_a_gap_that_no_bill_can_fill() -> None:
    assert refused([bill("2.0.0"), bill("3.0.0", "2.0.0")], "1.0.0") == (
        "no bills lead from shop 1.0.0 to 3.0.0\n"
        "  bills/2.0.0.yaml: 2.0.0 upgrades from none\n"
        "  bills/3.0.0.yaml: 3.0.0 upgrades from 2.0.0\n"
        "  no bill upgrades from 1.0.0"
    )


@pytest.mark.parametrize(
    ("installed", "target", "under_way", "words"),
    [
        ("5.0.0", "", "", "shop cannot go back to 4.0.0: 5.0.0 is installed"),
        ("3.0.0", "2.0.0", "", "shop cannot go back to 2.0.0: 3.0.0 is installed"),
        ("1.0.0", "1.0.0", "2.0.0", "shop cannot go back to 1.0.0: 2.0.0 is under way"),
        (
            "1.0.0",
            "2.5.0",
            "",
            "no bill of shop 2.5.0\n  found bills of 1.0.0, 2.0.0, 3.0.0 and 4.0.0",
        ),
        ("1.0.0", "", "1.5.0", "the deploy of shop 1.5.0 is incomplete, and no bill of 1.5.0 was found"),
    ],
)
def test_a_way_there_is_not(installed: str, target: str, under_way: str, words: str) -> None:
    assert refused(CHAIN, installed, target, under_way).startswith(words)


def test_two_bills_of_one_version() -> None:
    assert refused([*CHAIN, bill("v2.0.0+again")], "1.0.0") == (
        "two bills are of shop 2.0.0+again\n  bills/2.0.0.yaml\n  bills/v2.0.0+again.yaml\n  leave one of them out"
    )


@pytest.mark.parametrize("installed", ["", "1.0.0"])
def test_upgrades_in_a_circle(installed: str) -> None:
    words = refused([bill("2.0.0", "3.0.0"), bill("3.0.0", "2.0.0")], installed)
    assert words.startswith("bills/2.0.0.yaml: 2.0.0 upgrades from 3.0.0, which is not older")


def test_no_bills() -> None:
    assert refused([], "").startswith("no bills found")


def text(version: str, upgrades_from: str = "[]", product: str = "shop") -> str:
    return f"product: {product}\nversion: {version}\nupgradesFrom: {upgrades_from}\ndefaultNamespace: x\ncomponents: []\n"


@pytest.fixture
def bills(here: Path) -> Path:
    return write(
        here,
        {
            "bills/new.yaml": text("2.0.0", "1.0.0"),
            "bills/old.yml": text("v1.0.0"),
            "bills/3/bill.yaml": text("3.0.0", "[2.0.0]"),
            "bills/values.yaml": "product: shop\nversion: 2\n",
            "bills/template.yaml": "product: {{ .Values.product }}\nversion: {{ .Values.version }}\n",
            "bills/two.yaml": "kind: A\nproduct: version\n---\nkind: B\n",
            "bills/README.md": "components: product version",
            "bills/3/charts/web/values.yaml": text("9.0.0"),
        },
    )


def found(siblings: list[Sibling]) -> list[tuple[str, str]]:
    return [(str(sibling.version), sibling.file) for sibling in siblings]


@pytest.mark.usefixtures("bills")
def test_bills_in_a_folder_and_one_below_by_version(engine: Engine) -> None:
    assert found(in_folder(engine, "bills")) == [
        ("1.0.0", "bills/old.yml"),
        ("2.0.0", "bills/new.yaml"),
        ("3.0.0", "bills/3/bill.yaml"),
    ]
    assert way(in_folder(engine, "bills", "shop"), "1.0.0") == ["2.0.0", "3.0.0"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("broken.yaml", text("4.0.0") + "  - broken\n", "bills/broken.yaml:"),
        ("shape.yaml", text("4.0.0") + "worker: 3\n", "bills/shape.yaml:6: unknown key 'worker'\n"),
        ("version.yaml", text("four"), "bills/version.yaml:2: 'four' is not a valid version\n"),
        (
            "other.yaml",
            text("4.0.0", product="other"),
            "bills has bills of 2 products\n  other: bills/other.yaml\n",
        ),
    ],
)
def test_a_bill_that_cannot_be_read_is_not_left_out(
    engine: Engine, bills: Path, name: str, content: str, words: str
) -> None:
    write(bills, {f"bills/{name}": content})
    with pytest.raises(UserError) as caught:
        in_folder(engine, "bills")
    assert str(caught.value).startswith(words)


def test_of_several_products_one_can_be_asked_for(engine: Engine, bills: Path) -> None:
    write(bills, {"bills/other.yaml": text("9.0.0", product="other")})
    assert len(in_folder(engine, "bills", "shop")) == 3


@pytest.mark.usefixtures("bills")
@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("elsewhere", "elsewhere: no such folder"),
        ("bills/3/charts/web", "no bills of other in bills/3"),
    ],
)
def test_a_folder_without_bills(engine: Engine, folder: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        in_folder(engine, folder, "other")
    assert str(caught.value).startswith(words)


def test_bills_beside_one(engine: Engine, bills: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bills, {"bills/other.yaml": text("9.0.0", product="other"), "bills/bad.yaml": text("bad")})
    this = Sibling("bills/new.yaml", "shop", versions.parse("2.0.0"))
    assert found(beside(engine, this)) == [("1.0.0", "bills/old.yml")]
    monkeypatch.chdir(bills / "bills")
    assert found(beside(engine, Sibling("new.yaml", "shop", versions.parse("2.0.0")))) == [
        ("1.0.0", "old.yml")
    ]


def test_bills_of_the_same_name_in_the_folders_beside(engine: Engine, here: Path) -> None:
    write(here, {"1/bill.yaml": text("1.0.0"), "2/bill.yaml": text("2.0.0"), "3/other.yaml": text("3.0.0")})
    this = Sibling("2/bill.yaml", "shop", versions.parse("2.0.0"))
    assert found(beside(engine, this)) == [("1.0.0", "1/bill.yaml")]
