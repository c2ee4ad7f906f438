"""Colours for a terminal, as click writes them: a report needs these two of it, and it takes long to import."""

from watchbill.patterns import regex

COLORS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
_CODE = regex(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\]8;;[^\x1b]*\x1b\\")  # colours and links


def style(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    codes = (COLORS[fg] if fg else 0, 1 if bold else 0, 2 if dim else 0)
    return "".join([*(f"\x1b[{code}m" for code in codes if code), text, "\x1b[0m"])


def unstyle(text: str) -> str:
    return _CODE.sub("", text) if "\x1b" in text else text
