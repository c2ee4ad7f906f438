"""The model's verdict on an object beside the API server's, in one form."""

import itertools
import re
from collections.abc import Iterable
from typing import Any

from dev.oracle import Oracle
from watchbill.lifecycle.kube import validate
from watchbill.lifecycle.kube.words import normalise

Object = dict[str, Any]
Causes = list[list[tuple[str, str]]]

# A key of a map in a path, which is no index; what is asked of a container's resources names now this map, now that.
_KEY = re.compile(r"\[[^\]]*[^0-9\]][^\]]*\]|(?<=\.resources)\..*")


def answers(oracle: Oracle, questions: Iterable[dict[str, Any]]) -> list[Any]:
    """All of them at once: a test that fails half way must leave no answer to the next one."""
    return list(oracle.ask_each(questions))


def _grouped(causes: Iterable[tuple[str, str]]) -> Causes:
    """The server goes through maps in any order: what one map gives is a set."""
    unique = dict.fromkeys(causes)
    return [
        sorted(group) for _, group in itertools.groupby(unique, key=lambda cause: _KEY.sub("[]", cause[0]))
    ]


def real(answer: dict[str, Any]) -> Causes:
    return _grouped((path, normalise(words)) for path, words in answer["causes"])


def modelled(causes: Iterable[validate.Cause]) -> Causes:
    return _grouped((cause.path, cause.words) for cause in causes)


def stored(whole: Object) -> Object:
    """Without the status, which controllers write."""
    return {key: value for key, value in whole.items() if key != "status"}


def is_unordered(whole: Object) -> bool:
    """Where the server itself gives one answer today and another tomorrow: claims become volumes in any order."""
    claims = (whole.get("spec") or {}).get("volumeClaimTemplates") or ()
    return whole["kind"] == "StatefulSet" and len(claims) > 1
