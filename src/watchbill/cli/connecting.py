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
    function = click.option(
        "--context", metavar="NAME", help="The context to use.  [default: the current one]"
    )(function)
    return click.option(
        "--kubeconfig", metavar="FILE", help="As kubectl takes it.  [default: $KUBECONFIG, ~/.kube/config]"
    )(function)


def need_libraries() -> None:
    """Before anything else: without them nothing goes."""
    for library in ("lightkube", "rich"):
        if find_spec(library) is None:
            raise UserError(
                f"this needs {library}, which is not installed",
                then="install it: pip install 'watchbill[deploy]'",
            )


def access(options: dict[str, Any]) -> "Access":
    from watchbill.kube.access import find

    return find(options["kubeconfig"], options["context"])
