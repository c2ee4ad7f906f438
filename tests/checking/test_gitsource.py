"""What git holds of a path at another commit, and what changed since."""

from pathlib import Path

import pytest

from tests.support.trees import Git, write
from watchbill.checking.inputs.gitsource import Repository, Snapshot
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError


def files(folder: str) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def git(here: Path) -> Git:
    return Git(here / "repo")


def test_a_path_as_it_was(git: Git, workspace: Workspace) -> None:
    write(
        git.root,
        {"app/a.yaml": "one", "app/b/c.yaml": "two", "apple/x": "", "app-other/x": "", "app.yaml": ""},
    )
    git.commit("v1")
    write(git.root, {"app/a.yaml": "changed", "app/new": ""})
    git.commit()
    repository = Repository("repo/app")
    snapshot = Snapshot(repository, repository.commit("v1"), workspace)
    assert files(snapshot.bring("app")) == {"a.yaml": "one", "b/c.yaml": "two"}
    assert files(snapshot.root) == {"app/a.yaml": "one", "app/b/c.yaml": "two"}, "and nothing beside it"
    assert snapshot.holds("app.yaml")
    assert not snapshot.holds("app/new")
    assert not snapshot.holds("../repo/app")


def test_the_whole_repository(git: Git, workspace: Workspace) -> None:
    write(git.root, {"Chart.yaml": "x", "templates/a": "y"})
    repository = Repository(str(git.root))
    snapshot = Snapshot(repository, git.commit(), workspace)
    assert repository.place(str(git.root)) == ""
    assert files(snapshot.bring("")) == {"Chart.yaml": "x", "templates/a": "y"}


def test_what_releases_leave_out_is_there_all_the_same(git: Git, workspace: Workspace) -> None:
    write(
        git.root,
        {
            ".gitattributes": "ci export-ignore\n*.txt export-subst\n",
            "app/ci/a": "x",
            "app/a.txt": "$Format:%H$",
        },
    )
    snapshot = Snapshot(Repository("repo"), git.commit(), workspace)
    assert files(snapshot.bring("app")) == {"ci/a": "x", "a.txt": "$Format:%H$"}


def test_strange_names(git: Git, workspace: Workspace) -> None:
    names = {
        "app/with space": "1",
        "app/ümlaut": "2",
        'app/"quoted"': "3",
        "app/-dash": "4",
        "app/*": "5",
        "app/\n": "6",
    }
    write(git.root, names)
    snapshot = Snapshot(Repository("repo"), git.commit(), workspace)
    assert files(snapshot.bring("app")) == {name.removeprefix("app/"): text for name, text in names.items()}


def test_links_bring_what_they_lead_to_within_the_repository(git: Git, workspace: Workspace) -> None:
    write(git.root, {"app/x": "", "shared/deep/a": "a", "shared/b": "b", "secret": ""})
    for link, to in {
        "dir": "../shared/deep",
        "file": "../shared/b",
        "out": "/etc",
        "up": "../../..",
        "self": "self",
    }.items():
        (git.root / "app" / link).symlink_to(to)
    (git.root / "shared/deep/on").symlink_to("../b")
    snapshot = Snapshot(Repository("repo"), git.commit(), workspace)
    path = Path(snapshot.bring("app"))
    assert (path / "dir/a").read_text() == "a"
    assert (path / "dir/on").read_text() == (path / "file").read_text() == "b"
    assert not (Path(snapshot.root) / "secret").exists()
    assert (path / "out").readlink() == Path("/etc"), "a link stays a link: the engine refuses what leads out"


def test_nothing_of_the_repository_is_written(git: Git, workspace: Workspace) -> None:
    write(git.root, {"app/a": "one"})
    commit = git.commit()
    write(git.root, {"app/a": "two"})
    git("add", "app/a")
    write(git.root, {"app/a": "three"})
    before = {path: path.stat().st_mtime_ns for path in git.root.rglob("*")}
    repository = Repository("repo")
    Snapshot(repository, commit, workspace).bring("app")
    repository.changed_since(commit)
    assert {path: path.stat().st_mtime_ns for path in git.root.rglob("*")} == before


