"""What goes through the pipe to the engine, typed. The other side is engine/protocol.go."""

from typing import Any, Literal

from msgspec import Struct

PROTOCOL = 6

Role = Literal["crd", "manifest", "hook", "dropped"]


class Wire(Struct, frozen=True, rename="camel"):
    """A message or a part of one."""


class Hello(Wire, frozen=True):
    protocol: int
    helm: str = ""
    source: str = ""


# --- requests


class Source(Wire, frozen=True):
    path: str
    follow_symlinks: bool = False


class ValuesFile(Wire, frozen=True):
    path: str
    text: str | None = None


class Values(Wire, frozen=True):
    """Helm's value options; later kinds win over earlier ones, as in Helm, and the overlay over all."""

    files: tuple[ValuesFile, ...] = ()
    set_json: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    set_string: tuple[str, ...] = ()
    set_file: tuple[str, ...] = ()
    set_literal: tuple[str, ...] = ()
    overlay: dict[str, Any] = {}


class Edit(Wire, frozen=True):
    """Replaces bytes of one template's text before it is rendered."""

    template: str
    start: int
    end: int
    text: str


class Subchart(Wire, frozen=True):
    path: str  # names from the top, aliases applied: database/metrics
    version: str
    app_version: str = ""


class Context(Wire, frozen=True):
    """Everything besides the chart that decides what a render gives. Empty means: as Helm has it."""

    release: str = "release-name"
    namespace: str = "default"
    upgrade: bool = False
    revision: int = 1
    values: Values = Values()
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    served: tuple[str, ...] = ()
    helm_version: str = ""
    order: tuple[str, ...] = ()
    chart_version: str = ""
    app_version: str = ""
    subcharts: tuple[Subchart, ...] = ()  # with these versions instead of their own
    cluster: tuple[dict[str, Any], ...] = ()
    edits: tuple[Edit, ...] = ()
    seed: int = 0
    lines: bool = False
    only: tuple[str, ...] = ()  # templates to run, by their paths; empty: all, and crds/
    want_values: bool = False


class Load(Wire, frozen=True):
    source: Source
    templates: bool = False


class Render(Wire, frozen=True):
    source: Source
    contexts: tuple[Context, ...]
    served: tuple[str, ...] = ()  # of contexts that have none of their own


class Parse(Wire, frozen=True):
    name: str
    text: str
    order: tuple[str, ...] = ()
    plain: bool = False  # no manifests: documents as they stand, and no key twice


class Field(Wire, frozen=True):
    path: tuple[str | int, ...]
    index: int = 0
    template: str = ""


class Locate(Wire, frozen=True):
    fields: tuple[Field, ...]
    source: Source | None = None
    context: Context | None = None
    text: str = ""


class Request(Wire, frozen=True):
    id: int
    load: Load | None = None
    render: Render | None = None
    parse: Parse | None = None
    locate: Locate | None = None


# --- answers


class Dependency(Wire, frozen=True):
    name: str
    alias: str = ""
    version: str = ""
    repository: str = ""
    condition: str = ""
    tags: tuple[str, ...] = ()


class Template(Wire, frozen=True):
    path: str
    text: str


class ChartAnswer(Wire, frozen=True):
    name: str
    version: str
    app_version: str = ""
    type: str = ""
    kube_version: str = ""
    dependencies: tuple[Dependency, ...] = ()
    subcharts: tuple[Subchart, ...] = ()
    values: dict[str, Any] | None = None
    has_schema: bool = False
    templates: tuple[Template, ...] = ()


class Body(Wire, frozen=True):
    digest: str
    text: str
    object: Any = None


class Hook(Wire, frozen=True):
    events: tuple[str, ...] = ()
    weight: int = 0
    delete_policies: tuple[str, ...] = ()
    output_log_policies: tuple[str, ...] = ()


class DocumentAnswer(Wire, frozen=True):
    digest: str
    template: str
    role: Role
    index: int = 0
    subchart: str = ""
    line: int = 0
    hook: Hook | None = None
    unknown: str = ""


class Volatile(Wire, frozen=True):
    """A use of the clock or of randomness: the next render gives something else."""

    template: str
    function: str


class Lookup(Wire, frozen=True):
    """One question a template asked the cluster."""

    template: str
    api_version: str
    kind: str
    namespace: str = ""
    name: str = ""
    found: bool = False


class Violation(Wire, frozen=True):
    chart: str
    path: str
    message: str
    bad_schema: bool = False  # the schema itself is wrong, not the values


class EngineError(Wire, frozen=True):
    kind: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    missing: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    rendered: str = ""  # the line of output that is not YAML


class Rendered(Wire, frozen=True):
    index: int = 0
    documents: tuple[DocumentAnswer, ...] = ()
    notes: str = ""
    volatile: tuple[Volatile, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    sees: tuple[Literal["operation", "revision"], ...] = ()
    values: dict[str, Any] | None = None
    error: EngineError | None = None


class Position(Wire, frozen=True):
    file: str
    line: int
    column: int = 0


class Place(Wire, frozen=True):
    steps: tuple[Position, ...] | None = None
    exact: bool = False


class Answer(Wire, frozen=True):
    id: int = 0
    chart: ChartAnswer | None = None
    body: Body | None = None
    rendered: Rendered | None = None
    places: tuple[Place, ...] = ()
    error: EngineError | None = None
    done: bool = False
