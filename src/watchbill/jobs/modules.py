"""The modules that a bill names, and how they are imported.

Files get a package of their own, which is new each time and has no part in `sys.path`: a file called logging.py, for a
component of that name, hides no other `logging`, two bills in one process do not mix, and files beside each other
import one another as `from . import sizes`.
"""

import glob
import importlib
import importlib.util
import itertools
import os
import sys
from collections.abc import Iterator
from types import ModuleType

from watchbill.jobs.places import Mistake, near

_TESTS = ("test_", "conftest.")
_numbers = itertools.count(1)


class Module:
    """One that declares jobs, not imported yet."""

    def __init__(self, name: str, file: str, package: "_Package | None" = None) -> None:
        self.file = file  # empty if it is not known
        self.name = name
        self._package = package

    def load(self) -> None:
        if self._package:
            self._package.load()
        else:
            _forget(self.name)
        importlib.import_module(self.name)

    def advice(self, error: BaseException) -> str:
        """For who imports a file as if it were installed."""
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if not missing:
            return ""
        if not self._package:
            return "install it where watchbill runs; files are named by their path, like jobs/volumes.py"
        top = missing.partition(".")[0]
        folder = os.path.dirname(self.file)
        if _is_module(folder, top):
            return f"{top} lies beside it: from . import {top}"
        if os.path.basename(self._package.folder) == top:
            return f"within {top} a dot stands for it: from . import ..."
        return "install it where watchbill runs"


class _Package:
    """A folder of files."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = f"watchbill_jobs_{next(_numbers)}"
        self._is_loaded = False

    def load(self) -> None:
        """Its __init__.py, if there is one."""
        if self._is_loaded:
            return
        self._is_loaded = True
        start = os.path.join(self.folder, "__init__.py")
        if not os.path.isfile(start):
            package = ModuleType(self.name)
            package.__path__ = [self.folder]
            sys.modules[self.name] = package
            return
        spec = importlib.util.spec_from_file_location(
            self.name, start, submodule_search_locations=[self.folder]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[self.name] = package = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)


class Modules:
    """All that a bill names, in the order it names them, each once."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)
        self._roots: set[str] = set()
        self._named: dict[str, bool] = {}  # paths (True) and dotted names (False)
        self.mistakes: list[Mistake] = []

    def add(self, named: str) -> None:
        """As it stands in the bill."""
        path = os.path.normpath(os.path.join(self._folder, named))
        if any(letter in named for letter in "*?["):
            found = [self._add_path(one) for one in sorted(glob.glob(path, recursive=True))]
            if not any(found):
                self._wrong(f"no file of jobs matches {named!r}", f"looked for it in {near(self._folder)}")
        elif os.path.exists(path):
            if not self._add_path(path):
                self._wrong(f"no jobs in {near(path)}", "name .py files, or folders with some")
        elif named.endswith(".py") or "/" in named:
            self._wrong(f"{near(path)}: no such file", self._like(path))
        elif all(word.isidentifier() for word in named.split(".")):
            self._named[named] = False
        else:
            self._wrong(f"jobs: {named!r} is neither a file nor a module's name", self._like(path))

    def __iter__(self) -> Iterator[Module]:
        importlib.invalidate_caches()
        packages: dict[str, _Package] = {}
        for named, is_path in self._named.items():
            if not is_path:
                yield Module(named, _origin(named))
                continue
            # The outermost one: so that files of a folder within it can import those above them.
            root = min((root for root in self._roots if named.startswith(root + os.sep)), key=len)
            package = packages.setdefault(root, _Package(root))
            words = os.path.relpath(named, root).removesuffix(".py").split(os.sep)
            yield Module(".".join([package.name, *words]).removesuffix(".__init__"), named, package)

    def _add_path(self, path: str) -> bool:
        if os.path.isdir(path):
            files = glob.glob(os.path.join(glob.escape(path), "**", "*.py"), recursive=True)
            wanted = sorted(file for file in files if not os.path.basename(file).startswith(_TESTS))
            self._roots.add(path)
        else:
            wanted = [path] if path.endswith(".py") else []
            self._roots.add(os.path.dirname(path))
        for file in wanted:
            if "." in os.path.basename(file).removesuffix(".py"):
                self._wrong(f"{near(file)} cannot be imported", "rename it: a module has no dot in its name")
            else:
                self._named[file] = True
        return bool(wanted)

    def _like(self, path: str) -> str:
        from difflib import get_close_matches  # for who mistypes alone

        folder, name = os.path.split(path)
        beside = os.listdir(folder) if os.path.isdir(folder) else []
        close = get_close_matches(name, beside, n=1)
        return f"did you mean {near(os.path.join(folder, close[0]))}?" if close else ""

    def _wrong(self, what: str, then: str) -> None:
        self.mistakes.append(Mistake(None, what, then))


def _origin(dotted: str) -> str:
    """The file of the outermost package: nothing is imported to find it. Empty if there is none."""
    try:
        spec = importlib.util.find_spec(dotted.partition(".")[0])
    except ValueError:  # something without a file is called so already
        return ""
    if spec is None:
        return ""
    return spec.origin or os.path.join(next(iter(spec.submodule_search_locations or []), ""), "__init__.py")


def _forget(dotted: str) -> None:
    """Who was imported already declares nothing: it is imported anew."""
    for name in list(sys.modules):
        if name == dotted or name.startswith(f"{dotted}."):
            del sys.modules[name]


def _is_module(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.isdir(path) or os.path.isfile(f"{path}.py")
