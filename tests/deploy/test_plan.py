"""A plan without a cluster: the order, from the bill and its modules alone; and options that cannot be combined."""

from collections.abc import Callable
from pathlib import Path

import pytest

from watchbill.cli import run

JOBS = """
from watchbill.jobs import GLOBAL, Post, Pre, job

@job(GLOBAL, Pre, until="3.0.0", timeout="10m")
async def look(ctx):
    pass

@job("web", Post, until=None, reason="always", once=True, requires=["patch persistentvolumeclaims"])
def seed(ctx):
    pass

@job(GLOBAL, Post, until="{until}")
async def tell(ctx):
    pass
"""
BILL = """
product: shop
version: 2.0.0
defaultNamespace: shop
workers: 2
jobs: [jobs.py]
prerequisites:
  - {name: store, chart: charts/store}
components:
  - {name: web, chart: charts/web, namespace: front}
  - {name: mail, chart: charts/mail}
  - {name: shop, chart: charts/shop}
"""
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def deploy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """In the folder of the bill."""

    def command(*arguments: str, until: str = "3.0.0") -> tuple[int, str, str]:
        (tmp_path / "jobs.py").write_text(JOBS.replace("{until}", until))
        code = run(["deploy", *arguments, "--no-color"])
        said = capsys.readouterr()
        return code, said.out, said.err

    for name in ("store", "web", "mail", "shop"):
        folder = tmp_path / "charts" / name
        folder.mkdir(parents=True)
        (folder / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n")
    (tmp_path / "bill.yaml").write_text(BILL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nowhere"))
    monkeypatch.setenv("COLUMNS", "200")
    return command


def test_the_order(deploy: Command, tmp_path: Path) -> None:
    code, out, _ = deploy("bill.yaml", "--plan", "--offline")
    assert code == 0
    rows = [" ".join(line.split()) for line in out.replace(f"{tmp_path}/", "").splitlines()]
    assert rows == [
        "shop 2.0.0 plan",
        "",
        "global-pre",
        "pre look jobs.py:4; at most 10m",
        "prerequisites one after the other",
        "store install or upgrade charts/store in namespace shop",
        "components 2 at once",
        "web install or upgrade charts/web in namespace front",
        "post seed jobs.py:8; requires patch persistentvolumeclaims; runs once",
        "mail install or upgrade charts/mail in namespace shop",
        "shop install or upgrade charts/shop in namespace shop",
        "global-post",
        "post tell jobs.py:12",
        "",
        "offline: what is installed, your rights and the jobs that ran are unknown",
    ]


def test_some_of_it(deploy: Command) -> None:
    _, out, _ = deploy("bill.yaml", "--plan", "--offline", "--only=mail")
    assert "mail" in out
    assert "1 at once" in out
    assert "post tell" in out, "global jobs run"
    for other in ("store", "web", "seed"):
        assert other not in out


def test_a_job_that_should_be_gone_is_told_without_a_cluster(deploy: Command) -> None:
    code, out, _ = deploy("bill.yaml", "--plan", "--offline", until="2.0.0")
    assert "jobs.py:12: global/tell should be gone since 2.0.0" in out
    assert code == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no bill given"),
        (("bill.yaml", "--offline"), "--offline needs --plan"),
        (("bill.yaml", "--plan", "--dry-run"), "--plan and --dry-run cannot be combined"),
        (("--through", ".", "--back"), "--back and --through cannot be combined"),
        (("--through", ".", "--only=web"), "--only and --through cannot be combined"),
        (("--through", ".", "--plan", "--offline"), "--offline and --through cannot be combined"),
        (("bill.yaml", "--plan", "--offline", "--only=wep"), "has no component 'wep'"),
        (("nothing.yaml", "--plan", "--offline"), "nothing.yaml"),
        (("bill.yaml", "--timeout=soon"), "soon"),
        (("bill.yaml",), "nowhere"),
    ],
)
def test_what_cannot_be_done(deploy: Command, arguments: tuple[str, ...], complaint: str) -> None:
    code, out, err = deploy(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert "Traceback" not in err
