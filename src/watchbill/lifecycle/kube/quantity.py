"""Quantities: `1000m` is `1`, and the API server writes it so (apimachinery's resource.Quantity)."""

import re
from functools import lru_cache

from msgspec import Struct

from watchbill.patterns import regex

NANO = 10**9
_MILLI = 10**6  # in nanos
_LIMIT = (2**63 - 1) * NANO
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()} | {0: ""}
# More digits than this leave the fast path, which is the one that keeps a spelling.
_FAST_DIGITS = 18

_FORMAT = regex(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX_WRONG = "unable to parse quantity's suffix"
NUMBER_WRONG = "unable to parse numeric part of quantity"


class Quantity(Struct, frozen=True):
    nanos: int
    form: str  # "decimal", "exponent" or "binary"
    spelling: str = ""  # kept where the server keeps it
    scale: int = 0  # of the fast path's number; what is at least a thousandth keeps its spelling


class QuantityError(ValueError):
    """The library's words."""


@lru_cache(maxsize=4096)
def parse(text: str) -> Quantity:
    if text == "0":
        return Quantity(0, "decimal", "0")
    match = _FORMAT.fullmatch(text) if text else None
    if match is None:
        raise QuantityError(FORMAT_WRONG)
    sign, digits, fraction, suffix = match[1], match[2], match[3] or "", match[4]
    exponent, form = _suffix(suffix)
    number = digits.lstrip("0")
    if not number and match[3] is None and not suffix:
        return Quantity(0, "decimal")
    if not digits and not fraction:
        raise QuantityError(NUMBER_WRONG)
    value = int((digits + fraction) or "0")
    negative = sign == "-"
    if (kept := _kept(number, fraction, exponent, form)) is not None:
        nanos = _nanos(value, exponent, len(fraction), form)
        return Quantity(-nanos if negative else nanos, form, text if kept[0] else "", kept[1])
    nanos = _nanos(value, exponent, len(fraction), form)
    if form == "binary":
        nanos = min(nanos, _LIMIT)
        if 0 < nanos < NANO:
            form = "decimal"
    return Quantity(-nanos if negative else nanos, form, "", -9)


def _suffix(suffix: str) -> tuple[int, str]:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], "decimal"
    if suffix in _BINARY:
        return _BINARY[suffix], "binary"
    if len(suffix) > 1 and suffix[0] in "eE" and re.fullmatch(r"[-+]?[0-9]+", suffix[1:]):
        return int(suffix[1:]), "exponent"
    raise QuantityError(SUFFIX_WRONG)


def _kept(number: str, fraction: str, exponent: int, form: str) -> tuple[bool, int] | None:
    """Whether the spelling survives, and at what scale; None for numbers off the fast path."""
    number = number or "0"
    if form == "binary":
        precision = 15 - len(number) - int(exponent * 3 / 10) - 1 if not fraction else -1
        scale = 0
    else:
        precision = _FAST_DIGITS - len(number) - len(fraction)
        scale = exponent
    scale -= len(fraction)
    if precision < 0 or scale < -9:
        return None
    shifted = number + fraction
    if form == "binary":
        return (int(shifted) & 7) != 0, scale
    return scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0", scale


def _nanos(value: int, exponent: int, decimals: int, form: str) -> int:
    """Rounded up: who asks for something gets something."""
    if form == "binary":
        top, bottom = (value << exponent) * NANO, int(10**decimals)
    else:
        power = exponent - decimals + 9
        top, bottom = value * int(10 ** max(power, 0)), int(10 ** max(-power, 0))
    return -(-top // bottom)


def write(quantity: Quantity) -> str:
    if quantity.spelling:
        return quantity.spelling
    nanos, form = quantity.nanos, quantity.form
    if nanos == 0:
        return "0"
    if form == "binary" and (-1024 * NANO < nanos < 1024 * NANO or nanos % NANO):
        form = "decimal"
    sign, amount = ("-", -nanos) if nanos < 0 else ("", nanos)
    if form == "binary":
        amount //= NANO
        times = 0
        while amount >= 1024 and amount % 1024 == 0:
            amount //= 1024
            times += 1
        return f"{sign}{amount}{_BINARY_SUFFIX[times * 10]}"
    power = -9
    while amount % 10 == 0:
        amount //= 10
        power += 1
    while power % 3:
        amount *= 10
        power -= 1
    if form == "exponent":
        return f"{sign}{amount}" + (f"e{power}" if power else "")
    return f"{sign}{amount}{_DECIMAL_SUFFIX.get(power, '')}"


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """As the API server stores it."""
    return write(parse(text))


@lru_cache(maxsize=4096)
def rounded(text: str) -> str:
    """As the API server stores it in lists of resources, where nothing is finer than a thousandth."""
    quantity = parse(text)
    if quantity.scale >= -3:
        return write(quantity)
    # Away from zero, whatever the sign.
    size = -(-abs(quantity.nanos) // _MILLI) * _MILLI
    return write(Quantity(size if quantity.nanos >= 0 else -size, quantity.form))


def nanos(text: str) -> int:
    return parse(text).nanos
