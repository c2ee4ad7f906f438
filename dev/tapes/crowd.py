"""Plays side by side where they do not meet, and one after the other where they would."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dev.tapes.naming import Ref

T = TypeVar("T")

# Kinds that act on everybody's requests, or on what everybody is told to be there.
FOR_ALL = {
    "APIService",
    "CustomResourceDefinition",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
}


@dataclass(frozen=True)
class Footprint:
    """What a play touches outside its namespace."""

    places: frozenset[Ref]
    alone: bool

    @classmethod
    def of(cls, refs: Iterable[Ref], namespaced: Callable[[Ref], bool], namespace: str) -> "Footprint":
        outside = {
            ref._replace(api_version="")
            for ref in refs
            if not namespaced(ref) or ref.namespace not in ("", namespace)
        }
        return cls(frozenset(outside), any(ref.kind in FOR_ALL for ref in outside))

    def meets(self, other: "Footprint") -> bool:
        return self.alone or other.alone or not self.places.isdisjoint(other.places)


class Crowd(Generic[T]):
    """So many workers, each with the next task that meets none of those under way."""

    def __init__(self, tasks: Sequence[tuple[Footprint, T]], work: Callable[[T], None], workers: int) -> None:
        # Those that need the cluster for themselves come last: they would hold up all others.
        self._pending = sorted(tasks, key=lambda task: task[0].alone)
        self._busy: list[Footprint] = []
        self._changed = threading.Condition()
        self._work = work
        self._workers = workers
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Returns when all are done; the first thing that goes wrong ends it and is raised."""
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure:
            raise self._failure

    def _serve(self) -> None:
        while task := self._next():
            footprint, thing = task
            try:
                self._work(thing)
            except BaseException as failure:  # noqa: BLE001 - raised again by `run`
                self._failure = self._failure or failure
            finally:
                with self._changed:
                    self._busy.remove(footprint)
                    self._changed.notify_all()

    def _next(self) -> tuple[Footprint, T] | None:
        with self._changed:
            while self._pending and not self._failure:
                for task in self._pending:
                    if not any(task[0].meets(busy) for busy in self._busy):
                        self._pending.remove(task)
                        self._busy.append(task[0])
                        return task
                self._changed.wait()
            return None
