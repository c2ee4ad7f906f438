"""A command of the user's between Helm's rendering and what Helm does with it (`--post-renderer`)."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.charts.render import Document, Rendering, parse
from watchbill.checking.inputs.programs import run
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.objects import at, group_of

_NAME = "what the post-renderer printed"


class PostRenderer:
    """Makes a rendering what the command makes of it. What it prints is asked for once for each input.

    Documents keep the template and the line they come from: by the `# Source:` comment if the command leaves it,
    else by what they are called.
    """

    def __init__(
        self, engine: Engine, tool: Tool, command: str, arguments: Sequence[str] = (), seconds: float = 60.0
    ) -> None:
        self._engine = engine
        self._command = (command, *arguments)
        self._seconds = seconds
        # Helm 3 shows it plain objects alone, and takes all it gets back for such; Helm 4 sorts hooks out after it.
        self._sees_hooks = not (tool.name == "helm" and tool.version.startswith("3."))
        self._printed: dict[str, str] = {}

    def __call__(self, rendering: Rendering) -> Rendering:
        if self._sees_hooks:
            given = [document for document in rendering.documents if document.role != "crd"]
            given.sort(key=lambda document: (document.template, document.index))
        else:
            given = [document for document in rendering.documents if document.role == "manifest"]
        came = [document for document in self._ask(given) if document.object is not None]
        documents = self._sorted(came, rendering) if self._sees_hooks else _all_plain(came)
        shown = set(map(id, given))
        kept = [document for document in rendering.documents if id(document) not in shown]
        crds = [document for document in kept if document.role == "crd"]
        return Rendering.of(
            rendering.context,
            [*crds, *documents, *(document for document in kept if document.role != "crd")],
            notes=rendering.notes,
            volatile=rendering.volatile,
            lookups=rendering.lookups,
            values=rendering.values,
        )

    def _ask(self, given: Sequence[Document]) -> Iterator[Document]:
        text = "".join(f"---\n# Source: {document.template}\n{document.text}\n" for document in given)
        if text not in self._printed:
            self._printed[text] = post_render(self._command, text, self._seconds)
        origins = _Origins(given)
        for number, document in enumerate(self._read(self._printed[text])):
            yield origins.traced(document, number)

    def _read(self, text: str) -> list[Document]:
        try:
            return sorted(parse(self._engine, _NAME, text).documents, key=lambda document: document.index)
        except UserError as error:
            raise UserError(
                f"{_NAME} is not what Helm can read",
                where="\n".join(filter(None, (error.what, error.where))),
                then=f"look at what {self._command[0]} prints",
            ) from None

    def _sorted(self, came: Sequence[Document], rendering: Rendering) -> list[Document]:
        """As Helm 4 does: by file, then by kind, hooks apart."""
        by_file = sorted(came, key=lambda document: document.template)
        text = "".join(f"---\n{document.text}\n" for document in by_file)
        return [
            replace(by_file[read.index], role=read.role, hook=read.hook, unknown_event=read.unknown_event)
            for read in parse(self._engine, _NAME, text, rendering.context).documents
        ]


def post_render(command: Sequence[str], text: str, seconds: float) -> str:
    done = run(
        command,
        seconds=seconds,
        stdin=text.encode(),
        then="--post-renderer takes a program; its arguments are given with --post-renderer-args",
    )
    if done.code:
        raise UserError(
            f"the post-renderer {command[0]} failed: exit code {done.code}",
            where=done.err.strip() or None,
            then="it gets manifests on stdin and prints them on stdout",
        )
    try:
        printed = done.out.decode()
    except UnicodeDecodeError:
        raise UserError(f"the post-renderer {command[0]} printed what is not UTF-8") from None
    if not printed.strip():
        raise UserError(
            f"the post-renderer {command[0]} printed nothing",
            where=done.err.strip() or None,
            then="it gets manifests on stdin and prints them on stdout; Helm takes nothing for a failure",
        )
    return printed


class _Origins:
    """Which of the documents given to the command one that it printed was."""

    def __init__(self, given: Sequence[Document]) -> None:
        self._by_template: dict[str, list[Document]] = {}
        self._by_name: dict[tuple[Any, ...], Document] = {}
        for document in given:
            self._by_template.setdefault(document.template, []).append(document)
            for name in _names(document):
                self._by_name.setdefault(name, document)

    def traced(self, document: Document, number: int) -> Document:
        origin = self._origin(document)
        if origin is None:  # Helm's own name for such
            return replace(document, template=f"generated-by-postrender-{number}.yaml", line=None)
        return replace(
            document,
            template=origin.template,
            index=origin.index,
            line=origin.line,
            subchart=origin.subchart,
        )

    def _origin(self, document: Document) -> Document | None:
        for name in _names(document):
            if found := self._by_name.get(name):
                return found
        same_file = self._by_template.get(document.template, [])
        kind = _kind(document)
        return next((other for other in same_file if _kind(other) == kind), None)


def _kind(document: Document) -> tuple[str, str]:
    thing = document.object if isinstance(document.object, dict) else {}
    return group_of(str(thing.get("apiVersion", ""))), str(thing.get("kind", ""))


def _names(document: Document) -> Iterator[tuple[Any, ...]]:
    """The best first; commands often add a namespace."""
    thing = document.object if isinstance(document.object, dict) else {}
    name, namespace = at(thing, "metadata", "name"), at(thing, "metadata", "namespace")
    if isinstance(name, str):
        yield (*_kind(document), name, namespace if isinstance(namespace, str) else "", document.template)
        yield (*_kind(document), name, namespace if isinstance(namespace, str) else "")
        yield (*_kind(document), name)


def _all_plain(came: Sequence[Document]) -> list[Document]:
    return [replace(document, role="manifest", hook=None, unknown_event="") for document in came]
