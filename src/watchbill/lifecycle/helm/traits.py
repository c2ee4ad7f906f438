"""What differs between versions of Helm, as data: operations ask for a trait, never for a version."""

from functools import cache

from msgspec import Struct

Version = tuple[int, int, int]


class Span(Struct, frozen=True):
    """Versions from the first to before the second; without a second: to this day."""

    since: Version
    until: Version = (99, 0, 0)

    def __contains__(self, version: object) -> bool:
        return isinstance(version, tuple) and self.since <= version < self.until


class HelmTraits(Struct, frozen=True, cache_hash=True):
    version: str
    major: int
    server_side_apply: bool  # it can, and does unless told otherwise
    waits_for_deleted_hooks: bool  # always; Helm 4 only with a wait strategy that waits
    deletes_hooks_backwards: bool  # those that succeeded, last one first
    cleans_up_before_failed_hook: bool  # hook-succeeded is honoured for hooks before the one that failed
    hook_failed_error_wins: bool  # an error while deleting a failed hook hides the failure
    adopts_what_is_live: bool  # on update and rollback, instead of stopping at it
    names_applied_object: bool  # in the error of a refused apply
    takes_ownership: bool  # has --take-ownership
    merges_adopted_custom: bool  # adopting custom resources is a three-way merge
    matches_group: bool  # objects of the same kind and name in other groups are other objects
    matches_version: bool  # and so are objects of another version
    checks_owner_on_uninstall: bool
    supersedes_on_uninstall: bool  # with --keep-history
    creates_by_apply_on_update: bool
    gives_up_at_failed: bool  # the status watcher, instead of waiting until its time is over; and says more


# Taken from the sources of each version; every one has tapes on both sides where both sides can be run.
TRAITS: dict[str, tuple[Span, ...]] = {
    "server_side_apply": (Span((4, 0, 0)),),
    "waits_for_deleted_hooks": (Span((3, 14, 0), (4, 0, 0)),),
    "deletes_hooks_backwards": (Span((3, 16, 3)),),
    "cleans_up_before_failed_hook": (Span((3, 19, 0)),),
    "hook_failed_error_wins": (Span((3, 0, 0), (3, 18, 0)),),
    "adopts_what_is_live": (Span((4, 0, 5), (4, 1, 0)), Span((4, 2, 0))),
    "names_applied_object": (Span((4, 2, 0)),),
    "takes_ownership": (Span((3, 17, 0)),),
    "merges_adopted_custom": (Span((3, 18, 0)),),
    "matches_group": (Span((3, 17, 1)),),
    "matches_version": (Span((4, 0, 0), (4, 1, 1)),),
    "checks_owner_on_uninstall": (Span((4, 3, 0)),),
    "supersedes_on_uninstall": (Span((3, 20, 0), (4, 0, 0)), Span((4, 0, 5))),
    "creates_by_apply_on_update": (Span((4, 0, 1)),),
    "gives_up_at_failed": (Span((4, 1, 1)),),
}

KNOWN = ("4.3.1", "4.2.3", "4.1.4", "4.1.0", "3.19.0", "3.18.0", "3.17.3", "3.16.4")


@cache
def helm_traits(version: str) -> HelmTraits:
    major, minor, fix = (int(part) for part in version.split("."))
    spans = {name: any((major, minor, fix) in span for span in found) for name, found in TRAITS.items()}
    return HelmTraits(version=version, major=major, **spans)
