"""Options of the commands that reach a cluster, as kubectl and helm have them; and what these commands need installed."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill.cli.completing import complete_paths
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.kube.access import Access
    from watchbill.kube.client import Kube

F = TypeVar("F", bound=Callable[..., Any])


def cluster_options(function: F) -> F:
    function = click.option(
        "--context", metavar="NAME", help="Context of the kubeconfig.  [default: the current one]"
    )(function)
    return click.option(
        "--kubeconfig",
        metavar="FILE",
        shell_complete=complete_paths,
        help="Path of the kubeconfig.  [default: $KUBECONFIG, ~/.kube/config]",
    )(function)


def need_libraries() -> None:
    """Before anything else: without them nothing goes."""
    for library in ("lightkube", "rich"):
        if find_spec(library) is None:
            raise UserError(
                f"this needs {library}, which is not installed",
                then="in Watchbill's sources, run: pip install '.[deploy]'",
            )


def access(options: dict[str, Any]) -> "Access":
    from watchbill.kube.access import find

    return find(options["kubeconfig"], options["context"])


async def reached(kube: "Kube") -> str:
    """The version of the server. To be asked first: later requests wait for a server that is away, and a person who named
    the wrong cluster should not have to."""
    from watchbill.kube.errors import KubeError
    from watchbill.kube.server import server_version

    try:
        return await server_version(kube)
    except KubeError as error:
        if error.is_forbidden:  # it is there, and does not tell everybody
            return ""
        raise
