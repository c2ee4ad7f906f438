"""What surrounds an error in its message: which tool says it, of which operation, in which of its hooks."""

import re
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from watchbill.rules.errors.known import ARGO, EVENT, FLUX, HELM, KUBECTL, compiled
from watchbill.rules.errors.reading import Pasted

_FAR = 40_000  # characters: so long can the dump of a value be that stands between a message's head and its point


_OPENING = "\"'=:"


class Head(NamedTuple):
    """How a message begins."""

    pattern: str
    tool: str
    operation: str = ""  # empty: it takes the rest of the message to know
    first: bool = False  # it is one only at the beginning of a line, or of a quotation


HEADS = (
    Head("(?<!Comparison)Error: ", HELM),
    Head("UPGRADE FAILED: ", HELM, "upgrade"),
    Head("INSTALLATION FAILED: ", HELM, "install"),
    Head("Helm install failed", FLUX, "install"),
    Head("Helm upgrade failed", FLUX, "upgrade"),
    Head("Helm rollback failed", FLUX, "rollback"),
    Head("Helm uninstall failed", FLUX, "uninstall"),
    Head("Helm test failed", FLUX, "test"),
    Head("install retries exhausted", FLUX, "install"),
    Head("upgrade retries exhausted", FLUX, "upgrade"),
    Head("dry-run failed", FLUX, "apply"),
    Head("one or more (?:objects failed to apply|synchronization tasks)", ARGO, "sync"),
    Head('error when (?:patching|replacing|creating) "/dev/shm/', ARGO, "sync"),
    Head("waiting for (?:completion|deletion) of hook|ComparisonError:|--force cannot be", ARGO, "sync"),
    Head("Error from server|error when (?:applying patch|creating|deleting|retrieving)", KUBECTL, "apply"),
    Head(r'The [A-Z]\w+ "[^"]{1,300}" is invalid:', KUBECTL, "apply"),
    Head("error: ", KUBECTL, "apply", first=True),
)
# Which operation of Helm it is, where the head does not say.
_OPERATIONS = (
    ("failed (?:pre|post)-install: |continue with install: ", "install"),
    ("(?:pre|post)-upgrade hooks failed: |continue with update: ", "upgrade"),
    (
        r"Hook (?:pre|post)-rollback |release [a-z0-9.-]{1,53}? failed: |from (?:new|current) release manifest",
        "rollback",
    ),
    ("Hook (?:pre|post)-delete |uninstallation completed with |uninstall: ", "uninstall"),
    ("Hook test", "test"),
)
_EVENT = rf"({EVENT}) hooks failed: |failed ({EVENT}): |Hook ({EVENT}) |({EVENT}) hook "
# Helm reads and looks at everything before it stores a revision.
_BEFORE = (
    r"unable to build kubernetes objects? from |continue with (?:install|update): |FAILED: unable to decode |execution error at "
    "|FAILED: could not get information "
)
_UNDONE = (
    ("has been rolled back due to ", "rolled back"),
    ("has been uninstalled due to ", "uninstalled"),
    ("an error occurred while rolling back the release", "rollback failed"),
    ("an error occurred while uninstalling the release", "uninstall failed"),
    ("unable to find a previously successful release", "nothing to roll back to"),
)


class Context(Struct, frozen=True):
    tool: str = ""
    operation: str = ""  # install, upgrade, rollback, uninstall, test; sync and apply of other tools
    event: str = ""
    before: bool = False  # anything was done or stored
    undone: str = ""  # what --atomic did
    begins: int = 0  # of the message, in the words

    @property
    def in_hook(self) -> bool:
        """Install and upgrade name the event; the others do not, and do nothing else that could fail so."""
        return bool(self.event) or self.operation in ("", "uninstall", "test") or self.tool == ARGO


class Messages:
    """All that begins somewhere in the words."""

    def __init__(self, pasted: Pasted) -> None:
        self._words = pasted.words
        lines = {then.start for line, then in pairwise(pasted.lines) if line.whole} | {0}
        heads = [
            (match.start(), head)
            for head in HEADS
            for match in compiled(head.pattern).finditer(pasted.words)
            if not head.first or match.start() in lines or pasted.words[match.start() - 1] in _OPENING
        ]
        self._heads = sorted(heads, key=lambda found: found[0])

    def around(self, found: re.Match[str]) -> Context:
        place = bisect_right(self._heads, found.start(), key=lambda head: head[0])
        if not place or found.start() - self._heads[place - 1][0] > _FAR:
            return Context(begins=found.start())
        begins, head = self._heads[place - 1]
        message = self._words[begins : found.end()]
        events = [next(filter(None, named)) for named in compiled(_EVENT).findall(message)]
        operation, event = head.operation or _first(_OPERATIONS, message), events[-1] if events else ""
        if operation == "uninstall" and not event and "uninstallation" in message:
            event = "post-delete"
        before = not event and bool(compiled(_BEFORE).search(message))
        return Context(head.tool, operation, event, before, _first(_UNDONE, message), begins)


def _first(known: tuple[tuple[str, str], ...], message: str) -> str:
    return next((word for pattern, word in known if compiled(pattern).search(message)), "")
