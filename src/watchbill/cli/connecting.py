"""Options of the commands that reach a cluster, as kubectl and helm have them; and what these commands need installed."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.kube.access import Access

F = TypeVar("F", bound=Callable[..., Any])


def cluster_options(function: F) -> F:
    for flags, settings in reversed(
        (
            (
                ("--kubeconfig",),
                {"metavar": "FILE", "help": "As kubectl takes it.  [default: $KUBECONFIG, ~/.kube/config]"},
            ),
            (("--context",), {"metavar": "NAME", "help": "The context to use.  [default: the current one]"}),
        )
    ):
        function = click.option(*flags, **settings)(function)
    return function


def access(options: dict[str, Any]) -> "Access":
    """Who asks for it asks before anything else: without these libraries nothing goes."""
    for library in ("lightkube", "rich"):
        if find_spec(library) is None:
            raise UserError(
                f"this needs {library}, which is not installed",
                then="install it: pip install 'watchbill[deploy]'",
            )
    from watchbill.kube.access import find

    return find(options["kubeconfig"], options["context"])
