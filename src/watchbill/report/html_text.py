"""HTML that is escaped by construction: whatever is not Markup is text, and stays text."""

from collections.abc import Iterable
from html import escape

from watchbill.report.terminal import printable

VOID = frozenset({"meta", "br"})


class Markup(str):
    """HTML that was made here, of escaped parts."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str) -> Markup:
    """Return an element. `class_` stands for `class`; an empty attribute is left out, children that are no Markup are escaped."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for name, value in attributes.items()
        if value
    )
    if tag in VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{join(children)}</{tag}>")


def join(children: Iterable[str], between: str = "") -> Markup:
    parts = (child if isinstance(child, Markup) else _text(child) for child in children)
    return Markup(_text(between).join(parts))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Markup:
    """Return a table whose first column names the rows; it scrolls sideways where the screen is narrow."""
    body = [
        element(
            "tr",
            *(
                element("td" if number else "th", cell, scope="" if number else "row")
                for number, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    top = element("thead", element("tr", *(element("th", cell, scope="col") for cell in head)))
    return element("div", element("table", top, element("tbody", *body)), class_="scroll", tabindex="0")


def _text(text: str) -> str:
    return escape("\n".join(printable(line) for line in text.split("\n")))
