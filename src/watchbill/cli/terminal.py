"""Text of strangers on a terminal: harmless, and as wide as it looks."""


def printable(text: str) -> str:
    """Text of a chart must not reach a terminal as commands to it, nor break a table's rows."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def width(text: str) -> int:
    """Columns on a terminal: characters of East Asian scripts take two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
