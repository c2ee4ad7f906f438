"""Names that carry a hash of what an object contains: told from two names of the same object."""

from watchbill.patterns import regex

SHORTEST = 6
HEX = regex(r"[0-9a-f]+")


def differ_in_a_hash(one: str, other: str) -> bool:
    """Whether two names differ in one part, and that part looks like a hexadecimal digest in both."""
    parts, others = one.split("-"), other.split("-")
    if len(parts) != len(others):
        return False
    differing = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and _are_digests(*differing[0])


def _are_digests(one: str, other: str) -> bool:
    # A number alone is a revision, a date or a version.
    both = one + other
    mixed = any(letter.isalpha() for letter in both) and any(letter.isdigit() for letter in both)
    return len(one) == len(other) >= SHORTEST and mixed and HEX.fullmatch(both) is not None
