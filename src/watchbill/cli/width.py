"""The width of the terminal that stdout goes to."""

import os
import sys

from watchbill.report.options import ReportOptions


def terminal_width() -> int:
    """Return the terminal's columns, or 0 if stdout is not a terminal."""
    return os.get_terminal_size(1).columns if sys.stdout.isatty() else 0


def columns() -> int:
    """Return how many columns text may take: the terminal's, within the limits of reports."""
    return ReportOptions(width=terminal_width()).columns
