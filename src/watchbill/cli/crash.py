"""A crash of ours: one line for the person, the traceback in a file for the report."""

import os
import sys
import tempfile
import time
import traceback

from watchbill import __version__
from watchbill.cli.session import Session

EXIT_CODE = 70  # sysexits' EX_SOFTWARE: neither a finding nor the user's mistake


def report(error: Exception, session: Session) -> int:
    text = "".join(traceback.format_exception(error))
    if session.debug:
        session.mention(text.rstrip())
    # No arguments in the file: a --set may hold a password, and people attach this file to reports.
    place = _write(f"watchbill {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n\n{text}")
    session.complain(
        f"watchbill crashed ({type(error).__name__}): this is our mistake; please report it with the file {place}"
    )
    return EXIT_CODE


def _write(text: str) -> str:
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (os.path.join(state, "watchbill"), tempfile.gettempdir()):
        try:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, name)
            # Ours alone to read, and never through a link that somebody left in a shared folder.
            with open(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600),
                "w",
                encoding="utf-8",
            ) as file:
                file.write(text)
        except OSError:
            continue
        return path
    return "(it could not be written: run again with --debug)"
