"""JSON merge patches, built and applied as evanphx/json-patch does: lists are replaced as a whole."""

from typing import Any

from watchbill.lifecycle.kube.strategic_values import Object, without_null_members


def diff(old: Object, new: Object) -> Object:
    patch: Object = {}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            if inner := diff(old[key], value):
                patch[key] = inner
        elif not _same(old[key], value):
            patch[key] = value
    patch |= dict.fromkeys(key for key in old if key not in new)
    return patch


def merge(doc: Object, patch: Object) -> Object:
    out = dict(doc)
    for key, value in patch.items():
        old = out.get(key)
        if value is None:
            out.pop(key, None)
        elif isinstance(old, dict):
            # A list that takes a map's place keeps its nulls.
            out[key] = merge(old, value) if isinstance(value, dict) else value
        else:
            out[key] = without_null_members(value)
    return out


def only_changes(patch: Object) -> Object:
    out: Object = {}
    for key, value in patch.items():
        if isinstance(value, dict) and value:
            if inner := only_changes(value):
                out[key] = inner
        elif value is not None:
            out[key] = value
    return out


def only_deletions(patch: Object) -> Object:
    out: Object = {}
    for key, value in patch.items():
        if value is None:
            out[key] = None
        elif isinstance(value, dict) and (inner := only_deletions(value)):
            out[key] = inner
    return out


def _same(a: Any, b: Any) -> bool:
    """Numbers have one type here."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(key in b and _same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
