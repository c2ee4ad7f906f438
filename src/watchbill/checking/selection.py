"""Rules chosen on the command line with `--select` and `--ignore`, as in ruff: by id, by the start of an id (`WB1`) or by
name. The most specific choice that fits a rule decides; of two equal ones, `--ignore` does."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from watchbill.checking.settings.rule_names import RuleNames
from watchbill.errors import UserError


class Selection(Struct, frozen=True):
    select: tuple[str, ...] = ()  # ids and starts of ids; none selects all rules
    ignore: tuple[str, ...] = ()

    def reason_to_ignore(self, rule: str) -> str:
        """Return why findings of a rule are not reported; empty if they are."""
        selected, ignored = _longest(self.select, rule), _longest(self.ignore, rule)
        if ignored and len(ignored) >= len(selected):
            return f"--ignore {ignored}"
        return f"not in --select {','.join(self.select)}" if self.select and not selected else ""


def read_selection(select: Sequence[str], ignore: Sequence[str], rules: RuleNames) -> Selection:
    """Read what the options say; each may hold several rules with commas between them."""
    return Selection(
        tuple(_read_rules("--select", select, rules)), tuple(_read_rules("--ignore", ignore, rules))
    )


def _longest(starts: Sequence[str], rule: str) -> str:
    return max((start for start in starts if rule.startswith(start)), key=len, default="")


def _read_rules(option: str, texts: Sequence[str], rules: RuleNames) -> Iterator[str]:
    for text in texts:
        for word in map(str.strip, text.split(",")):
            if not word:
                raise UserError(f"{option} {text!r} has an empty entry", then=f"write {option} WB101,WB3")
            start = rules.id_of(word) or rules.start_of(word)
            if start is None:
                what, then = rules.unknown(word)
                raise UserError(f"{option}: {what}", then=then)
            yield start
