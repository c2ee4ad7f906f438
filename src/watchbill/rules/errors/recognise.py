"""From what somebody pasted to what it means: known errors, with the names that stand in it."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.kube import catalog
from watchbill.rules.errors import names, reading
from watchbill.rules.errors.catalogue import ERRORS
from watchbill.rules.errors.context import Context, Messages
from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way, compiled
from watchbill.rules.errors.names import Names
from watchbill.rules.errors.reading import Pasted
from watchbill.rules.errors.state import again, stage_of, state_of
from watchbill.rules.errors.ways import GO_BACK, PRECIOUS, cost_of_deleting

_KIND = re.compile("[A-Za-z][A-Za-z0-9]{1,62}")
_SEEN_OFTEN = 30  # times: a retry loop says the same again and again
# What is said in the commands where the text has no name for it.
PLACEHOLDERS = (
    "RELEASE",
    "NAMESPACE",
    "NAME",
    "CHART",
    "REVISION",
    "FILE",
    "APP",
    "DEFINITION",
    "KUSTOMIZATION",
    "SHORTER",
)
# Operations of Helm whose errors do not say whose they are.
_UNNAMED = {"uninstall": "pre-delete", "rollback": "pre-rollback", "test": "test"}


NOTHING = Names()


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


class Seen(Struct, frozen=True):
    """One place in the text where a known error is."""

    error: KnownError
    context: Context
    found: re.Match[str]
    pasted: Pasted

    def group(self, name: str) -> str:
        return self.found.groupdict().get(name) or ""

    @property
    def name(self) -> str:
        """Of the object. At the end of a message nothing but the end of the line bounds it."""
        if self.group("last"):
            return self.pasted.unbroken(*self.found.span("last"))
        return self.group("name")


def recognise(text: str, given: Names = NOTHING) -> list[Explanation]:
    """What is in the text, in its order. `given` are names the user knows better."""
    pasted = reading.read(text)
    explained: dict[tuple[str, ...], list[Seen]] = {}
    for seen in _seen(pasted):
        explained.setdefault(_cause(seen), []).append(seen)
    return [_explained(found, pasted, given) for found in explained.values()]


def _seen(pasted: Pasted) -> list[Seen]:
    messages = Messages(pasted)
    found: list[Seen] = []
    taken: list[tuple[int, int]] = []
    for error in ERRORS:
        for match in _matches(error, pasted.words):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            context = _context(error, messages.around(match), pasted)
            if _applies(error, context):
                found.append(Seen(error, context, match, pasted))
                taken.append(match.span())
    if any(not seen.error.vague for seen in found):
        found = [seen for seen in found if not seen.error.vague]
    return sorted(found, key=lambda seen: seen.found.start())


def _matches(error: KnownError, words: str) -> Iterator[re.Match[str]]:
    for pattern in error.patterns:
        for number, match in enumerate(compiled(pattern).finditer(words)):
            if number == _SEEN_OFTEN:
                break
            yield match


def _context(error: KnownError, context: Context, pasted: Pasted) -> Context:
    """Where the message does not say which operation it is, the command that was typed may."""
    if error.alone and (not context.operation or context.undone == "rollback failed"):
        return replace(context, tool=context.tool or HELM, operation=error.alone, event="")
    if context.tool == HELM and not context.operation:
        typed = names.typed_before(pasted, context.begins).verb
        event = context.event or (_UNNAMED.get(typed, "") if error.of_hook else "")
        return replace(context, operation=typed if typed in _UNNAMED else "", event=event)
    return context


def _applies(error: KnownError, context: Context) -> bool:
    if error.of_hook is not None and error.of_hook != context.in_hook:
        return False
    if error.operations and context.operation and context.operation not in error.operations:
        return False
    return not error.tools or context.tool in error.tools or (not context.tool and HELM in error.tools)


def _cause(seen: Seen) -> tuple[str, ...]:
    """Objects that fail the same way are told together."""
    context = seen.context
    return (
        seen.error.id,
        _kind(seen).kind,
        seen.group("namespace"),
        seen.group("owner"),
        context.tool,
        context.operation,
        context.event,
        context.undone,
    )


class _Kind(Struct, frozen=True):
    kind: str  # Job
    named: str  # as kubectl takes it
    namespaced: bool


def _kind(seen: Seen) -> _Kind:
    written = seen.group("kind") or seen.error.kind
    if not _KIND.fullmatch(written):
        written = ""
    known = catalog.named(written) if written else None
    if known:
        return _Kind(known.kind, known.kind.lower(), known.namespaced)
    return _Kind(written, written.lower() or "KIND", namespaced=True)


def _explained(found: Sequence[Seen], pasted: Pasted, given: Names) -> Explanation:
    first = found[0]
    error, context, kind = first.error, first.context, _kind(first)
    objects = tuple(dict.fromkeys(name for seen in found if names.is_name(name := seen.name)))
    spoken = names.spoken_of(pasted, context.begins, found[-1].found.end())
    its_namespace = seen_name(first.group("namespace"))
    release = given.release or seen_name(first.group("release")) or spoken.release
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
        "revision": seen_number(first.group("revision")) or spoken.revision or "REVISION",
        "event": context.event,
        "owner": seen_name(first.group("owner")) or "another",
        "doing": _doing(context),
        "doing_lower": _doing(context).replace("The ", "the ", 1),
        "deletion": cost_of_deleting(kind.kind),
    }
    words["What"] = words["what"][:1].upper() + words["what"][1:]
    ways = tuple(_ways(error, context, kind.kind, words))
    return Explanation(
        error=error.id,
        rule=error.rule,
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


def seen_name(text: str) -> str:
    return text if names.is_name(text) else ""


def seen_number(text: str) -> str:
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
    return f"{costs}; what is there of the release is deleted, but for the volumes of StatefulSets"


def _possible(error: KnownError, context: Context) -> tuple[Context, ...]:
    """Some of Helm's errors do not say whose they are: of an uninstall, a rollback or a test."""
    asks = any(way.operations or "{again}" in way.commands for way in error.ways)
    if context.tool != HELM or context.operation or not asks:
        return (context,)
    return tuple(replace(context, operation=operation, event=event) for operation, event in _UNNAMED.items())


def _offered(way: Way, context: Context, kind: str, stage: Stage, retry: Sequence[str]) -> bool:
    if way.tools and (context.tool or HELM) not in way.tools:
        return False
    if way.operations and context.operation not in way.operations:
        return False
    if way.stages and (stage not in way.stages or (way is GO_BACK and context.undone)):
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
