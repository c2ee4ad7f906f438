"""What is told of an error: what happened, the state now, and the ways out, with the names of the case in them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.rules.errors import names
from watchbill.rules.errors.context import Context
from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.names import Names
from watchbill.rules.errors.seeing import UNNAMED, Seen
from watchbill.rules.errors.state import again, stage_of, state_of
from watchbill.rules.errors.ways import PRECIOUS, cost_of_deleting


class WayOut(Struct, frozen=True):
    """Commands to type, and what they cost."""

    does: str
    when: str
    commands: tuple[str, ...]
    costs: str
    mended: bool  # it is one only once the cause is mended


class Explanation(Struct, frozen=True):
    error: str  # its id
    rule: str
    sure: bool  # of the rule
    see: tuple[str, ...]
    words: str
    tool: str
    operation: str
    event: str
    kind: str
    objects: tuple[str, ...]
    release: str
    namespace: str
    happened: str
    state: str
    status: tuple[str, ...]  # of the last revision, one of these
    ways: tuple[WayOut, ...]
    lasting: str


def told(found: Sequence[Seen], given: Names) -> Explanation:
    """Of one error, with all objects that have it. `given` are names the user knows better."""
    first = found[0]
    error, context, kind = first.error, first.context, first.kind
    objects = tuple(dict.fromkeys(name for seen in found if names.is_name(name := seen.name)))
    spoken = names.spoken_of(first.pasted, context.begins, found[-1].found.end())
    its_namespace = _name(first.group("namespace"))
    release = given.release or _name(first.group("release")) or spoken.release
    namespace = given.namespace or spoken.namespace or its_namespace
    state = state_of(context, error.stage)
    words = {
        "name": " ".join(objects) or "NAME",
        "kind": kind.named,
        "Kind": kind.kind or "object",
        "what": _what(kind.kind, objects),
        "release": release or "RELEASE",
        "namespace": namespace or "NAMESPACE",
        "in_namespace": f" -n {its_namespace or namespace or 'NAMESPACE'}" if kind.namespaced else "",
        "revision": _number(first.group("revision")) or spoken.revision or "REVISION",
        "event": context.event,
        "owner": _name(first.group("owner")) or "another",
        "doing": _doing(context),
        "doing_lower": _doing(context).replace("The ", "the ", 1),
        "deletion": cost_of_deleting(kind.kind),
    }
    words["What"] = words["what"][:1].upper() + words["what"][1:]
    ways = tuple(_ways(error, context, kind.kind, words))
    return Explanation(
        error=error.id,
        rule=error.rule,
        sure=error.sure,
        see=error.see,
        words=_short(error.words.format_map(words)),
        tool=context.tool,
        operation=context.operation,
        event=context.event,
        kind=kind.kind if objects else "",
        objects=objects,
        release=release,
        namespace=namespace,
        happened=_sentence(error.happened.format_map(words)),
        state=state.words,
        status=state.status,
        ways=ways,
        lasting=error.lasting,
    )


def _name(text: str) -> str:
    return text if names.is_name(text) else ""


def _number(text: str) -> str:
    return text if text.isdecimal() else ""


def _what(kind: str, objects: Sequence[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in objects)
    return f"{kind or 'object'} {quoted}" if quoted else f"the {kind or 'object'}"


def _doing(context: Context) -> str:
    if context.tool in (HELM, FLUX, "") and context.operation not in ("", "apply"):
        return f"The {context.operation}"
    return {"argocd": "The sync", "kubectl": "kubectl apply", "flux": "Flux"}.get(context.tool, "Helm")


def _ways(error: KnownError, context: Context, kind: str, words: dict[str, str]) -> Iterator[WayOut]:
    assumed_contexts = _possible(error, context)
    for assumed in assumed_contexts:
        state = state_of(assumed, error.stage)
        retry = again(assumed, state)
        for way in error.ways:
            if not _offered(way, assumed, kind, stage_of(assumed, error.stage), retry):
                continue
            commands = [
                one for command in way.commands for one in (retry if command == "{again}" else (command,))
            ]
            when = way.when.format_map(words)
            if len(assumed_contexts) > 1:
                when = " and ".join(filter(None, (f"it was helm {assumed.operation}", when)))
            yield WayOut(
                way.does,
                when,
                tuple(command.format_map(words) for command in commands),
                _costs(way, words, deleting=assumed.operation == "install" and retry[:-1] != ()),
                way.mended,
            )


def _costs(way: Way, words: dict[str, str], *, deleting: bool) -> str:
    costs = way.costs.format_map(words)
    if not deleting or "{again}" not in way.commands:
        return costs
    return f"{costs}; the other objects of the release are deleted, except for the volumes of StatefulSets"


def _possible(error: KnownError, context: Context) -> tuple[Context, ...]:
    """Some of Helm's errors do not say whose they are: of an uninstall, a rollback or a test."""
    asks = any(way.operations or "{again}" in way.commands for way in error.ways)
    if context.tool != HELM or context.operation or not asks:
        return (context,)
    return tuple(replace(context, operation=operation, event=event) for operation, event in UNNAMED.items())


def _offered(way: Way, context: Context, kind: str, stage: Stage, retry: Sequence[str]) -> bool:
    if way.tools and (context.tool or HELM) not in way.tools:
        return False
    if way.operations and context.operation not in way.operations:
        return False
    if (way.stages and stage not in way.stages) or (way.takes_back and context.undone):
        return False
    if way.kinds and kind not in way.kinds:
        return False
    if kind in PRECIOUS and any(command.startswith("kubectl delete") for command in way.commands):
        return False
    return bool(retry) or "{again}" not in way.commands


def _short(words: str) -> str:
    return words.replace(' "NAME"', "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
