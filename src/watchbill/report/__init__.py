"""Findings for a person or a machine: one module a format."""
