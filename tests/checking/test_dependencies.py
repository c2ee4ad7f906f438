"""`--deps`: the user's helm fetches what is missing; the chart's directory is never written."""

import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checking.conftest import Served
from tests.support.trees import chart, depends, write
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import render_one
from watchbill.checking.inputs.dependencies import complete
from watchbill.checking.inputs.fetching import Helm
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError


@pytest.fixture
def redis(served: Served, helm: str) -> Served:
    """A repository with redis 1.0.0, which helm was never told of."""
    publish(served, helm, "1.0.0")
    return served


def publish(served: Served, helm: str, version: str) -> None:
    source = chart(served.folder / "sources/redis", version=version)
    subprocess.run([helm, "package", source, "-d", served.folder], check=True, capture_output=True)
    subprocess.run([helm, "repo", "index", served.folder], check=True, capture_output=True)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Completion:
    """With an engine that was started here: relative paths are the same for it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def __call__(self, path: str, helm: str | None = None, *, shown: str = "") -> list[str]:
        """What the chart renders then; each time as if for the first time."""
        with Workspace() as workspace:
            return self.rendered(complete(self.engine, path, Helm(helm), workspace, shown=shown or path))

    def rendered(self, path: str) -> list[str]:
        rendering = render_one(self.engine, load(self.engine, path), Context())
        return sorted(resource.name for resource in rendering.resources)


@pytest.fixture
def completed(here: Path) -> Iterator[Completion]:
    assert here
    with Engine() as engine:
        yield Completion(engine)


def test_what_is_complete_is_checked_where_it_lies(
    here: Path, completed: Completion, workspace: Workspace
) -> None:
    chart(here / "app", more=depends("lib", "file://../lib"))
    chart(here / "lib")
    write(here, {"broken/Chart.yaml": "{"})
    for path in ("app", "broken"):
        assert complete(completed.engine, path, Helm("/no/helm"), workspace, shown=path) == path


@pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])
@pytest.mark.parametrize("locked", [False, True], ids=["no lock", "lock"])
def test_what_is_missing_is_fetched_once_and_beside(
    completed: Completion, redis: Served, locked: bool, version: str, helms: dict[str, str]
) -> None:
    here, binary = Path.cwd(), helms[version]
    app = chart(here / "app", more=depends("redis", redis.url))
    if locked:
        subprocess.run([binary, "dependency", "update", app], check=True, capture_output=True)
        (app / "charts/redis-1.0.0.tgz").unlink()
    before = content(here)
    assert completed("app", binary) == ["app-1.0.0", "redis-1.0.0"]
    assert content(here) == before
    redis.requests.clear()
    assert completed("app", "/no/helm") == ["app-1.0.0", "redis-1.0.0"]
    assert redis.requests == []
    write(app, {"templates/config.yaml": ""})
    assert completed("app", "/no/helm") == ["redis-1.0.0"], "only what was fetched comes from the cache"


def test_a_lock_file_is_obeyed(here: Path, completed: Completion, redis: Served, helm: str) -> None:
    """Also with repositories that helm was not told of, which `helm dependency build` alone refuses."""
    app = chart(here / "app", more=depends("redis", redis.url, "^1.0.0"))
    subprocess.run([helm, "dependency", "update", app], check=True, capture_output=True)
    (app / "charts/redis-1.0.0.tgz").unlink()
    publish(redis, helm, "1.5.0")
    known = [helm, "repo", "list", "--output", "json"]
    before = subprocess.check_output(known)
    assert completed("app") == ["app-1.0.0", "redis-1.0.0"]
    assert subprocess.check_output(known) == before, "the user's own list stays as it is"


def test_a_range_without_a_lock_means_the_newest_each_time(
    here: Path, completed: Completion, redis: Served, helm: str
) -> None:
    chart(here / "app", more=depends("redis", redis.url, "^1.0.0"))
    assert completed("app") == ["app-1.0.0", "redis-1.0.0"]
    publish(redis, helm, "1.5.0")
    assert completed("app") == ["app-1.0.0", "redis-1.5.0"]


def test_dependencies_of_local_dependencies(here: Path, completed: Completion, redis: Served) -> None:
    more = depends("lib", "file://../libs/lib") + depends("redis", redis.url).partition("\n")[2]
    chart(here / "app", more=more)
    chart(here / "libs/lib", more=depends("redis", redis.url))
    for version in ("one", "two"):
        head = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: lib-{version}}}\n"
        write(here, {"libs/lib/templates/config.yaml": head})
        before = content(here)
        assert completed("app") == ["app-1.0.0", f"lib-{version}", "redis-1.0.0", "redis-1.0.0"]
        assert content(here) == before


def test_a_chart_that_lacks_nothing_itself_is_not_fetched_for(
    here: Path, completed: Completion, redis: Served
) -> None:
    more = depends("lib", "file://../lib") + depends("vendored", "https://nowhere.invalid").partition("\n")[2]
    chart(chart(here / "app", more=more) / "charts/vendored")
    chart(here / "lib", more=depends("redis", redis.url))
    assert completed("app") == ["app-1.0.0", "lib-1.0.0", "redis-1.0.0", "vendored-1.0.0"]


def test_what_is_vendored_already_stays(here: Path, completed: Completion, redis: Served) -> None:
    more = depends("vendored", '""') + depends("redis", redis.url).partition("\n")[2]
    chart(chart(here / "app", more=more) / "charts/vendored")
    for _ in range(2):
        assert completed("app") == ["app-1.0.0", "redis-1.0.0", "vendored-1.0.0"]


def test_what_helm_cannot_fetch(here: Path, completed: Completion, redis: Served) -> None:
    chart(here / "app", more=depends("redis", redis.url, "9.0.0"))
    with pytest.raises(UserError) as raised:
        completed("app", shown="git:v1:app")
    assert str(raised.value).splitlines()[0] == "git:v1:app: helm cannot fetch its dependencies"
    assert "can't get a valid version for 1 subchart(s)" in str(raised.value)
    words = r"/no/helm does not run.*\n  helm is needed to fetch the dependencies of app"
    with pytest.raises(UserError, match=words):
        completed("app", "/no/helm")


def test_a_package_without_its_dependencies(here: Path, completed: Completion) -> None:
    chart(here / "app", more=depends("redis", "https://charts.example.org"))
    with tarfile.open(here / "app.tgz", "w:gz") as archive:
        archive.add(here / "app", "app")
    with pytest.raises(UserError, match=r"app\.tgz: a packaged chart without its dependencies"):
        completed("app.tgz")
