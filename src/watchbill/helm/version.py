"""Which helm it is, and how that one calls things."""

from msgspec import Struct

from watchbill.errors import UserError
from watchbill.patterns import regex

_VERSION = regex(r"v?(\d+)\.(\d+)\.(\d+)\S*")
_OLDEST = (3, 13)  # the first that labels releases and lets the server judge a dry run
_NEWEST_MAJOR = 4


class Version(Struct, frozen=True, order=True):
    major: int
    minor: int
    patch: int

    @property
    def atomic(self) -> str:
        return "--atomic" if self.major == 3 else "--rollback-on-failure"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


def read(said: str, binary: str) -> Version:
    """What `helm version` printed; a UserError if that helm cannot do what is asked of it here."""
    found = _VERSION.fullmatch(said.strip())
    if found is None:
        raise UserError(
            f"{binary} does not answer like helm", where=said.strip()[:200] or None, then=_next("3.13")
        )
    version = Version(*(int(part) for part in found.groups()))
    if (version.major, version.minor) < _OLDEST:
        raise UserError(
            f"{binary} is Helm {version}, which cannot label releases", then=_next("3.13 or later, or 4")
        )
    if version.major > _NEWEST_MAJOR:
        raise UserError(f"{binary} is Helm {version}, which is not known here", then=_next("3.13 to 4"))
    return version


def _next(wanted: str) -> str:
    return f"install Helm {wanted}, or name another binary with --helm or $HELM"
