"""Who holds a Lease: told to people in refusals, and recognised when it is dead on this very machine."""

import datetime as dt
import getpass
import os
import socket
import uuid
from typing import Literal

import msgspec
from msgspec import Struct

_GROUP, _START = 2, 19  # where proc(5) has them, counted from behind the name


class Holder(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A deploy that runs, or ran. Boot, process namespace and start time make its pid mean the same process for ever."""

    identity: str
    user: str
    host: str
    pid: int
    operation: str
    since: str  # UTC, by the holder's own clock: for people only
    what: str = ""  # "tetris 2.0.0"
    boot: str = ""
    pid_namespace: str = ""
    process_start: str = ""
    helm_group: int = 0  # the process group of its helm processes

    def __str__(self) -> str:
        what = f"{self.what}, " if self.what else ""
        return f"{self.user}@{self.host}, process {self.pid}: {what}operation {self.operation}, since {self.since}"


def ourselves(operation: str, what: str = "", *, helm_group: int = 0) -> Holder:
    """This process."""
    pid = os.getpid()
    return Holder(
        identity=f"{socket.gethostname()}-{uuid.uuid4().hex[:12]}",
        user=_user(),
        host=socket.gethostname(),
        pid=pid,
        operation=operation,
        since=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        what=what,
        boot=_boot(),
        pid_namespace=_pid_namespace(),
        process_start=_start(pid),
        helm_group=helm_group,
    )


def read(text: str) -> Holder | None:
    """As it was written; None if it is nothing of ours."""
    try:
        return msgspec.json.decode(text, type=Holder)
    except msgspec.DecodeError:
        return None


def state(holder: Holder) -> Literal["alive", "ending", "dead", "unknown"]:
    """What can be seen from here. `ending`: it is dead, and a helm of its is still at work. Elsewhere: unknown."""
    if not holder.boot or holder.boot != _boot() or holder.pid_namespace != _pid_namespace():
        return "unknown"
    if holder.process_start and _start(holder.pid) == holder.process_start:
        return "alive"
    return "ending" if _is_at_work(holder.helm_group) else "dead"


def _is_at_work(group: int) -> bool:
    """Whether a process of that group lives. One that nobody reaps gets signals too: in a container whose first process
    does not care for orphans, it does so for good."""
    if group <= 1:
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    everybody = (_stat(process) for process in os.listdir("/proc") if process.isdigit())
    return any(stat and stat[_GROUP] == str(group) for stat in everybody)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name: in containers
        return str(os.getuid())


def _boot() -> str:
    """Empty where the kernel does not tell: then nothing is said about processes."""
    return _text("/proc/sys/kernel/random/boot_id")


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _start(pid: int) -> str:
    """When it was started, in ticks since boot; empty if there is no such process."""
    stat = _stat(str(pid))
    return stat[_START] if stat else ""


def _stat(process: str) -> list[str]:
    """The numbers the kernel has of a process that lives; empty if there is none, or only what is left of it."""
    # The name may hold anything, brackets too: fields are counted from behind the last one.
    fields = _text(f"/proc/{process}/stat").rpartition(")")[2].split()
    return fields if len(fields) > _START and fields[0] not in "ZX" else []


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
