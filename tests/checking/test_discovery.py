"""Which charts a path stands for."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.trees import chart, write
from watchbill.checking.inputs.discovery import charts_at, profiles
from watchbill.errors import UserError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaint(path: str) -> str:
    [found] = charts_at(path)
    assert isinstance(found, UserError)
    return str(found)


def test_a_chart_stands_for_itself(here: Path) -> None:
    chart(here / "app")
    assert charts_at("app") == ["app"]
    assert charts_at("app/") == ["app/"]


def test_a_directory_stands_for_the_charts_at_any_depth_in_it(here: Path) -> None:
    for name in ("charts/b", "charts/a", "charts/team/deep/c"):
        chart(here / name)
    assert charts_at("charts") == ["charts/a", "charts/b", "charts/team/deep/c"]


def test_charts_inside_a_chart_are_its_dependencies(here: Path) -> None:
    chart(here / "repo/app")
    chart(here / "repo/app/charts/sub")
    chart(here / "repo/app/examples/demo")
    assert charts_at("repo") == ["repo/app"]
    assert charts_at("repo/app/charts") == ["repo/app/charts/sub"], "unless they are named"


@pytest.mark.parametrize("folder", [".git", ".cache", "node_modules"])
def test_folders_that_hold_no_charts_of_ours_are_left_out(here: Path, folder: str) -> None:
    chart(here / "repo/app")
    chart(here / "repo" / folder / "other")
    assert charts_at("repo") == ["repo/app"]


def test_packages_count_where_there_is_no_chart_beside_them(here: Path) -> None:
    write(here, {"packed/b-1.0.0.tgz": "", "packed/a-1.0.0.tgz": "", "packed/index.yaml": ""})
    assert charts_at("packed") == ["packed/a-1.0.0.tgz", "packed/b-1.0.0.tgz"]
    chart(here / "packed/app")
    assert charts_at("packed") == ["packed/app"]
    assert charts_at("packed/a-1.0.0.tgz") == ["packed/a-1.0.0.tgz"]


def test_links_are_followed_and_lead_nowhere_twice(here: Path) -> None:
    chart(here / "elsewhere/app")
    (here / "repo/loop").mkdir(parents=True)
    (here / "repo/linked").symlink_to(here / "elsewhere")
    (here / "repo/loop/back").symlink_to(here / "repo")
    (here / "repo/again").symlink_to(here / "elsewhere/app")
    (here / "repo/broken").symlink_to("nowhere")
    assert charts_at("repo") == ["repo/again"]


def test_a_file_stands_for_the_chart_it_is_part_of(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chart(here / "app/charts/sub")
    write(chart(here / "app"), {"ci/a-values.yaml": "", "files/deep/x.sql": ""})
    for file in (
        "Chart.yaml",
        "values.yaml",
        "templates/config.yaml",
        "files/deep/x.sql",
        "charts/sub/Chart.yaml",
    ):
        write(here / "app", {file: "x"})
        assert charts_at(f"app/{file}") == ["app"]
    monkeypatch.chdir(here / "app/templates")
    assert charts_at("config.yaml") == [".."]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere", "nowhere: no such file or directory"),
        ("empty", "empty: the directory is empty"),
        ("notes", "notes: no chart found"),
        ("link", "link: broken link\n  it points to gone"),
        ("notes/readme.txt", "notes/readme.txt is not a chart"),
        ("notes/deploy.yaml", "pass rendered manifests with -m notes/deploy.yaml"),
        ("notes/deploy.yaml/x", "notes/deploy.yaml/x: Not a directory"),
        ("nul\0", "'nul\\x00' is not a valid path"),
        ("n" * 70_000, ": File name too long"),
    ],
)
def test_what_is_no_chart_is_said(here: Path, path: str, words: str) -> None:
    (here / "empty").mkdir()
    (here / "link").symlink_to("gone")
    write(here, {"notes/readme.txt": "", "notes/deploy.yaml": ""})
    assert words in complaint(path)


def test_what_cannot_be_read_keeps_nobody_from_the_rest() -> None:
    """As an ordinary user: root may read everything."""
    program = (
        "import os\n"
        "from watchbill.checking.inputs.discovery import charts_at\n"
        "os.geteuid() or (os.setgid(65534), os.setuid(65534))\n"
        "print(charts_at('repo')); print(charts_at('repo/secret')); print(charts_at('repo/secret/x'))"
    )
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        here.chmod(0o755)
        chart(here / "repo/app")
        secret = here / "repo/secret"
        secret.mkdir(mode=0)
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=here, capture_output=True, text=True, check=True
        )
        secret.chmod(0o700)
    every, named, inside = done.stdout.splitlines()
    assert "'repo/app'" in every
    assert "repo/secret: permission denied" in every
    assert "repo/secret: permission denied" in named
    assert "repo/secret/x: permission denied" in inside


def test_profiles_are_those_of_chart_testing(here: Path) -> None:
    write(
        chart(here / "app"),
        {f"ci/{name}": "" for name in ("z-values.yaml", "a-values.yaml", "values.yaml", "x.yml")},
    )
    assert profiles("app") == ("app/ci/a-values.yaml", "app/ci/z-values.yaml")
    assert profiles(str(chart(here / "plain"))) == ()
