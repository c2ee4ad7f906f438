"""Watchbill: the work that must run to completion around a Kubernetes release, made to behave."""

__version__ = "0.1.0"
