"""The user's own programs (git, helm, a post-renderer): run without a shell, within a time, never prompting."""

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct

from watchbill import interrupts
from watchbill.errors import UserError


class Done(Struct, frozen=True):
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")


def run(
    command: Sequence[str],
    *,
    seconds: float,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    then: str,
) -> Done:
    """What it said, whatever its exit code. `then` is what to do where it does not even start."""
    import subprocess

    try:
        with interrupts.PutOff():
            # In a session of its own: it and its children can be stopped together, and none asks the terminal.
            program = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
            forget = interrupts.before_leaving(lambda: _stop(program.pid))
    except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{command[0]} does not run: {reason}", then=then) from None
    with program:
        try:
            out, err = program.communicate(stdin, seconds)
        except BaseException as error:
            _stop(program.pid)
            if isinstance(error, subprocess.TimeoutExpired):
                raise UserError(f"{command[0]} took longer than {seconds:g} s and was stopped") from None
            raise
        finally:
            forget()
    return Done(program.returncode, out, err.decode(errors="replace"))


def _stop(leader: int) -> None:
    import signal

    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return
