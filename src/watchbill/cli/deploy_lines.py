"""A deploy where nobody looks on: one line an event. Jobs are heard; of helm only what went wrong, unless asked."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click
import msgspec

from watchbill import durations
from watchbill.deploy.events import GOOD, STARTED, WORKING, Event
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.cli.session import Session

WHERE = 34
Say = Callable[[str], None]


def read_or_not(say: Say) -> Say:
    """Who reads along may go away, and a disk may be full: a deploy is not left in the middle for that."""

    def said(text: str) -> None:
        with suppress(OSError, UserError):
            say(text)

    return said


class Lines:
    """Lines go where the person reads: not to stdout where that is for machines."""

    def __init__(self, say: Say, *, verbose: bool = False) -> None:
        self.say = say
        self._verbose = verbose

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return

    def tell(self, event: Event) -> None:
        if event.stage is None:  # the whole deploy: what is said before and after it tells more
            if event.status == WORKING:
                self.say(f"{event.time[11:19]}  {'':<{WHERE}}    {event.text}".rstrip())
            return
        if event.status == WORKING and event.step == "chart" and not self._verbose:
            return
        if event.component and not event.step and event.status != "not-started":
            return  # its steps tell as much
        self.say(f"{event.time[11:19]}  {where(event):<{WHERE}}  {words(event)}".rstrip())


class JsonLines:
    """Events on stdout, for machines; what is for people on stderr."""

    def __init__(self, session: "Session", *, verbose: bool) -> None:
        self._write = read_or_not(session.say)
        self.say = read_or_not(lambda text: click.echo(text, err=True, color=session.color))
        self._lines = Lines(self.say, verbose=verbose)

    def __enter__(self) -> "JsonLines":
        return self

    def __exit__(self, *_: object) -> None:
        return

    def tell(self, event: Event) -> None:
        self._write(msgspec.json.encode(event).decode())
        self._lines.tell(event)


def where(event: Event) -> str:
    parts = [event.component or str(event.stage), event.step or ""]
    return " ".join(part for part in parts if part and part != event.stage) or str(event.stage)


def words(event: Event) -> str:
    if event.status == WORKING:
        return f"  {event.text}"
    if event.status == STARTED:
        return "begins" if event.component is None and event.step is None else STARTED
    head = styled(event.status)
    took = f" after {durations.told(event.seconds)}" if event.seconds is not None else ""
    return f"{head}{took}{f': {event.text}' if event.text else ''}"


def styled(status: str) -> str:
    if status in GOOD:
        return click.style(status, fg="green")
    if status in ("manual", "cancelled", "not-started"):
        return click.style(status, fg="yellow")
    return click.style(status, fg="red", bold=True)
