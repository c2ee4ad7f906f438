"""Label selectors, as objects write them."""

from collections.abc import Mapping
from typing import Any


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """An empty selector matches everything."""
    given = selector or {}
    wanted = given.get("matchLabels") or {}
    return all(labels.get(name) == value for name, value in wanted.items()) and all(
        _holds(expression, labels) for expression in given.get("matchExpressions") or ()
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    label, values = labels.get(str(expression.get("key"))), expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return label in values
        case "NotIn":
            return label not in values
        case "Exists":
            return label is not None
        case _:
            return label is None
