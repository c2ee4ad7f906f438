"""A deploy on a terminal: stages as lines that fill, what runs with its age, failures at once with their last lines."""

import io
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO, cast

from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.live import Live as RichLive
from rich.markup import escape
from rich.text import Text

from watchbill import durations
from watchbill.cli.deploy_lines import where
from watchbill.deploy.events import GOOD, STARTED, WORKING, Event, Stage
from watchbill.jobs import output

PER_SECOND = 8
LAST_LINES = 10
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
COLOURS = {
    "done": "green",
    "skipped": "green",
    "manual": "yellow",
    "cancelled": "yellow",
    "not-started": "yellow",
}


class _Running(Struct):
    where: str
    since: float
    line: str = ""  # the last it said


class _Stage(Struct):
    name: Stage
    since: float
    ended: int = 0
    took: float | None = None
    status: str = ""


class _Terminal(io.TextIOBase):
    """A terminal that may go away: a deploy is not left in the middle for that."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


class Live:
    """What has ended well is a number, what runs is a line, what failed stays on the screen."""

    def __init__(self, *, no_color: bool) -> None:
        self._console = Console(
            file=cast("TextIO", _Terminal(output.terminal())), no_color=no_color, highlight=False
        )
        self._stages: dict[Stage, _Stage] = {}
        self._running: dict[tuple[str | None, str | None], _Running] = {}
        self._said: dict[tuple[str | None, str | None], deque[str]] = {}
        self._live = RichLive(
            get_renderable=self._drawn,
            console=self._console,
            refresh_per_second=PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> "Live":
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def say(self, text: str) -> None:
        self._console.print(Text.from_ansi(text))

    def tell(self, event: Event) -> None:
        if event.stage is None:
            if event.status == WORKING:
                self._console.print(f"  [dim]| {escape(event.text)}[/]")
            return
        if event.step is None and event.component is None:
            self._of_stage(event, event.stage)
        elif event.step is not None:
            self._of_step(event)
        elif event.status != STARTED:
            self._stages[event.stage].ended += 1

    def _of_stage(self, event: Event, stage: Stage) -> None:
        if event.status == STARTED:
            self._stages[stage] = _Stage(stage, time.monotonic())
        elif stage in self._stages:
            self._stages[stage].took = event.seconds
            self._stages[stage].status = event.status

    def _of_step(self, event: Event) -> None:
        key = (event.component, event.step)
        if event.status == STARTED:
            self._running[key] = _Running(where(event), time.monotonic())
            self._said[key] = deque(maxlen=LAST_LINES)
        elif event.status == WORKING:
            if running := self._running.get(key):  # an abandoned job may go on talking
                running.line = event.text
                self._said[key].append(event.text)
        else:
            self._running.pop(key, None)
            said = self._said.pop(key, deque[str]())
            if event.status not in GOOD or event.status == "skipped":
                self._ended(event, said)

    def _ended(self, event: Event, said: deque[str]) -> None:
        colour = COLOURS.get(event.status, "red")
        self._console.print(f"[{colour}]{event.status}[/] {escape(where(event))}: {escape(event.text)}")
        if event.status not in GOOD:
            for line in said:
                self._console.print(f"  [dim]| {escape(line)}[/]")

    def _drawn(self) -> RenderableType:
        return Group(*(Text.from_markup(line, overflow="ellipsis") for line in self._lines()))

    def _lines(self) -> Iterator[str]:
        # Drawn in a thread of its own, while events come: lists are made at once, and then nobody changes them.
        now = time.monotonic()
        spinner = SPINNER[int(now * PER_SECOND) % len(SPINNER)]
        for stage in list(self._stages.values()):
            took = stage.took if stage.took is not None else now - stage.since
            mark = spinner if not stage.status else "✓" if stage.status in GOOD else "✗"
            colour = COLOURS.get(stage.status, "red") if stage.status else "cyan"
            many = f"  {stage.ended} ended" if stage.ended else ""
            yield f"[{colour}]{mark}[/] [bold]{stage.name}[/]  {durations.told(took)}{many}"
        for running in list(self._running.values()):
            yield f"    {escape(running.where)}  [dim]{durations.told(now - running.since)}  {escape(running.line)}[/]"
