"""What a known error is made of, and the short writing in which its words are looked for.

A pattern is a regular expression with three shorthands: a blank may be missing (lines were joined there), `<name>`
stands for a name and `<...>` for text that does not matter, of which there can be a lot.
"""

import re
from enum import Enum
from functools import cache

from msgspec import Struct

HELM, KUBECTL, ARGO, FLUX = "helm", "kubectl", "argocd", "flux"

EVENT = r"(?:(?:pre|post)-(?:install|upgrade|rollback|delete)|test(?:-success)?)"
# Dumps of values are long, but no error reaches into the next one.
_ANYTHING = r"(?:(?!is ?invalid:|UPGRADE ?FAILED|INSTALLATION ?FAILED|already ?exists).){0,30000}?"
_SHORTHANDS = {
    "<...>": _ANYTHING,
    "<few>": r".{0,200}?",
    '"<name>"': r'"(?P<name>[^"]{0,300})"',
    '"<namespace>"': r'"(?P<namespace>[^"]{0,63})"',
    '"<kind>"': r'"(?P<kind>[^"]{1,63})"',
    '"<owner>"': r'"(?P<owner>[^"]{1,63})"',
    "<name>": r"(?P<name>[\w.-]{1,253}?)",
    "<last>": r"(?P<last>[\w.-]{1,253})",
    "<namespace>": r"(?P<namespace>[a-z0-9-]{0,63})",
    "<kind>": r"(?P<kind>[A-Z]\w{1,62})",
    "<Kind>": r"(?P<kind>[A-Z]\w{1,62})(?:\.[\w.-]+)?",  # with its group: Job.batch
    "<resource>": r"(?P<kind>[a-z]{2,63})(?:\.[\w.-]+)?",  # jobs.batch
    "<event>": rf"(?P<event>{EVENT})",
    "<reason>": r"(?P<reason>[A-Z][A-Za-z]{2,40})",
    "<release>": r"(?P<release>[a-z0-9.-]{1,53}?)",
    "<revision>": r"(?P<revision>\d{1,6})",
    "<flag>": r"(?P<flag>--[a-z-]{2,40})",
}
_SHORTHAND = re.compile(rf"(?<!\?P)(?:{'|'.join(map(re.escape, _SHORTHANDS))})")


class Stage(Enum):
    """How far an operation came."""

    BEFORE = "nothing is done or stored yet"
    FIRST_HOOKS = "the hooks before the plain objects"
    CHANGING = "the plain objects"
    WAITING = "waiting for them"
    LAST_HOOKS = "the hooks after them"
    ANYWHERE = "the error says nothing of that"


class Way(Struct, frozen=True):
    """A way out of the state an error left behind. Names and what else is known of the case stand in braces."""

    does: str
    commands: tuple[str, ...]
    costs: str
    when: str = ""  # it is not always the way
    mended: bool = False  # only once somebody has mended what made the Job fail
    tools: tuple[str, ...] = ()  # that are used so; empty: all
    operations: tuple[str, ...] = ()  # after which it is one; empty: after all
    stages: tuple[Stage, ...] = ()  # at which it has to have failed; empty: at any
    kinds: tuple[str, ...] = ()  # of objects for which it is one; empty: for all
    takes_back: bool = False  # what --atomic may have taken back already


class KnownError(Struct, frozen=True):
    """An error as its tool words it, and what we know of it."""

    id: str
    patterns: tuple[str, ...]
    words: str  # the same in short, in which it is told again: never in the pasted words
    happened: str
    ways: tuple[Way, ...] = ()
    lasting: str = ""  # what makes it go away for good
    rule: str = ""
    sure: bool = True  # that it is this rule; else it is the likeliest
    see: tuple[str, ...] = ()  # rules that may be behind it, where it takes a look to know
    kind: str = ""  # of the object, where its words do not say so
    of_hook: bool | None = None  # only for a hook, only for a plain object, or for both
    operations: tuple[str, ...] = ()  # only in these; empty: in all
    tools: tuple[str, ...] = ()  # only of these; empty: of all
    alone: str = ""  # the operation it comes from where nothing around it says so
    stage: Stage | None = None  # how far the operation came, where its event does not tell
    vague: bool = False  # says so little that anything else said is better


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(spell_out(pattern))


def spell_out(pattern: str, blank: str = " ?") -> str:
    """Return the regular expression of a pattern."""
    parts = _SHORTHAND.split(pattern)
    shorthands = [_SHORTHANDS[found] for found in _SHORTHAND.findall(pattern)]
    spaced = [part.replace(" ", blank) for part in parts]
    return "".join(piece for pair in zip(spaced, [*shorthands, ""], strict=True) for piece in pair)
