"""Rules by number or name, as people write them."""

from collections.abc import Iterable
from typing import Protocol

from watchbill.rules import wb000_unclaimed
from watchbill.rules.registry import RULES


class Named(Protocol):
    """A rule, as far as settings must know it."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


class RuleNames:
    def __init__(self, rules: Iterable[Named]) -> None:
        self._words = {word: rule.id for rule in rules for word in (rule.id, rule.name)}
        self._ids = {word.lower(): rule for word, rule in self._words.items()}

    def id_of(self, text: str) -> str | None:
        """None where there is no such rule."""
        return self._ids.get(text.lower())

    def start_of(self, text: str) -> str | None:
        """Return the start of rule ids as they are written (`WB1`), or None if no id starts so."""
        start = text.upper()
        return start if start and any(rule.startswith(start) for rule in self._ids.values()) else None

    def unknown(self, text: str) -> tuple[str, str]:
        """That there is none, and what to do."""
        from watchbill.checking.settings.shape import quoted, suggest  # for mistakes alone

        meant = suggest(text, self._words)
        return f"unknown rule {quoted(text)}", meant or "watchbill explain lists all rules"


ALL = RuleNames((*RULES, wb000_unclaimed.RULE))
