"""What other programs say, fit to be shown: without secrets and without codes that change the terminal."""

import re
import unicodedata
from collections.abc import Iterable

HIDDEN = "[hidden]"

# A token has no other sign than its looks: JSON Web Tokens, keys, what follows the word that announces it.
_LOOKS_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,}(?:\.[\w-]+){1,4}"
    r"|(?i:(?<=bearer )[\w.~+/=-]+|(?<=basic )[\w+/=]{8,})"
    r"|(?i:(?<=token[=:])|(?<=secret[=:])|(?<=password[=:])|(?<=passwd[=:]))[^\s&\"']+",
    re.DOTALL,
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
_SHORTEST = 6


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """`secrets` are values that may be secret: long enough ones are hidden. `--flag=value` counts by its value."""
    plain = _ESCAPES.sub("", text)
    plain = "".join(c for c in plain if c in "\n\t" or unicodedata.category(c)[0] != "C")
    values = {value.partition("=")[2] if value.startswith("-") else value for value in secrets}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= _SHORTEST and not value.startswith("-"):
            plain = plain.replace(value, HIDDEN)
    return _LOOKS_SECRET.sub(HIDDEN, plain)
