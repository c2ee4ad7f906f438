"""Branches on what the cluster serves: `{{ if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}`."""

import re
from collections.abc import Iterator

from watchbill.charts.chart import Chart
from watchbill.lifecycle.kube import catalog
from watchbill.patterns import regex

_COMMENT = regex(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_LITERAL = r"(?:\"([^\"\n]+)\"|`([^`\n]+)`)"
# The method of no other value in a template; whatever it is called on, perhaps a variable.
_HAS = regex(rf"\.Has\s+\(?\s*{_LITERAL}")
_PIPED = regex(rf"{_LITERAL}\s*\|\s*[$.\w]*\.Has\b")
_AMONG = regex(rf"\bhas\s+{_LITERAL}\s+\(?[$.\w]*APIVersions\b")
_API = regex(r"(([a-z0-9][a-z0-9.-]*)/)?(v\d+((alpha|beta)\d+)?)(/[A-Z]\w*)?")


def asked_apis(chart: Chart) -> tuple[str, ...]:
    """API versions, and kinds in them, that templates ask for and that Kubernetes itself does not bring: a
    cluster may have them or not. Former versions of its own kinds are left out, which no cluster gets back."""
    found: set[str] = set()
    for template in chart.templates:
        if ".Has" not in template.text and "APIVersions" not in template.text:
            continue  # most: no expression has to be compiled for them
        for asked in _literals(_COMMENT.sub("", template.text)):
            api = _API.fullmatch(asked)
            if api and api[2] and not catalog.is_builtin_group(api[2]):
                found |= {asked, f"{api[2]}/{api[3]}"}  # whoever serves a kind serves its version
    return tuple(sorted(found))


def _literals(text: str) -> Iterator[str]:
    for pattern in (_HAS, _PIPED, _AMONG):
        for match in pattern.finditer(text):
            yield match[1] or match[2]
