"""Scenarios of the user's own, in the words of `rehearse`; `upgrade next` goes to the next version."""

from collections.abc import Sequence

from watchbill.lifecycle.flags import HELM, HELM_FLAGS
from watchbill.lifecycle.helm.traits import Span, Version
from watchbill.lifecycle.moves import BadMove, Move, parse
from watchbill.lifecycle.scenarios import NEXT, THIS, UNTIL_EXPIRED, Act, Scenario

TOOLS = ("helm", "kubectl")
_NEXT = " next"


class BadScenario(Exception):  # noqa: N818 - it is the scenario that is bad
    """One that no tool can play: what is wrong, in which of its moves (None: in all of it), and what to do."""

    def __init__(self, place: int | None, what: str, then: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
        self.then = then


def read_scenario(name: str, moves: Sequence[str]) -> Scenario:
    """For the tool whose moves these are. Where they are no tool's, the error is of the one that gets further."""
    stuck = []
    for tool in TOOLS:
        try:
            return _scenario(name, tool, moves)
        except BadScenario as bad:
            stuck.append(bad)
    raise max(stuck, key=lambda bad: len(moves) if bad.place is None else bad.place)


def _scenario(name: str, tool: str, texts: Sequence[str]) -> Scenario:
    acts, played = [], []
    for place, text in enumerate(texts):
        words = text.strip()
        going_on = words.endswith(_NEXT)
        words = words.removesuffix(_NEXT).rstrip()
        if words != UNTIL_EXPIRED:
            move = _parsed(words, tool, place)
            if going_on and move.verb not in ("install", "upgrade", "apply"):
                raise BadScenario(place, f"the move {text!r} installs nothing", "write it without next")
            played.append(move)
        acts.append(Act(words, NEXT if going_on else THIS))
    if not any(move.of_tool for move in played):
        raise BadScenario(None, f"no tool does anything in the scenario {name!r}", "begin with install")
    since = max((_since(name, move.verb) for move in played for name in move.given), default=HELM.since)
    return Scenario(name, tool, tuple(acts), versions=Span(since))


def _parsed(text: str, tool: str, place: int) -> Move:
    try:
        move = parse(text, tool)
    except BadMove as bad:
        what, then = bad.what, bad.then
    else:
        if move.refused:
            raise BadScenario(place, f"{tool} takes no {text!r}: {move.refused}", "")
        return move
    other = next(other for other in TOOLS if other != tool)
    if text in ("next", "upgrade, next"):
        then = "to the next version goes: upgrade next"
    elif _is_move(text, other):
        what, then = f"{text!r} is a move of {other}, and others are of {tool}", "make two scenarios of it"
    raise BadScenario(place, what, then)


def _is_move(text: str, tool: str) -> bool:
    try:
        return parse(text, tool).of_tool
    except BadMove:
        return False


def _since(flag: str, verb: str) -> Version:
    """The first version that has it; kubectl's flags are older than anything here."""
    known = [known.versions.since for known in HELM_FLAGS.get(flag, ()) if verb in known.commands]
    return min(known, default=HELM.since)
