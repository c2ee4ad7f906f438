"""Charts as they were: what git holds of a path at another commit, and what changed since.

Nothing of the repository is written: files come through an index of our own. Not through `git archive`, which
leaves out what .gitattributes keeps from releases, tests and `ci/` often among it.
"""

import os
from bisect import bisect_left

from watchbill.checking.inputs.programs import Done, run
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError

_SECONDS = 120.0
# Set where git runs us from a hook; they speak of another directory or index than the ones we ask about.
_OF_A_HOOK = frozenset(
    {
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    }
)
_FULL_HISTORY = (
    "fetch the whole history: git fetch --unshallow (GitHub: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"
)


class Repository:
    """The one a path is in."""

    def __init__(self, path: str) -> None:
        directory = os.path.realpath(path)
        if not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        found = _git(directory, "rev-parse", "--show-toplevel")
        if found.code:
            then = "compare with a directory or a package instead: --from PATH"
            if "not a git repository" not in found.err:
                raise UserError(
                    f"{path}: git does not read the repository", where=found.err.strip(), then=then
                )
            raise UserError(f"{path} is not in a git repository", then=then)
        self.top = os.path.realpath(os.fsdecode(found.out.removesuffix(b"\n")))

    def place(self, path: str) -> str:
        """A path as the repository knows it; empty for its top."""
        inside = os.path.relpath(os.path.realpath(path), self.top)
        return "" if inside == os.curdir else inside

    def path_in(self, path: str) -> str:
        """As in `git show REF:PATH`: from the top of the repository, or from here with `./`."""
        if path.startswith(("./", "../")):
            return self.place(path)
        inside = os.path.normpath(path)
        return "" if inside == os.curdir else inside

    def commit(self, ref: str) -> str:
        if not ref or ref.startswith("-"):
            raise UserError(f"{ref!r} is not a git ref", then="name a branch, a tag or a commit")
        found = self._git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if found.code:
            raise UserError(f"git knows no {ref!r} in {self.top}", then=self._how_to_get(ref))
        return found.text.strip()

    def merge_base(self, ref: str) -> str:
        """Where the work in hand left `ref`."""
        commit = self.commit(ref)
        found = self._git("merge-base", commit, "HEAD")
        if found.code:
            then = _FULL_HISTORY if self._is_shallow() else f"name a ref that HEAD comes from: git log {ref}"
            raise UserError(
                f"{ref} and HEAD have no common commit in {self.top}",
                where=found.err.strip() or None,
                then=then,
            )
        return found.text.strip()

    def changed_since(self, commit: str) -> list[str]:
        """Files that differ, committed or not, and those git does not know yet; sorted."""
        differ = self.ask("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", commit, "--")
        new = self.ask("ls-files", "--others", "--exclude-standard", "-z")
        return sorted(
            {os.fsdecode(name) for name in (*differ.out.split(b"\0"), *new.out.split(b"\0")) if name}
        )

    def _how_to_get(self, ref: str) -> str:
        if self._is_shallow():
            return _FULL_HISTORY
        remote, _, branch = ref.partition("/")
        return (
            f"fetch it first: git fetch {remote} {branch}" if branch else "fetch it first: git fetch --tags"
        )

    def _is_shallow(self) -> bool:
        return self._git("rev-parse", "--is-shallow-repository").text.strip() == "true"

    def _git(self, *arguments: str, stdin: bytes = b"", index: str = "") -> Done:
        return _git(self.top, *arguments, stdin=stdin, index=index)

    def ask(self, *arguments: str, stdin: bytes = b"", index: str = "") -> Done:
        """For what must work by all we know."""
        done = self._git(*arguments, stdin=stdin, index=index)
        if done.code:
            raise UserError(
                f"git {arguments[0]} failed in {self.top}",
                where=done.err.strip() or f"exit code {done.code}, no message",
            )
        return done


class Snapshot:
    """The repository at a commit, as far as it was asked for, at the same relative places."""

    def __init__(self, repository: Repository, commit: str, workspace: Workspace) -> None:
        self._repository = repository
        self._workspace = workspace
        self._index = ""
        self._brought: set[str] = set()
        self.commit = commit
        self.root = workspace.folder()
        listed = repository.ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        self._names = sorted(os.fsdecode(name) for name in listed.out.split(b"\0") if name)

    def holds(self, place: str) -> bool:
        """A file or a directory."""
        return bool(self._files(place))

    def bring(self, place: str) -> str:
        """Writes what is there, and what links in it lead to. Gives where."""
        waiting = [place]
        while waiting:
            wanted = [name for name in self._files(waiting.pop()) if name not in self._brought]
            if wanted:
                self._write(wanted)
                waiting += [to for name in wanted if (to := self._linked(name)) is not None]
        return os.path.join(self.root, place) if place else self.root

    def _files(self, place: str) -> list[str]:
        if not place:
            return self._names
        if place.split(os.sep, 1)[0] == os.pardir:
            return []
        start = bisect_left(self._names, place)
        if self._names[start : start + 1] == [place]:
            return [place]
        folder = place + "/"
        start = bisect_left(self._names, folder)
        end = bisect_left(self._names, place + chr(ord("/") + 1))
        return self._names[start:end]

    def _write(self, names: list[str]) -> None:
        if not self._index:
            self._index = os.path.join(self._workspace.folder(), "index")
            # Without the user's sparse checkout, which would leave out what is not in their working tree.
            self._repository.ask(
                "-c", "core.sparseCheckout=false", "read-tree", self.commit, index=self._index
            )
        self._repository.ask(
            "checkout-index",
            "--quiet",
            f"--prefix={self.root}/",
            "-z",
            "--stdin",
            stdin=b"\0".join(map(os.fsencode, names)) + b"\0",
            index=self._index,
        )
        self._brought.update(names)

    def _linked(self, name: str) -> str | None:
        """Where in the repository a link leads to; out of it is nowhere."""
        path = os.path.join(self.root, name)
        if not os.path.islink(path):
            return None
        to = os.path.relpath(os.path.join(os.path.dirname(path), os.readlink(path)), self.root)
        return None if to == os.curdir or not self.holds(to) else to


def _git(directory: str, *arguments: str, stdin: bytes = b"", index: str = "") -> Done:
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    # Messages we recognise; no lock and no index written while the user works.
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    if index:
        environment["GIT_INDEX_FILE"] = index
    return run(
        ["git", "-C", directory, *arguments],
        seconds=_SECONDS,
        stdin=stdin,
        environment=environment,
        then="install git, or compare with a directory or a package: --from PATH",
    )
