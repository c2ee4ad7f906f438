"""From what a user names to what is checked, each with the version before it."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.trees import Git, chart, depends, write
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import render_one
from watchbill.checking.inputs.find import find
from watchbill.checking.inputs.subject import Asked, Failed, Item, Skipped, Subject
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError


def read_text(path: str, what: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise UserError(f"{path}: the {what} cannot be read: {error.strerror}") from None


class Finding:
    def __init__(self, engine: Engine, workspace: Workspace) -> None:
        self.engine = engine
        self.workspace = workspace

    def __call__(self, *charts: str, **asked: object) -> list[Item]:
        return find(self.engine, Asked(charts=charts, **asked), self.workspace, read_text)  # type: ignore[arg-type]

    def one(self, *charts: str, **asked: object) -> Subject:
        [item] = self(*charts, **asked)
        assert isinstance(item, Subject), item
        return item

    def complaint(self, *charts: str, **asked: object) -> str:
        [item] = self(*charts, **asked)
        assert isinstance(item, Failed), item
        return str(item.error)

    def version(self, path: str) -> str:
        return load(self.engine, path).version


@pytest.fixture
def finding(workspace: Workspace, here: Path) -> Iterator[Finding]:
    """With an engine that was started here: relative paths are the same for it."""
    assert here
    with Engine() as engine:
        yield Finding(engine, workspace)


@pytest.fixture
def git(here: Path) -> Git:
    return Git(here)


def test_a_chart_with_its_profiles(here: Path, finding: Finding) -> None:
    write(chart(here / "app"), {"ci/b-values.yaml": "", "ci/a-values.yaml": ""})
    assert finding.one("app") == Subject(
        path="app", source="app", values_profiles=("app/ci/a-values.yaml", "app/ci/b-values.yaml")
    )


def test_libraries_are_skipped_and_what_is_broken_stops_nobody(here: Path, finding: Finding) -> None:
    chart(here / "charts/app")
    chart(here / "charts/lib", more='type: "library"\n')
    chart(here / "charts/odd", more="description: no library\n")
    (here / "charts/zero").symlink_to("nowhere")
    assert [(type(item), item.path) for item in finding("charts", "charts/zero", "gone", "charts/app")] == [
        (Subject, "charts/app"),
        (Skipped, "charts/lib"),
        (Subject, "charts/odd"),
        (Failed, "charts/zero"),
        (Failed, "gone"),
    ]


def test_pipes_keep_nobody_waiting(here: Path, finding: Finding) -> None:
    (here / "piped").mkdir()
    os.mkfifo(here / "piped/Chart.yaml")
    os.mkfifo(here / "piped.tgz")
    assert [item.path for item in finding("piped", "piped.tgz")] == ["piped", "piped.tgz"]


def test_what_cannot_be_copied_stops_nobody(git: Git, finding: Finding) -> None:
    write(git.root, {".gitignore": "charts/*/charts/\n"})
    for name in ("bad", "good"):
        chart(git.root / f"charts/{name}", more=depends("redis", "https://charts.example.org"))
        chart(git.root / f"charts/{name}/charts/redis")
    git.commit("v1")
    os.mkfifo(git.root / "charts/bad/charts/redis/pipe")
    bad, good = finding("charts", from_="git:v1")
    assert isinstance(bad, Failed)
    assert "charts/bad: cannot read its files\n" in str(bad.error)
    assert "named pipe" in str(bad.error)
    assert isinstance(good, Subject)


def test_no_place_for_temporary_files(git: Git, finding: Finding, monkeypatch: pytest.MonkeyPatch) -> None:
    chart(git.root / "app")
    git.commit("v1")
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    assert "name a directory that can be written with TMPDIR" in finding.complaint("app", from_="git:v1")


def test_a_packed_library(here: Path, finding: Finding, helm: str) -> None:
    for name, kind in (("lib", "library"), ("app", "application")):
        subprocess.run(
            [helm, "package", chart(here / name, more=f"type: {kind}\n")], check=True, capture_output=True
        )
    [app, lib] = finding("app-1.0.0.tgz", "lib-1.0.0.tgz")
    assert isinstance(app, Subject)
    assert isinstance(lib, Skipped)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Asked(), "no chart given"),
        (Asked(charts=("app",), manifests=("x",)), "charts and -m cannot be mixed"),
        (Asked(charts=("app",), from_="x", since="y"), "--from and --since cannot be combined"),
        (Asked(manifests=("-", "-")), "stdin can be read only once"),
        (Asked(manifests=("-",), from_="-"), "stdin can be read only once"),
    ],
)
def test_what_cannot_be_meant(asked: Asked, words: str, engine: Engine, workspace: Workspace) -> None:
    with pytest.raises(UserError, match=words):
        find(engine, asked, workspace, read_text)


def test_from_a_directory_or_a_package(here: Path, finding: Finding, helm: str) -> None:
    chart(here / "app", version="2.0.0")
    old = chart(here / "old", "app")
    subprocess.run([helm, "package", old], check=True, capture_output=True)
    for reference in ("old", "app-1.0.0.tgz"):
        subject = finding.one("app", from_=reference)
        assert (subject.old, subject.old_shown, subject.is_new) == (reference, reference, False)
        assert finding.version(subject.old) == "1.0.0"


def test_from_a_directory_of_charts(here: Path, finding: Finding) -> None:
    for name in ("new/a", "new/team/b", "new/c", "new/moved", "old/a", "old/team/b", "old/elsewhere/moved"):
        chart(here / name)
    subjects = finding("new", from_="old")
    assert [(s.path, s.old, s.is_new) for s in subjects if isinstance(s, Subject)] == [
        ("new/a", "old/a", False),
        ("new/c", "", True),
        ("new/moved", "old/elsewhere/moved", False),
        ("new/team/b", "old/team/b", False),
    ]
    assert finding.one("new/a", from_="old").old == "old/a"
    assert "old holds no chart named 'c'" in finding.complaint("new/c", from_="old")


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (
            "gone",
            "gone: no such file or directory\n  --from takes a directory, a .tgz, git:REF",
        ),
        ("repo/app", "a chart of a helm repository is written with its version: repo/app@VERSION"),
        ("empty", "empty: the directory is empty"),
        ("git:", "'git:' names no git ref"),
        ("app", "--from app is one chart, and 2 are to be checked"),
    ],
)
def test_what_from_cannot_be(here: Path, finding: Finding, reference: str, words: str) -> None:
    (here / "empty").mkdir()
    chart(here / "app")
    chart(here / "charts/a")
    chart(here / "charts/b")
    with pytest.raises(UserError, match=words):
        finding("charts", from_=reference)


def test_from_a_git_ref(git: Git, finding: Finding) -> None:
    chart(git.root / "charts/app")
    git.commit("v1")
    chart(git.root / "charts/app", version="2.0.0")
    subject = finding.one("charts/app", from_="git:v1")
    assert finding.version(subject.source) == "2.0.0"
    assert finding.version(subject.old) == "1.0.0"
    assert subject.old_shown == "git:v1:charts/app"


def test_from_another_path_at_a_git_ref(git: Git, finding: Finding, monkeypatch: pytest.MonkeyPatch) -> None:
    chart(git.root / "legacy/app")
    git.commit("v1")
    chart(git.root / "charts/app", version="2.0.0")
    assert finding.one("charts/app", from_="git:v1:legacy/app").old_shown == "git:v1:legacy/app"
    [found] = finding("charts", from_="git:v1:legacy")
    assert isinstance(found, Subject)
    assert finding.version(found.old) == "1.0.0"
    words = "charts/app: no chart there in v1\n  name where it was: --from git:v1:PATH"
    assert finding.complaint("charts/app", from_="git:v1") == words
    [found] = finding("charts", from_="git:v1")
    assert isinstance(found, Subject)
    assert found.is_new, "of many charts one may be new"
    monkeypatch.chdir(git.root / "legacy")
    assert finding.one("../charts/app", from_="git:v1:./app").old_shown == "git:v1:legacy/app"


def test_a_chart_that_is_a_whole_repository(git: Git, finding: Finding) -> None:
    chart(git.root, "app")
    git.commit("v1")
    chart(git.root, "app", version="2.0.0")
    assert finding.version(finding.one(".", from_="git:v1").old) == "1.0.0"


def test_a_package_in_git(git: Git, finding: Finding, helm: str) -> None:
    subprocess.run([helm, "package", chart(git.root / "app")], check=True, capture_output=True)
    git.commit("v1")
    assert finding.version(finding.one("app-1.0.0.tgz", from_="git:v1").old) == "1.0.0"


def test_a_version_out_of_git_brings_its_local_dependencies(git: Git, finding: Finding) -> None:
    chart(git.root / "libs/base", more="type: library\n")
    chart(git.root / "libs/middle", more="type: library\n" + depends("base", "file://../base"))
    chart(git.root / "charts/app", more=depends("middle", "file://../../libs/middle"))
    chart(git.root / "charts/other")
    git.commit("v1")
    write(git.root, {"libs/base/templates/_x.tpl": "new"})
    subject = finding.one("charts/app", from_="git:v1")
    rendered = render_one(finding.engine, load(finding.engine, subject.old), Context())
    assert [resource.name for resource in rendered.resources] == ["app-1.0.0"]
    old = Path(subject.old)
    assert not (old.parent.parent / "libs/base/templates/_x.tpl").exists()
    assert not (old.parent / "other").exists()


def test_dependencies_at_hand_are_lent_to_the_older_version(git: Git, finding: Finding) -> None:
    """charts/ is in .gitignore nearly everywhere."""
    write(git.root, {".gitignore": "charts/*/charts/\n"})
    chart(git.root / "charts/app", more=depends("redis", "https://charts.example.org"))
    git.commit("v1")
    chart(git.root / "charts/app/charts/redis")
    subject = finding.one("charts/app", from_="git:v1")
    assert load(finding.engine, subject.old).dependencies[0].name == "redis"
    # Another version is wanted now: the one at hand is not the one of then.
    chart(git.root / "charts/app", more=depends("redis", "https://charts.example.org", "2.0.0"))
    chart(git.root / "charts/app/charts/redis", version="2.0.0")
    git("tag", "v1-again", "v1")
    with Workspace() as other:
        again = Finding(finding.engine, other).one("charts/app", from_="git:v1-again")
        with pytest.raises(UserError) as raised:
            load(finding.engine, again.old)
        error = again.says(raised.value)
    assert str(error).splitlines() == [
        'git:v1-again:charts/app: the dependency "redis" is not in charts/',
        "  git:v1-again:charts/app/Chart.yaml:5",
        "  let helm fetch it, into a cache: --deps",
    ]


def test_a_missing_dependency_mentions_what_fetches_it(here: Path, finding: Finding) -> None:
    chart(here / "app", more=depends("redis", "https://charts.example.org"))
    subject = finding.one("app")
    with pytest.raises(UserError) as raised:
        load(finding.engine, subject.source)
    assert str(subject.says(raised.value)).splitlines() == [
        'app: the dependency "redis" is not in charts/',
        "  app/Chart.yaml:5",
        "  run: helm dependency build app",
        "  or let helm fetch it, into a cache: --deps",
    ]


def test_since_a_ref_those_that_changed(git: Git, finding: Finding) -> None:
    chart(git.root / "libs/common", more="type: library\n")
    for name in ("same", "changed", "edited"):
        chart(git.root / "charts" / name)
    chart(git.root / "charts/uses-lib", more=depends("common", "file://../../libs/common"))
    write(chart(git.root / "charts/linked"), {"../../shared/x.sql": "one"})
    (git.root / "charts/linked/x.sql").symlink_to("../../shared/x.sql")
    git.commit("base")
    git("switch", "--quiet", "--create", "work")
    chart(git.root / "charts/changed", version="2.0.0")
    write(git.root, {"libs/common/templates/_x.tpl": "x", "shared/x.sql": "two", "README.md": "x"})
    git.commit()
    write(git.root, {"charts/edited/values.yaml": "x: 1"})
    chart(git.root / "charts/new")
    items = finding(".", since="main")
    base = git("rev-parse", "base")[:12]
    assert [(type(item), item.path, getattr(item, "old_shown", "")) for item in items] == [
        (Subject, "charts/changed", f"git:{base}:charts/changed"),
        (Subject, "charts/edited", f"git:{base}:charts/edited"),
        (Subject, "charts/linked", f"git:{base}:charts/linked"),
        (Subject, "charts/new", ""),
        (Subject, "charts/uses-lib", f"git:{base}:charts/uses-lib"),
        (Skipped, "libs/common", ""),
    ]
    assert [item.path for item in items if isinstance(item, Subject) and item.is_new] == ["charts/new"]
    [changed] = finding("charts/changed", since="main")
    assert isinstance(changed, Subject)
    assert (finding.version(changed.old), finding.version(changed.source)) == ("1.0.0", "2.0.0")


def test_a_chart_that_was_moved_comes_from_where_it_was(git: Git, finding: Finding) -> None:
    chart(git.root / "charts/app", "app")
    chart(git.root / "charts/other", "other")
    git.commit("base")
    base = git("rev-parse", "base")[:12]
    git("mv", "charts/app", "charts/shop")
    chart(git.root / "charts/copy", "other")  # of one that is still there
    found = {item.path: getattr(item, "old_shown", "") for item in finding("charts", since="base")}
    assert found == {"charts/shop": f"git:{base}:charts/app", "charts/copy": ""}


def test_nothing_changed(git: Git, finding: Finding) -> None:
    chart(git.root / "charts/app")
    git.commit("base")
    assert finding("charts", since="base") == []


def test_what_git_cannot_tell_is_said_once(here: Path, finding: Finding) -> None:
    chart(here / "plain/a")
    chart(here / "plain/b")
    git = Git(here / "repo")
    chart(here / "repo/a")
    chart(here / "repo/b")
    git.commit("v1")
    items = finding("plain", "repo", since="nowhere")
    assert [(item.path, str(item.error).splitlines()[0]) for item in items if isinstance(item, Failed)] == [
        ("plain", "plain is not in a git repository"),
        ("repo", f"git knows no 'nowhere' in {here}/repo"),
    ]
    assert len(items) == 2


MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {release}-{name}
  labels:
    app.kubernetes.io/instance: {release}
"""


