"""What a bare API server of the modelled Kubernetes version serves."""

from functools import cache

from msgspec import Struct
from msgspec.json import decode

from watchbill.lifecycle.kube.packaged import read


class Kind(Struct, frozen=True):
    group: str
    version: str
    kind: str
    resource: str  # the plural, as in paths and error texts
    namespaced: bool

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


_READ = decode(read("catalog.json"), type=list[Kind])
_KINDS = {(kind.api_version, kind.kind): kind for kind in _READ}
# Groups that held built-in kinds once and hold none now.
_FORMER = frozenset({"extensions"})
_GROUPS = frozenset(kind.group for kind in _KINDS.values()) | _FORMER


def find(api_version: str, kind: str) -> Kind | None:
    """A built-in kind; None for what is not served, or custom."""
    return _KINDS.get((api_version, kind))


VERSION = "v1.37.1"  # of the server this is the list of


@cache
def api_versions() -> tuple[str, ...]:
    """As discovery gives them to Helm: every version of a group, and every kind in it."""
    versions = dict.fromkeys(kind.api_version for kind in _READ)
    return *versions, *(f"{kind.api_version}/{kind.kind}" for kind in _READ)


def named(kind: str) -> Kind | None:
    """A built-in kind by the name people type: in any case, singular or plural."""
    wanted = kind.lower()
    return next((known for known in _READ if wanted in (known.kind.lower(), known.resource)), None)


def is_builtin_group(group: str) -> bool:
    """A kind of such a group that find() does not know was removed, or never existed."""
    return group in _GROUPS
