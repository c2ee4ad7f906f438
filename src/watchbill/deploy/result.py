"""How a deploy went, as values: the closing table, the history and the exit code are made of these."""

from msgspec import Struct

from watchbill.deploy.events import GOOD, Stage, Status
from watchbill.jobs.outcomes import Outcome


class Charted(Struct, frozen=True):
    """What helm did with a component's chart."""

    status: Status
    reason: str = ""
    revision: int = 0
    log: tuple[str, ...] = ()  # what helm said
    diagnosis: tuple[str, ...] = ()  # what its Jobs, pods and their events say, if helm failed


class ComponentResult(Struct, frozen=True):
    name: str
    stage: Stage
    status: Status
    reason: str = ""
    guide: str = ""  # what a person has to do
    seconds: float = 0.0
    chart: Charted | None = None  # none: helm was not run
    chart_seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.status in GOOD


class StageResult(Struct, frozen=True):
    stage: Stage
    status: Status
    seconds: float


class Result(Struct, frozen=True):
    status: Status
    reason: str = ""
    seconds: float = 0.0
    stages: tuple[StageResult, ...] = ()
    components: tuple[ComponentResult, ...] = ()
    jobs: tuple[Outcome, ...] = ()
    missing: tuple[str, ...] = ()  # components that still keep the version from being complete, after --only

    @property
    def is_good(self) -> bool:
        return self.status in GOOD
