"""What can be wrong with a bill: one case a file, with the error a user reads."""

from pathlib import Path

import pytest

from tests.support import txtar
from tests.support.trees import write
from watchbill.charts.engine import Engine
from watchbill.deploy.reading import read
from watchbill.errors import UserError

CASES = sorted((Path(__file__).parent / "mistakes").glob("*.txtar"))
GOOD = "product: shop\nversion: 2.0.0\ndefaultNamespace: shop\ncomponents: [{name: web, chart: web}]\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_mistake_is_told(
    engine: Engine, case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    txtar.unpack(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        read(engine, "bill.yaml")
    assert f"{caught.value}\n" == (tmp_path / "error.txt").read_text()
    assert caught.value.exit_code == 2


@pytest.fixture
def shop(here: Path) -> Path:
    return write(here, {"bill.yaml": GOOD, "web/Chart.yaml": "name: web\n"})


def refused(engine: Engine, file: str = "bill.yaml", profile: str = "") -> str:
    with pytest.raises(UserError) as caught:
        read(engine, file, profile)
    return str(caught.value)


@pytest.mark.usefixtures("shop")
def test_an_unknown_profile(engine: Engine) -> None:
    assert refused(engine, profile="prod") == ("unknown profile 'prod'\n  the bill has no profiles")


def test_an_unknown_environment(engine: Engine, shop: Path) -> None:
    write(shop, {"bill.yaml": f"{GOOD}environments: {{production: {{}}, staging: {{}}}}\n"})
    with pytest.raises(UserError, match="unknown environment 'stagin'\n  did you mean 'staging'"):
        read(engine, "bill.yaml", environment="stagin")


def test_a_mistyped_profile(engine: Engine, shop: Path) -> None:
    write(shop, {"bill.yaml": f"{GOOD}profiles: {{production: {{}}, small: {{}}}}\n"})
    assert refused(engine, profile="prodution").endswith("did you mean 'production'?")
    assert refused(engine, profile="xx").endswith("profiles are: production, small")


def test_a_bill_that_is_not_there(engine: Engine, here: Path) -> None:
    assert refused(engine, "bill.yml") == "bill.yml: no such file\n  name the file with the product's bill"
    assert refused(engine, str(here)) == f"{here}: Is a directory"


@pytest.mark.parametrize(
    "text",
    [
        "product: {0}\n",
        "version: {0}\n",
        "components: [{{name: {0}, chart: {0}, release: {0}, namespace: {0}, timeout: {0}}}]\n",
        "components: [{{name: a, chart: a, values: [{0}], set: [{0}]}}]\n",
        "jobs: [{0}, {0}.py]\n",
        "crds: [{0}]\n",
        "profiles: {{{0}: {{values: [{0}], components: {{{0}: {{}}}}}}}}\n",
        "{0}: {0}\n",
    ],
)
def test_a_word_of_64_kilobytes_fills_no_screen(engine: Engine, here: Path, text: str) -> None:
    known = text.partition(":")[0]
    rest = "".join(line for line in GOOD.splitlines(True) if not line.startswith(f"{known}:"))
    write(here, {"bill.yaml": rest + text.format("x" * 65536)})
    assert len(refused(engine)) < 2500


@pytest.mark.parametrize("key", ["set", "setString"])
@pytest.mark.parametrize("said", ["[s3cr3t]", "[=s3cr3t]", "password=s3cr3t", "{password: s3cr3t}"])
def test_what_may_be_a_secret_is_not_told(engine: Engine, here: Path, key: str, said: str) -> None:
    write(here, {"web/Chart.yaml": "", "bill.yaml": GOOD.replace("chart: web", f"chart: web, {key}: {said}")})
    assert "s3cr3t" not in refused(engine)


def test_logins_are_not_told(engine: Engine, here: Path) -> None:
    write(
        here, {"bill.yaml": GOOD.replace("chart: web", "chart: 'oci://me:s3cr3t@registry.example.org/web'")}
    )
    assert refused(engine) == (
        "bill.yaml:4: nothing says which version of 'oci://…@registry.example.org/web'\n  say version, like 1.4.0"
    )


def test_a_file_without_the_right_to_read_it_is_told_before_anything_starts(
    engine: Engine, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(shop, {"bill.yaml": GOOD.replace("chart: web", "chart: web, values: [v.yaml]"), "v.yaml": "a: 1\n"})
    monkeypatch.setattr("os.access", lambda *_: False)
    assert refused(engine) == "bill.yaml:4: 'v.yaml' cannot be read: Permission denied"
