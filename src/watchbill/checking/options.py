"""How is checked: tools, inputs and what the user says of their own ways."""

from msgspec import Struct

from watchbill.charts.protocol import Context
from watchbill.checking.baseline import Baseline
from watchbill.checking.selection import Selection
from watchbill.checking.settings.config import Config
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.lab import Contract, Tool
from watchbill.lifecycle.scenarios import Scenario


class PostRendering(Struct, frozen=True):
    """A command of the user's between rendering and the tool."""

    command: str
    arguments: tuple[str, ...] = ()
    seconds: float = 60.0


class Options(Struct, frozen=True):
    tools: tuple[Tool, ...]
    context: Context
    depth: int = 2
    in_use: frozenset[str] = frozenset()  # flags
    timeout: float = DEFAULT_TIMEOUT  # of Helm, in seconds
    scenarios: tuple[Scenario, ...] = ()  # the user's own
    contracts: tuple[Contract, ...] = ()  # of Jobs, by name
    follow_symlinks: bool = False
    post_rendering: PostRendering | None = None
    config: Config = Config()
    baseline: Baseline = Baseline()
    selection: Selection = Selection()
    fill: bool = False  # placeholders for values that the chart requires
