"""Options of commands, as data. click makes its own of them, to help and to complain; what is written as the help shows
it is read without click, which takes as long to import as a small chart takes to be played."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct


class OneOf(Struct, frozen=True):
    names: tuple[str, ...]

    def __call__(self, text: str) -> str:
        if text not in self.names:
            raise ValueError(text)
        return text


class Between(Struct, frozen=True):
    """Whole numbers, both ends among them."""

    least: int
    most: int

    def __call__(self, text: str) -> int:
        if not text.isdecimal() or not self.least <= (number := int(text)) <= self.most:
            raise ValueError(text)
        return number


class Option(Struct, frozen=True):
    flags: tuple[str, ...]  # -f, --values
    help: str
    name: str = ""  # under which the command gets it, where it is not that of the last flag
    default: str | None = None
    show_default: bool | str = False
    metavar: str | None = None
    read: Callable[[str], Any] = str  # what is no value is a ValueError, whose text says why
    many: bool = False  # may be repeated
    switch: bool = False  # takes no value

    @property
    def called(self) -> str:
        return self.name or self.flags[-1].removeprefix("--").replace("-", "_")

    @property
    def unsaid(self) -> Any:
        """Its value where nobody gives one."""
        if self.switch:
            return False
        if self.many:
            return ()
        return None if self.default is None else self.read(self.default)


def plainly(
    options: Sequence[Option], arguments: Sequence[str]
) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """Values of options, and the other arguments. None where click has to look: it knows more ways to write them."""
    known = {flag: option for option in options for flag in option.flags}
    values = {option.called: option.unsaid for option in options}
    others, left = list[str](), list(reversed(arguments))
    while left:
        word = left.pop()
        if not word.startswith("-"):
            others.append(word)
            continue
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = known.get(flag)
        if option is None or (option.switch and equals):
            return None
        if option.switch:
            values[option.called] = True
            continue
        if not equals:
            if not left or left[-1].startswith("-"):
                return None
            value = left.pop()
        try:
            read = option.read(value)
        except ValueError:
            return None
        values[option.called] = (*values[option.called], read) if option.many else read
    return values, tuple(others)