def test_a_sparse_checkout_hides_nothing(git: Git, workspace: Workspace) -> None:
    write(git.root, {"app/a": "one", "other/b": "two"})
    commit = git.commit()
    git("sparse-checkout", "set", "app")
    assert not (git.root / "other").exists()
    assert files(Snapshot(Repository("repo"), commit, workspace).bring("other")) == {"b": "two"}


def test_a_git_hook_speaks_of_another_index(
    git: Git, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(git.root, {"app/a": "one"})
    commit = git.commit()
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    assert files(Snapshot(Repository("repo/app"), commit, workspace).bring("app")) == {"a": "one"}


def test_what_changed_committed_or_not(git: Git) -> None:
    write(git.root, dict.fromkeys(("same", "committed", "staged", "edited", "deleted", "moved"), ""))
    write(git.root, {".gitignore": "ignored\n"})
    git.commit("base")
    git("switch", "--quiet", "--create", "work")
    write(git.root, {"committed": "x"})
    git.commit()
    write(git.root, {"staged": "x"})
    git("add", "staged")
    git("mv", "moved", "there")
    (git.root / "deleted").unlink()
    write(git.root, {"edited": "x", "new/file": "x", "ignored": "x"})
    git("switch", "--quiet", "main")  # what others did since is not ours
    write(git.root, {"others": "x"})
    git("add", "others")
    git("commit", "--quiet", "--message", "others", "--", "others")
    git("switch", "--quiet", "work")
    repository = Repository("repo/new")
    base = repository.merge_base("main")
    assert base == repository.commit("base")
    assert repository.changed_since(base) == [
        "committed",
        "deleted",
        "edited",
        "moved",
        "new/file",
        "staged",
        "there",
    ]


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("v9", "git knows no 'v9' in {repo}\n  fetch it first: git fetch --tags"),
        ("origin/main", "git knows no 'origin/main' in {repo}\n  fetch it first: git fetch origin main"),
        ("--all", "'--all' is not a git ref\n  name a branch, a tag or a commit"),
        ("", "'' is not a git ref\n  name a branch, a tag or a commit"),
        ("HEAD:app", "git knows no 'HEAD:app' in {repo}\n  fetch it first: git fetch --tags"),
    ],
)
def test_refs_that_are_none(git: Git, ref: str, words: str) -> None:
    write(git.root, {"app/a": ""})
    git.commit()
    with pytest.raises(UserError) as raised:
        Repository("repo").commit(ref)
    assert str(raised.value) == words.format(repo=git.root)


def test_a_shallow_clone(git: Git, here: Path) -> None:
    write(git.root, {"a": ""})
    git.commit("v1")
    git("switch", "--quiet", "--create", "work")
    git.commit()
    git("switch", "--quiet", "main")
    write(git.root, {"a": "x"})
    git.commit()
    Git(here)("clone", "--quiet", "--depth", "1", "--no-single-branch", f"file://{git.root}", "clone")
    Git(here / "clone")("switch", "--quiet", "work")
    clone = Repository("clone")
    for ref in ("v0", "origin/main"):
        with pytest.raises(UserError, match=r"git fetch --unshallow .*fetch-depth: 0"):
            clone.merge_base(ref)


def test_histories_that_never_met(git: Git) -> None:
    git.commit("v1")
    git("switch", "--quiet", "--orphan", "other")
    git.commit()
    with pytest.raises(UserError, match="v1 and HEAD have no common commit"):
        Repository("repo").merge_base("v1")


def test_a_repository_without_commits(git: Git) -> None:
    with pytest.raises(UserError, match="git knows no 'HEAD'"):
        Repository(str(git.root)).merge_base("HEAD")


def test_no_repository_and_no_git(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"^\. is not in a git repository"):
        Repository(".")
    monkeypatch.setenv("PATH", str(here))
    with pytest.raises(UserError, match="git does not run: No such file or directory\n  install git"):
        Repository(".")


def test_folders_of_ours_are_gone_afterwards(git: Git) -> None:
    write(git.root, {"app/a": ""})
    with Workspace() as workspace:
        snapshot = Snapshot(Repository("repo"), git.commit(), workspace)
        assert Path(snapshot.bring("app")).is_dir()
    assert not Path(snapshot.root).exists()
    assert not Path(snapshot.root).parent.exists()
