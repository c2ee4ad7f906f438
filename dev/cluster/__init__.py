"""A real Kubernetes on this machine, for tests: `python -m dev.cluster up`."""
