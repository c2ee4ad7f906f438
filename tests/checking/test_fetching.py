"""Packages that the user's helm fetches. There is no registry to ask here: of `oci://` only what is asked of
helm, and what is said when it fails, is held."""

import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.checking.conftest import Served
from tests.support.trees import chart
from watchbill.checking.inputs.fetching import Helm, Package, pull, without_login
from watchbill.checking.inputs.sources import AtRef, Local, Reference, Sources, read
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError


@pytest.fixture(scope="session")
def packages(helms: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """app 1.0.0 and 1.1.0, with an index."""
    helm, folder = helms["4.3.1"], tmp_path_factory.mktemp("packages")
    for version in ("1.0.0", "1.1.0"):
        source = chart(tmp_path_factory.mktemp("source") / "app", version=version)
        subprocess.run([helm, "package", source, "-d", folder], check=True, capture_output=True)
    subprocess.run([helm, "repo", "index", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def repository(served: Served, packages: Path, helm: str) -> Served:
    """Known to helm as `shop`."""
    shutil.copytree(packages, served.folder, dirs_exist_ok=True)
    subprocess.run([helm, "repo", "add", "shop", served.url], check=True, capture_output=True)
    served.requests.clear()
    return served


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("git:v1.2.0", AtRef("v1.2.0")),
        ("git:origin/main:charts/app", AtRef("origin/main", "charts/app")),
        ("oci://example.org/charts/app:1.2.0", Package("oci://example.org/charts/app", "1.2.0")),
        ("oci://example.org/charts/app@1.2.0", Package("oci://example.org/charts/app", "1.2.0")),
        ("oci://example.org:5000/app:1.2.0", Package("oci://example.org:5000/app", "1.2.0")),
        ("oci://example.org:5000/app", Package("oci://example.org:5000/app")),
        (f"oci://example.org/app@sha256:{'a' * 64}", Package(f"oci://example.org/app@sha256:{'a' * 64}")),
        ("shop/app@1.2.0", Package("shop/app", "1.2.0")),
        ("shop/app@^1", Package("shop/app", "^1")),
        ("https://example.org/app-1.2.0.tgz", Package("https://example.org/app-1.2.0.tgz")),
        ("there", Local("there")),
        ("shop/app@there", Local("shop/app@there")),
        ("git:there", Local("git:there")),
    ],
)
def test_what_from_may_name(here: Path, text: str, reference: Reference) -> None:
    for name in ("there", "shop/app@there", "git:there"):
        (here / name).mkdir(parents=True)
    assert read(text) == reference


@pytest.mark.parametrize(
    ("package", "fixed"),
    [
        (Package("shop/app", "1.2.0"), True),
        (Package("shop/app", "v1.2.0-rc.1+build"), True),
        (Package("shop/app", "^1.2.0"), False),
        (Package("shop/app", "1.2"), False),
        (Package("oci://example.org/app"), False),
        (Package("oci://example.org/app", "latest"), False),
        (Package(f"oci://example.org/app@sha256:{'a' * 64}"), True),
        (Package("https://example.org/app-1.2.0.tgz"), False),
    ],
)
def test_only_what_stays_the_same_is_kept(package: Package, fixed: bool) -> None:
    assert package.is_fixed == fixed


def test_a_chart_of_a_repository_is_fetched_once(
    repository: Served, workspace: Workspace, tmp_path: Path
) -> None:
    package = Package("shop/app", "1.0.0")
    path = pull(package, Helm(), workspace)
    assert path.startswith(str(tmp_path / "cache/watchbill/charts/"))
    assert Path(path).name == "app-1.0.0.tgz"
    assert [line for line in repository.requests if line.endswith(".tgz")] == ["/app-1.0.0.tgz"]
    repository.requests.clear()
    assert pull(package, Helm(), workspace) == path
    assert repository.requests == []


def test_the_newest_of_a_range_is_fetched_each_time(
    repository: Served, workspace: Workspace, tmp_path: Path
) -> None:
    for _ in range(2):
        assert Path(pull(Package("shop/app", "^1.0.0"), Helm(), workspace)).name == "app-1.1.0.tgz"
    assert not (tmp_path / "cache/watchbill").exists()
    url = f"{repository.url}/app-1.0.0.tgz"
    assert Path(pull(Package(url), Helm(), workspace)).name == "app-1.0.0.tgz"


def test_an_alias_that_means_another_repository(repository: Served, workspace: Workspace, helm: str) -> None:
    first = pull(Package("shop/app", "1.0.0"), Helm(), workspace)
    subprocess.run(
        [helm, "repo", "add", "--force-update", "shop", f"{repository.url}/"], check=True, capture_output=True
    )
    assert pull(Package("shop/app", "1.0.0"), Helm(), workspace) != first


def test_a_cache_that_cannot_be_written(
    repository: Served, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert Path(pull(Package("shop/app", "1.0.0"), Helm(), workspace)).is_file()


@pytest.mark.parametrize(
    ("package", "words"),
    [
        (Package("shop/app", "9.0.0"), 'chart "app" matching 9.0.0 not found in shop index'),
        (Package("shop/app", "9.0.0"), "is the version right? then: helm repo update"),
        (
            Package("other/app", "1.0.0"),
            "helm knows no repository 'other'\n  it knows: shop\n  add it: helm repo add other URL",
        ),
        (
            Package("http://user:secret@127.0.0.1:1/app.tgz"),
            "http://…@127.0.0.1:1/app.tgz: helm cannot fetch it",
        ),
        (Package("oci://127.0.0.1:1/app", "1.0.0"), "oci://127.0.0.1:1/app@1.0.0: helm cannot fetch it"),
        (Package("oci://127.0.0.1:1/app", "1.0.0"), "connection refused"),
        (Package("oci://127.0.0.1:1/app", "1.0.0"), "log in with: helm registry login 127.0.0.1:1"),
    ],
)
def test_what_helm_cannot_fetch(
    repository: Served, workspace: Workspace, package: Package, words: str
) -> None:
    assert repository
    with pytest.raises(UserError) as raised:
        pull(package, Helm(), workspace)
    assert words in str(raised.value)
    assert "secret" not in str(raised.value)


def test_no_helm(here: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    monkeypatch.delenv("HELM", raising=False)
    with pytest.raises(UserError) as raised:
        pull(Package("oci://example.org/app", "1.0.0"), Helm(), workspace)
    assert str(raised.value).splitlines() == [
        "helm does not run: No such file or directory",
        "  helm is needed to fetch oci://example.org/app@1.0.0",
        "  install it, or name the binary with --helm or $HELM",
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo no words >&2; exit 3", "no words"),
        ("exit 3", "exit code 3, no message"),
        ("exit 0", "helm reported success, but left 0 packages instead of one"),
        ("printf '\\377' >&2; exit 1", "\ufffd"),
    ],
)
def test_a_helm_that_behaves_strangely(here: Path, workspace: Workspace, script: str, words: str) -> None:
    with pytest.raises(UserError) as raised:
        pull(Package("oci://example.org/app", "1.0.0"), Helm(program(here, script)), workspace)
    assert words in str(raised.value)


def test_what_is_asked_of_helm_for_a_registry(here: Path, workspace: Workspace) -> None:
    helm = program(here, 'echo "$@" > asked; touch "$6/app-1.2.0.tgz"')
    reference = read("oci://example.org:5000/charts/app:1.2.0")
    assert isinstance(reference, Package)
    sources = Sources(workspace, Helm(helm))
    path = sources.pulled(reference)
    assert path.endswith("/app-1.2.0.tgz")
    asked = (here / "asked").read_text().split()
    assert asked[:-1] == ["pull", "oci://example.org:5000/charts/app", "--version", "1.2.0", "--destination"]
    (here / "asked").unlink()
    assert sources.pulled(reference) == path
    assert not (here / "asked").exists()


def test_logins_are_not_said() -> None:
    said = "Get https://user:p%40ss@example.org/x and oci://token@example.org/y, mail a@example.org"
    assert without_login(said) == "Get https://…@example.org/x and oci://…@example.org/y, mail a@example.org"


def program(here: Path, script: str) -> str:
    path = here / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
