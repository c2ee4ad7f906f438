"""What went wrong in a job, for a person: one line as the reason, and in the log where in their own files it was."""

import asyncio
import os
import sysconfig
import traceback
from collections.abc import Iterator

import watchbill
from watchbill.errors import UserError
from watchbill.jobs.outcomes import Abort, Manual, Skip, Status
from watchbill.jobs.places import Place

LONGEST = 400
_OURS = os.path.dirname(os.path.abspath(watchbill.__file__)) + os.sep
_PYTHON = tuple(
    sorted({os.path.abspath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")})
)


class Failure:
    """An error that a job raised, as seen from the job's own file."""

    def __init__(self, error: BaseException, file: str) -> None:
        self.error = _speaker(error)
        self._folder = os.path.dirname(os.path.abspath(file)) + os.sep if file else ""

    @property
    def status(self) -> Status:
        match self.error:
            case Skip():
                return "skipped"
            case Abort():
                return "aborted"
            case Manual():
                return "manual"
            case _:
                return "failed"

    @property
    def guide(self) -> str:
        return self.error.guide.strip() if isinstance(self.error, Manual) else ""

    @property
    def reason(self) -> str:
        if isinstance(self.error, Skip | Abort | Manual):
            return _line(self.error.reason) or type(self.error).__name__.lower()
        return self.said if self.place is None else f"{self.said} ({self.place})"

    @property
    def said(self) -> str:
        return _said(self.error)

    def lines(self) -> Iterator[str]:
        """The traceback without what is not the user's. Answers have none."""
        if self.status != "failed":
            return
        told = traceback.TracebackException.from_exception(self.error, capture_locals=False)
        for one in _all(told):
            one.stack = traceback.StackSummary.from_list([f for f in one.stack if self._is_users(f.filename)])
        for text in told.format():
            yield from text.rstrip("\n").splitlines()

    @property
    def place(self) -> Place | None:
        """The innermost line of the user's."""
        frames = traceback.extract_tb(self.error.__traceback__)
        lines = [Place(f.filename, f.lineno or 0) for f in frames if self._is_users(f.filename)]
        return lines[-1] if lines else None

    def _is_users(self, file: str) -> bool:
        """The job's own folder is, even where it is installed as a package."""
        if file.startswith("<"):
            return False
        path = os.path.abspath(file)
        installed = f"{os.sep}site-packages{os.sep}"
        if (
            self._folder
            and path.startswith(self._folder)
            and path.count(installed) == self._folder.count(installed)
        ):
            return True
        return not path.startswith((_OURS, *_PYTHON)) and installed not in path


def _speaker(error: BaseException) -> BaseException:
    """Of several errors (of a TaskGroup) the one that says how the job ended: an order to stop everything, then
    errors, then what a person must do, then what need not be done."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = list(_leaves(error))
    for kind in (Abort, None, Manual, Skip):
        for leaf in leaves:
            if isinstance(leaf, kind) if kind else not isinstance(leaf, Abort | Manual | Skip):
                return leaf
    return error


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _all(told: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    yield told
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        if other is not None:
            yield from _all(other)


def _said(error: BaseException) -> str:
    """KeyError('x') says 'x' alone: the type is a part of what is said. Our own errors speak in sentences."""
    if isinstance(error, UserError):
        return _line(error.what)
    if isinstance(error, SystemExit):
        return f"it called sys.exit({'' if error.code is None else repr(error.code)})"
    if isinstance(error, ImportError) and error.path:
        # The path is where the other module lies, and no help.
        return f"{type(error).__name__}: {error.msg.removesuffix(f' ({error.path})')}"
    if isinstance(error, asyncio.CancelledError):
        return "it cancelled itself"
    try:
        text = _line(str(error))
    except BaseException:  # noqa: BLE001  (a __str__ of the user's, which may call sys.exit)
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line(text: str) -> str:
    first, _, more = text.strip().partition("\n")
    first = first.strip()
    if len(first) > LONGEST:
        return f"{first[:LONGEST]}…"
    return f"{first} …" if more.strip() else first
