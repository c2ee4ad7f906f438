"""kubectl: `helm template | kubectl apply`, with its ways to apply."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.lab import Lab, Render
from watchbill.lifecycle.moves import Move


def run(client: Client, move: Move, release: str, lab: Lab, render: Render) -> str:
    raise NotImplementedError
