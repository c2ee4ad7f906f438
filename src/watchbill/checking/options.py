"""How is checked: tools, inputs and what the user says of their own ways."""

from typing import Any

from msgspec import Struct

from watchbill.charts.protocol import Context
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.scenarios import Scenario


class Options(Struct, frozen=True):
    tools: tuple[Tool, ...]
    context: Context
    depth: int = 3
    in_use: frozenset[str] = frozenset()  # flags
    scenarios: tuple[Scenario, ...] = ()  # the user's own
    objects: tuple[dict[str, Any], ...] = ()  # what `lookup` finds
    follow_symlinks: bool = False
