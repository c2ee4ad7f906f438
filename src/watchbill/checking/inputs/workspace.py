"""Folders of ours: one that is gone after the run, and the user's cache for what need not be fetched twice."""

import os
from types import TracebackType
from typing import Self

from watchbill import interrupts
from watchbill.errors import UserError


class Workspace:
    """Temporary folders, made when the first is needed, removed at the end of the `with`."""

    def __init__(self) -> None:
        self._root = ""
        self._count = 0

    def __enter__(self) -> Self:
        self._forget = interrupts.before_leaving(self._remove)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._remove()
        self._forget()

    def _remove(self) -> None:
        if self._root:
            import shutil

            shutil.rmtree(self._root, ignore_errors=True)
            self._root = ""

    def folder(self) -> str:
        """A new one, empty."""
        if not self._root:
            import tempfile

            try:
                with interrupts.PutOff():
                    self._root = os.path.realpath(tempfile.mkdtemp(prefix="watchbill-"))
            except OSError as error:
                raise UserError(
                    f"cannot create a temporary directory: {error.strerror}",
                    then="name a directory that can be written with TMPDIR",
                ) from None
        self._count += 1
        path = os.path.join(self._root, str(self._count))
        os.mkdir(path)
        return path


def cached(kind: str, *key: str | bytes) -> str:
    """Where what belongs to this key is kept; it need not be there."""
    import hashlib

    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    digest = hashlib.sha256()
    for part in key:
        text = part if isinstance(part, bytes) else os.fsencode(part)
        digest.update(b"%d " % len(text) + text)
    return os.path.join(home, "watchbill", kind, digest.hexdigest()[:32])


def keep(folder: str, at: str) -> str:
    """Moves a finished folder into the cache in one step, so that nobody finds half of it; where the cache
    cannot be written it stays where it is. Gives where it is then."""
    import shutil

    parent = os.path.dirname(at)
    try:
        os.makedirs(parent, exist_ok=True)
        aside = f"{at}.{os.getpid()}"
        shutil.copytree(folder, aside)
        try:
            os.rename(aside, at)
        except OSError:  # another run was faster
            shutil.rmtree(aside, ignore_errors=True)
    except OSError:
        return folder
    return at if os.path.isdir(at) else folder


def reason(error: OSError) -> str:
    """Why files could not be read or written; a copy of many fails with a list of (from, to, why)."""
    listed = error.args[0] if error.args else ""
    if isinstance(listed, list) and listed:
        return str(listed[0][2])
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
