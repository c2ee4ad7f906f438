"""kubectl: `helm template | kubectl apply -f -`, with its ways to apply, and `kubectl delete -f -`."""

from watchbill.lifecycle.kubectl.command import run

__all__ = ["run"]
