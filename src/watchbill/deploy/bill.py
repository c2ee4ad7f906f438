"""What a bill means: paths complete, durations in seconds, values of the chosen profile and environment on top, every name known."""

from msgspec import Struct

from watchbill.versions import Version


class Component(Struct, frozen=True):
    """One release of a chart, as helm is to be told of it."""

    name: str
    release: str
    namespace: str
    chart: str  # an absolute path, or a reference that helm resolves
    is_local: bool  # whether it is a path
    chart_version: str = ""  # of a chart that is not local
    needs: tuple[
        str, ...
    ] = ()  # components that must be done before; of a prerequisite also the one before it
    values: tuple[str, ...] = ()  # absolute paths or URLs; the last one wins
    set: tuple[str, ...] = ()  # in the words of --set; the last one wins
    set_string: tuple[str, ...] = ()
    timeout: float = 300.0  # seconds, as all durations
    wait: bool = True
    wait_for_jobs: bool = False
    atomic: bool = False
    cleanup_on_fail: bool = False
    history_max: int = 10
    skip_crds: bool = False
    is_prerequisite: bool = False
    line: int = 0  # where it stands in the bill


class Bill(Struct, frozen=True):
    """One version of a product, with one profile and one environment or without."""

    file: str  # as the user names it
    folder: str  # absolute: what the file says of paths is meant from here
    product: str
    version: Version
    upgrades_from: tuple[Version, ...]  # none: it is the first version
    default_namespace: str
    workers: int = 4
    timeout: float | None = None
    grace: float = 30.0
    crds: tuple[str, ...] = ()  # absolute paths of files and folders
    jobs: tuple[str, ...] = ()  # modules, as they are written
    profile: str = ""  # empty: none
    environment: str = ""  # empty: none
    environments: tuple[str, ...] = ()  # all of the file
    context: str = ""  # of the kubeconfig, that the environment wants; empty: any
    prerequisites: tuple[Component, ...] = ()  # in their order
    components: tuple[Component, ...] = ()

    @property
    def everything(self) -> tuple[Component, ...]:
        return (*self.prerequisites, *self.components)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(component.name for component in self.everything)
