"""What a report is asked for, besides what was found."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from watchbill.checking.result import LEVELS, Level
from watchbill.checking.settings.config import FailOn

if TYPE_CHECKING:
    from watchbill.checking.tabulating.matrix import Matrix

WIDEST, NARROWEST = 110, 40
WIDEST_TITLE = 115  # a hundred columns, and what stands before them


class Described(Protocol):
    """A rule, as far as a report must know it."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...


def no_page(rule: Described) -> str:  # noqa: ARG001
    return ""


class ReportOptions(Struct, frozen=True):
    fail_on: FailOn = "error"
    verbose: bool = False
    quiet: bool = False  # only findings and charts that could not be checked
    width: int = 0  # of the terminal; 0 where there is none
    rules: Sequence[Described] = ()  # all there are, in their order
    page_of: Callable[[Described], str] = no_page  # in Markdown; empty for a rule that has none
    matrices: "Sequence[Matrix]" = ()  # of the charts, for reports that show them

    @property
    def columns(self) -> int:
        """Lines longer than WIDEST are hard to read, and in less than NARROWEST no trace lines up."""
        return max(NARROWEST, min(self.width or WIDEST, WIDEST))

    @property
    def title_columns(self) -> int:
        """A title stays in one line wherever there is room for it."""
        return max(NARROWEST, self.width or WIDEST_TITLE)

    def fails(self, level: Level) -> bool:
        return self.fail_on != "never" and LEVELS.index(level) <= LEVELS.index(self.fail_on)
