"""When and where a job runs: before or after, a component or the whole."""

from enum import Enum, StrEnum
from typing import Final


class Moment(StrEnum):
    PRE = "pre"
    POST = "post"


class Global(Enum):
    """No component: the deploy as a whole. A value of its own, so that no component's name can mean it."""

    GLOBAL = "global"


GLOBAL: Final = Global.GLOBAL
Pre: Final = Moment.PRE
Post: Final = Moment.POST