def stream(*releases: str, name: str = "config") -> str:
    return "---\n".join(MANIFEST.format(release=release, name=name) for release in releases)


def test_manifests_of_one_release(here: Path, finding: Finding) -> None:
    write(here, {"new.yaml": stream("new"), "old.yaml": stream("old")})
    subject = finding.one(manifests=("new.yaml",), from_="old.yaml")
    assert subject == Subject(
        path="new.yaml",
        manifests=stream("new"),
        manifests_name="new.yaml",
        old_manifests=stream("old"),
        old_name="old.yaml",
        old_shown="old.yaml",
    )


def test_manifests_of_several_releases_are_paired_by_label(here: Path, finding: Finding) -> None:
    write(here, {"new.yaml": stream("a", "b", "c"), "old.yaml": stream("b", "a", "gone")})
    items = finding(manifests=("new.yaml",), from_="old.yaml")
    subjects = [item for item in items if isinstance(item, Subject)]
    assert [(s.label, s.old_name, s.is_new) for s in subjects] == [
        ("a", "old.yaml", False),
        ("b", "old.yaml", False),
        ("c", "", True),
    ]
    assert all(s.label in s.manifests and (s.is_new or s.label in s.old_manifests) for s in subjects)
    assert items[3:] == [Skipped("old.yaml", "the release 'gone' has no newer manifests")]


