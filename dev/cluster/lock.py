"""One command at a time works on an instance."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.cluster.progress import say, wait_until


@contextmanager
def held(path: Path, remove: bool = False) -> Iterator[None]:
    """Hold the lock file; with `remove`, delete it at the end, so that nothing is left."""
    descriptor = _acquire(path)
    try:
        yield
    finally:
        if remove:
            path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            continue  # a removal took the directory away at this very moment
        if not wait_until(lambda fd=descriptor: _taken(fd), 2):  # type: ignore[misc]
            say(f"another command holds {path}: waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # The file may have been removed, or replaced, between opening and locking it.
        try:
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
