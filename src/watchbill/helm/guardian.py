"""No helm outlives us: whatever ends this process, kill -9 too, ends the helm processes it started.

A helm that went on alone would change the cluster while the next deploy, which takes over the dead one's Lease, does
so as well. So one small process waits at a pipe whose other end only we hold. All helm processes are in its process
group. When the pipe ends without a farewell, it sends SIGTERM to the group (helm marks its release as failed), and
SIGKILL a little later, before the Lease can have expired.

The pipe's end is held by a child of ours too until that has become helm: by then it is in the group. So there
is no moment at which a kill leaves a helm behind that nobody ends.
"""

import subprocess
import sys

SECONDS_TO_KILL = 8.0

# A process group lives as long as one process is in it. The one who waits leaves it to another before that one acts:
# so the group is empty, and can be seen to be, as soon as the last helm is gone.
_PROGRAM = f"""
import os, signal, sys, time
for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(name, signal.SIG_IGN)
if os.read(0, 1):
    os._exit(0)
group = os.getpgrp()
if os.fork():
    os._exit(0)
os.setpgid(0, 0)
end = time.monotonic() + {SECONDS_TO_KILL}
try:
    os.killpg(group, signal.SIGTERM)
    while time.monotonic() < end:
        time.sleep(0.05)
        os.killpg(group, 0)
    os.killpg(group, signal.SIGKILL)
except OSError:
    pass
for file in sys.argv[1:]:
    try:
        os.unlink(file)
    except OSError:
        pass
"""


class Guardian:
    """One a deploy; started when the first helm is. `leftover` is a file that it deletes if we are killed."""

    def __init__(self, leftover: str | None = None) -> None:
        self._leftovers = [leftover] if leftover else []
        self._process: subprocess.Popen[bytes] | None = None

    def group(self) -> int:
        """The process group that helm processes belong into. A guardian that was killed is replaced."""
        if self._process is None or self._process.poll() is not None:
            self.dismiss()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM, *self._leftovers],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                process_group=0,
            )
        return self._process.pid

    def dismiss(self) -> None:
        """No helm is running any more."""
        if self._process is None:
            return
        assert self._process.stdin
        try:
            self._process.stdin.write(b".")
            self._process.stdin.close()
        except OSError:
            pass  # it is gone already
        self._process.wait()
        self._process = None