def test_several_streams_from_one(here: Path, finding: Finding) -> None:
    write(here, {"a.yaml": stream("a"), "b.yaml": stream("b"), "old.yaml": stream("a", "b")})
    items = finding(manifests=("a.yaml", "b.yaml"), from_="old.yaml")
    assert [(s.path, s.old_name, s.label) for s in items if isinstance(s, Subject)] == [
        ("a.yaml", "old.yaml", ""),
        ("b.yaml", "old.yaml", ""),
    ]
    assert len(items) == 2


def test_manifests_that_are_kept_in_git(git: Git, finding: Finding) -> None:
    write(git.root, {"prod/app.yaml": stream("app", name="one")})
    git.commit("v1")
    write(git.root, {"prod/app.yaml": stream("app", name="two"), "prod/new.yaml": stream("new")})
    for asked in ({"from_": "git:v1"}, {"since": "v1"}, {"from_": "git:v1:prod/app.yaml"}):
        subject = finding.one(manifests=("prod/app.yaml",), **asked)
        assert subject.old_manifests == stream("app", name="one")
    assert finding.one(manifests=("prod/new.yaml",), since="v1").is_new
    assert "prod/new.yaml: no such file in v1" in finding.complaint(
        manifests=("prod/new.yaml",), from_="git:v1"
    )


@pytest.mark.parametrize(
    ("text", "from_", "words"),
    [
        ("a: b: c", "", "yaml: mapping values are not allowed in this context\n  new.yaml:1:1"),
        ("# nothing\n", "", "new.yaml: no manifests found"),
        ("", "", "new.yaml: no manifests found"),
        (stream("a"), "oci://example.org/app:1.0.0", "is a packaged chart, and manifests are checked"),
        (stream("a"), "git:v1", "new.yaml is not in a git repository"),
    ],
)
def test_bad_manifests_stop_nobody(here: Path, finding: Finding, text: str, from_: str, words: str) -> None:
    write(here, {"new.yaml": text, "good.yaml": stream("good")})
    bad, good = finding(manifests=("new.yaml", "good.yaml"), from_=from_)
    assert isinstance(bad, Failed)
    assert words in str(bad.error)
    assert isinstance(good, Failed if from_ else Subject)
