"""Rules for names, labels and ports, each with the messages the API server gives (apimachinery's validation).

Each function returns what is wrong with its value; nothing for a good one.
"""

import re
from functools import lru_cache

from watchbill.patterns import regex

Messages = tuple[str, ...]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_WILDCARD = rf"\*\.{_SUBDOMAIN}"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_HEADER = "[-A-Za-z0-9]+"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_PERCENT = "[0-9]+%"

_LABEL_1035_RE = regex(_LABEL_1035)
_WILDCARD_RE = regex(_WILDCARD)
_CONFIG_LETTERS = frozenset("-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_HEADER_RE = regex(_HEADER)
_PORT_NAME_RE = regex("[-a-z0-9]+")

_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_KEY_WORDS = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character"
)
_CACHE = 8192
# What the expressions above say of every name of every object, told without them: to compile them takes longer.
_LABEL_ENDS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_LABEL_LETTERS = _LABEL_ENDS | {"-"}
_KEY_ENDS = _LABEL_ENDS | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEY_LETTERS = _KEY_ENDS | frozenset("-_.")


def _is_label(value: str) -> bool:
    return value[:1] in _LABEL_ENDS and value[-1] in _LABEL_ENDS and _LABEL_LETTERS.issuperset(value)


def _is_subdomain(value: str) -> bool:
    return all(map(_is_label, value.split(".")))


def _is_key(value: str) -> bool:
    return value[:1] in _KEY_ENDS and value[-1] in _KEY_ENDS and _KEY_LETTERS.issuperset(value)


def _by_regex(words: str, regex: str, *examples: str) -> str:
    if not examples:
        return f"{words} (regex used for validation is '{regex}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{words} (e.g. {shown}regex used for validation is '{regex}')"


def _bytes(value: str) -> int:
    return len(value.encode())


@lru_cache(maxsize=_CACHE)
def dns_label(value: str) -> Messages:
    found = []
    if _bytes(value) > 63:
        found.append("must be no more than 63 characters")
    if not _is_label(value):
        if _is_subdomain(value):
            found.append("must not contain dots")
        else:
            words = (
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                "and must start and end with an alphanumeric character"
            )
            found.append(_by_regex(words, _LABEL, "my-name", "123-abc"))
    return tuple(found)


@lru_cache(maxsize=_CACHE)
def dns_subdomain(value: str, unit: str = "characters") -> Messages:
    found = []
    if _bytes(value) > 253:
        found.append(f"must be no more than 253 {unit}")
    if not _is_subdomain(value):
        found.append(_by_regex(_SUBDOMAIN_WORDS, _SUBDOMAIN, "example.com"))
    return tuple(found)


@lru_cache(maxsize=_CACHE)
def dns_1035_label(value: str) -> Messages:
    found = []
    if _bytes(value) > 63:
        found.append("must be no more than 63 characters")
    if not _LABEL_1035_RE.fullmatch(value):
        words = (
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
            "alphabetic character, and end with an alphanumeric character"
        )
        found.append(_by_regex(words, _LABEL_1035, "my-name", "abc-123"))
    return tuple(found)


def wildcard_subdomain(value: str) -> Messages:
    found = []
    if _bytes(value) > 253:
        found.append("must be no more than 253 characters")
    if not _WILDCARD_RE.fullmatch(value):
        words = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "
            "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
        )
        found.append(_by_regex(words, _WILDCARD, "*.example.com"))
    return tuple(found)


def path_segment(value: str) -> Messages:
    """What every name must be, whatever else its kind asks."""
    if value in (".", ".."):
        return (f"may not be '{value}'",)
    return tuple(f"may not contain '{part}'" for part in ("/", "%") if part in value)


@lru_cache(maxsize=_CACHE)
def label_key(value: str) -> Messages:
    parts = value.split("/")
    found = []
    if len(parts) > 2:
        words = _by_regex(_KEY_WORDS, _KEY, "MyName", "my.name", "123-abc")
        return (
            f"a valid label key {words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    if len(parts) == 2:
        if not parts[0]:
            found.append("prefix part must be non-empty")
        else:
            found += [f"prefix part {message}" for message in dns_subdomain(parts[0], "bytes")]
    name = parts[-1]
    if not name:
        found.append("name part must be non-empty")
    elif _bytes(name) > 63:
        found.append("name part must be no more than 63 bytes")
    if not _is_key(name):
        found.append("name part " + _by_regex(_KEY_WORDS, _KEY, "MyName", "my.name", "123-abc"))
    return tuple(found)


@lru_cache(maxsize=_CACHE)
def label_value(value: str) -> Messages:
    found = []
    if _bytes(value) > 63:
        found.append("must be no more than 63 bytes")
    if value and not _is_key(value):
        words = (
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
            "and must start and end with an alphanumeric character"
        )
        found.append(_by_regex(words, f"({_KEY})?", "MyValue", "my_value", "12345"))
    return tuple(found)


def in_range(value: int, low: int, high: int) -> Messages:
    return () if low <= value <= high else (f"must be between {low} and {high}, inclusive",)


def port_number(value: int) -> Messages:
    return in_range(value, 1, 65535)


def identity(value: int) -> Messages:
    """A user or a group."""
    return in_range(value, 0, 2**31 - 1)


def port_name(value: str) -> Messages:
    found = []
    if _bytes(value) > 15:
        found.append("must be no more than 15 characters")
    if not _PORT_NAME_RE.fullmatch(value):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        found.append("must contain at least one letter (a-z)")
    if "--" in value:
        found.append("must not contain consecutive hyphens")
    if value and "-" in (value[0], value[-1]):
        found.append("must not begin or end with a hyphen")
    return tuple(found)


def percent(value: str) -> Messages:
    if value.endswith("%") and value.isascii() and value[:-1].isdecimal():
        return ()
    words = "a valid percent string must be a numeric string followed by an ending '%'"
    return (_by_regex(words, _PERCENT, "1%", "93%"),)


def header_name(value: str) -> Messages:
    if _HEADER_RE.fullmatch(value):
        return ()
    words = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return (_by_regex(words, _HEADER, "X-Header-Name"),)


def environment_name(value: str) -> Messages:
    if all(" " <= letter <= "~" and letter != "=" for letter in value):
        return ()
    return (
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    )


def config_key(value: str) -> Messages:
    found = []
    if _bytes(value) > 253:
        found.append("must be no more than 253 characters")
    if not value or not _CONFIG_LETTERS.issuperset(value):
        words = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        found.append(_by_regex(words, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if value in (".", ".."):
        found.append(f"must not be '{value}'")
    elif value.startswith(".."):
        found.append("must not start with '..'")
    return tuple(found)


def http_path_words() -> str:
    return _by_regex("Invalid path", _HTTP_PATH)


def is_http_path(value: str) -> bool:
    return re.fullmatch(_HTTP_PATH, value) is not None
