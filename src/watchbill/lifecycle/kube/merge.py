"""What a client's patch makes of the live object.

Patches are built and applied as client-go does it, its habits included: how duplicate keys are paired, where
items that only the server has end up, which null survives. A Job's template is immutable, so the order of a
list decides whether an upgrade fails.
"""

from watchbill.lifecycle.kube import json_merge, strategic_diff, strategic_merge
from watchbill.lifecycle.kube.schema import find
from watchbill.lifecycle.kube.strategic_values import Object, Unpatchable

__all__ = ["Unpatchable", "json_three_way", "json_two_way", "strategic"]


def strategic(api_version: str, kind: str, original: Object, modified: Object, current: Object) -> Object:
    """The live object after a three-way strategic merge patch; `current` itself if there is nothing to send."""
    schema = find(api_version, kind)
    assert schema is not None, f"{api_version} {kind} is no built-in kind: it gets a JSON merge patch"
    changes = strategic_diff.diff(current, modified, schema, strategic_diff.ADDITIONS)
    deletions: Object = {}
    if original is not modified:
        deletions = strategic_diff.diff(original, modified, schema, strategic_diff.DELETIONS)
    patch = strategic_merge.merge(deletions, changes, schema, applying=False)
    return strategic_merge.merge(current, patch, schema, applying=True) if patch else current


def json_three_way(original: Object, modified: Object, current: Object) -> Object:
    """The same with a JSON merge patch, for kinds without Go types."""
    changes = json_merge.only_changes(json_merge.diff(current, modified))
    deletions: Object = {}
    if original is not modified:
        deletions = json_merge.only_deletions(json_merge.diff(original, modified))
    patch = json_merge.merge(deletions, changes)
    return json_merge.merge(current, patch) if patch else current


def json_two_way(original: Object, modified: Object, current: Object) -> Object:
    """What changed from one version to the next, applied to the live object without looking at it."""
    patch = {} if original is modified else json_merge.diff(original, modified)
    return json_merge.merge(current, patch) if patch else current
