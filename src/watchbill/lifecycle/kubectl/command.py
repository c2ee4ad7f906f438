"""kubectl's command line: flags, documents, and the words at the end."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl.applying import apply
from watchbill.lifecycle.kubectl.deletion import delete
from watchbill.lifecycle.kubectl.options import Unusable, options
from watchbill.lifecycle.kubectl.reading import documents
from watchbill.lifecycle.kubectl.words import told
from watchbill.lifecycle.lab import Lab, ReleaseName, Render
from watchbill.lifecycle.moves import Move


def run(client: Client, move: Move, release: ReleaseName, lab: Lab, render: Render) -> str:  # noqa: ARG001
    """Plays one command; gives the error kubectl prints, empty if there is none."""
    try:
        chosen = options(move)
    except Unusable as unusable:
        return unusable.problem.alone
    act = apply if move.verb == "apply" else delete
    return told(act(client, documents(render), release.namespace, chosen))
