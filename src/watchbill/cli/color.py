"""Colours and links: which streams get them, by the conventions of no-color.org and bixense.com/clicolors."""

import os
from typing import TextIO

_OFF = ("", "0")
# Terminals that are known to show OSC 8 links, by what they set. Others may print them as garbage.
_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"})
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm")
_LINKING_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
_FIRST_LINKING_VTE = 5000  # 0.50, of GNOME Terminal and its relatives
_MULTIPLEXERS = ("screen", "tmux")


def is_color_off() -> bool:
    return bool(os.environ.get("NO_COLOR"))


def wants_color(stream: TextIO, *, off: bool) -> bool:
    """NO_COLOR and --no-color win over FORCE_COLOR, which wins over what the terminal is."""
    if off:
        return False
    if any(os.environ.get(name, "") not in _OFF for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0" and stream.isatty()


def wants_links(stream: TextIO, *, off: bool) -> bool:
    """Only on a terminal of this machine that is known to show links: files are elsewhere over ssh."""
    environment = os.environ
    if off or not stream.isatty() or environment.get("TERM", "dumb") == "dumb":
        return False
    if "FORCE_HYPERLINK" in environment:
        return environment["FORCE_HYPERLINK"] not in _OFF
    if any(environment.get(name) for name in ("CI", "SSH_CONNECTION", "TMUX", "STY")):
        return False
    term = environment.get("TERM", "")
    if term.startswith(_MULTIPLEXERS):
        return False
    vte = environment.get("VTE_VERSION", "")
    return (
        environment.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or term.startswith(_LINKING_TERMS)
        or any(environment.get(name) for name in _LINKING_VARIABLES)
        or (vte.isdecimal() and int(vte) >= _FIRST_LINKING_VTE)
    )
