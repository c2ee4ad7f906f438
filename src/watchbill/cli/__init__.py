"""The command line: one module a command, imported when it is run; how commands end is decided here."""

import errno
import gc
import os

from watchbill.charts.process import EngineProcess
from watchbill.cli.option import plainly
from watchbill.cli.session import COMMON, Session
from watchbill.errors import Found, Unchecked, UserError

GARBAGE = 100_000  # objects, made and not freed, before the collector looks among them
WRITING_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
COMMANDS = (
    "check",
    "compare",
    "completion",
    "deploy",
    "explain",
    "history",
    "init",
    "jobs",
    "matrix",
    "rehearse",
    "show",
)


def run(arguments: list[str], spawned: EngineProcess | None = None) -> int:
    """Runs one command line and gives its exit code: 0 fine, 1 found something, 2 could not be done."""
    session = Session(spawned)
    # Hardly anything here refers back to itself, and a run is short: to look for it often costs more than it frees.
    gc.freeze()
    gc.set_threshold(GARBAGE)
    gc.enable()
    try:
        return _run(arguments, session)
    except UserError as error:
        session.complain(str(error))
        return error.exit_code
    except (Found, Unchecked) as ended:
        return ended.exit_code
    except KeyboardInterrupt:
        session.mention("interrupted")
        return 130
    except BrokenPipeError:  # whoever read our output went away
        return 141
    except Exception as error:  # noqa: BLE001  (the last line of defence: no traceback reaches a user)
        if problem := _problem_outside(error):
            session.complain(problem)
            return UserError.exit_code
        from watchbill.cli.crash import report

        return report(error, session)
    finally:
        session.close()


def _problem_outside(error: Exception) -> str:
    """Return what is wrong with the surroundings of this process, if that explains an error that nothing expected."""
    if isinstance(error, MemoryError):
        return "too little memory\n  raise or remove the limit (`ulimit -v` shows it)"
    if not isinstance(error, OSError):
        return ""
    if error.filename is None and error.errno in WRITING_FAILED:  # click prints help and versions itself
        return f"the output cannot be written: {error.strerror}"
    try:
        os.getcwd()
    except OSError:
        return "the current directory does not exist any more\n  cd to one that does"
    return ""


def _run(arguments: list[str], session: Session) -> int:
    """`check` mostly needs no click."""
    if arguments[:1] == ["check"]:
        from watchbill.cli.check_run import OPTIONS, check

        if (read := plainly((*OPTIONS, *COMMON), arguments[1:])) is not None:
            options, charts = read
            session.debug = options.pop("debug")
            session.no_color = options.pop("no_color") or session.no_color
            check(session, {**options, "charts": charts})
            return 0
    from watchbill.cli import group

    return group.run(arguments, session)
