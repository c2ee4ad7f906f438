"""Regular expressions that are compiled when they are first asked: all of them together, of which one run needs a few,
take as long to compile as a chart takes to render."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as regex
else:
    import re

    class regex:  # noqa: N801 - it is called like the function it stands for
        """As `re.compile` gives it, but later."""

        def __init__(self, text, flags=0):
            self._given = text, flags

        def __getattr__(self, name):
            """Asked for what is not there yet: from now on everything is."""
            compiled = re.compile(*self._given)
            for known in ("findall", "finditer", "fullmatch", "match", "pattern", "search", "split", "sub"):
                setattr(self, known, getattr(compiled, known))
            return getattr(compiled, name)


__all__ = ["regex"]
