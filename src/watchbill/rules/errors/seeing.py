"""Where in a text known errors are, and of which operation each speaks."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.kube import catalog
from watchbill.rules.errors import names
from watchbill.rules.errors.catalogue import ERRORS
from watchbill.rules.errors.context import Context, Messages
from watchbill.rules.errors.known import HELM, KnownError, compiled, spell_out
from watchbill.rules.errors.reading import Pasted
from watchbill.rules.errors.required import find_required

# Operations of Helm whose errors do not say whose they are, and in which of their hooks it was, most likely.
UNNAMED = {"uninstall": "pre-delete", "rollback": "pre-rollback", "test": "test"}
_KIND = re.compile("[A-Za-z][A-Za-z0-9]{1,62}")
_SEEN_OFTEN = 30  # times: a retry loop says the same again and again


class Kind(Struct, frozen=True):
    kind: str  # Job
    named: str  # as kubectl takes it
    namespaced: bool


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

    @property
    def kind(self) -> Kind:
        written = self.group("kind") or self.error.kind
        if not _KIND.fullmatch(written):
            return Kind("", "KIND", namespaced=True)
        if known := catalog.named(written):
            return Kind(known.kind, known.kind.lower(), known.namespaced)
        return Kind(written, written.lower(), namespaced=True)

    @property
    def cause(self) -> tuple[str, ...]:
        """Objects that fail the same way are told together."""
        context = self.context
        return (
            self.error.id,
            self.kind.kind,
            self.group("namespace"),
            self.group("owner"),
            context.tool,
            context.operation,
            context.event,
            context.undone,
        )


def seen_in(pasted: Pasted) -> list[Seen]:
    """In the order of the text; what an error has claimed is no other's."""
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
        if not any(text in words for text in _required(pattern)):
            continue
        for number, match in enumerate(compiled(pattern).finditer(words)):
            if number == _SEEN_OFTEN:
                break
            yield match


@cache
def _required(pattern: str) -> tuple[str, ...]:
    return find_required(spell_out(pattern)) or ("",)


def _context(error: KnownError, context: Context, pasted: Pasted) -> Context:
    """Where the message does not say which operation it is, the command that was typed may."""
    if error.alone and (not context.operation or context.undone == "rollback failed"):
        return replace(context, tool=context.tool or HELM, operation=error.alone, event="")
    if context.tool == HELM and not context.operation:
        typed = names.typed_before(pasted, context.begins).verb
        event = context.event or (UNNAMED.get(typed, "") if error.of_hook else "")
        return replace(context, operation=typed if typed in UNNAMED else "", event=event)
    return context


def _applies(error: KnownError, context: Context) -> bool:
    if error.of_hook is not None and error.of_hook != context.in_hook:
        return False
    if error.operations and context.operation and context.operation not in error.operations:
        return False
    return not error.tools or context.tool in error.tools or (not context.tool and HELM in error.tools)
