"""Helm 3 and 4, in the order the real program works (pkg/action, pkg/kube)."""
