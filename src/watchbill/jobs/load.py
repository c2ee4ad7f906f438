"""The jobs that the modules of a bill declare; or all that is wrong with them, at once."""

from collections.abc import Iterable

from watchbill.jobs.registry import Registry


def load(modules: Iterable[str], folder: str, components: Iterable[str]) -> Registry:
    """`modules` as the bill names them: .py files, folders and patterns relative to `folder`, or dotted names."""
    raise NotImplementedError
