"""A first `.watchbill.yaml` for the charts of a folder: certain settings are set, likely ones are in comments."""

import os
from collections.abc import Iterator, Sequence

from msgspec import Struct, json

from watchbill.patterns import regex
from watchbill.rehearsal.script import KNOWN, nearest_tool

SCHEMA = os.path.join(os.path.dirname(__file__), "schema.json")
SCHEMA_NAME = ".watchbill.schema.json"
MOST_FOLDERS = 20_000  # a home folder is not a repository of charts
MOST_READ = 1 << 20  # characters of a file
_SKIPPED = frozenset({"node_modules", "vendor"})
_PROFILE = regex(r"values[.-](?P<environment>[\w.-]+)\.ya?ml")
_LIBRARY = regex(r"(?m)^type:\s*[\"']?library\b")
_HELM_VERSION = regex(
    r"(?imx) (?: helm_?version [\"']? \s* (?:[:?]?=|:) \s*"  # HELM_VERSION: v3.19.0, of most CI systems and Makefiles
    r"| setup-helm@\S+ (?:\s+\#.*)? \s+ with: \s+ version: \s*"  # the action azure/setup-helm
    r"| \b alpine/helm: | \b dtzar/helm-kubectl:"  # images
    r"| ^helm[ ]+"  # .tool-versions
    r"| get\.helm\.sh/helm- )"  # a download
    r"[\"']? v? (?P<version>\d+\.\d+)",
)
_CI_FILES = (
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".circleci/config.yml",
    "Makefile",
    "Dockerfile",
    ".tool-versions",
)
_WORKFLOWS = ".github/workflows"
_PLAIN = regex(r"[A-Za-z][\w./-]*")
_NOT_TEXT = frozenset({"true", "false", "null", "on", "off", "yes", "no", "y", "n"})


class FoundChart(Struct, frozen=True):
    path: str  # from the folder
    profiles: tuple[str, ...] = ()  # values files of environments, from the folder


class Found(Struct, frozen=True):
    charts: tuple[FoundChart, ...]
    helm: str = ""  # the version that CI uses, if its files name only one: 3.19
    helm_file: str = ""  # the file that names it


def look_around(folder: str) -> Found:
    helm, file = _find_helm(folder)
    return Found(tuple(_find_charts(folder)), helm, file)


def _find_charts(folder: str) -> Iterator[FoundChart]:
    for number, (at, folders, files) in enumerate(os.walk(folder)):
        if number == MOST_FOLDERS:
            return
        if "Chart.yaml" not in files:
            folders[:] = sorted(name for name in folders if name not in _SKIPPED and name[0] != ".")
            continue
        folders.clear()  # the charts in a chart's charts/ are checked with it
        path = os.path.relpath(at, folder)
        if not _LIBRARY.search(_read(os.path.join(at, "Chart.yaml"))):
            profiles = sorted(name for name in files if _PROFILE.fullmatch(name))
            yield FoundChart(path, tuple(os.path.normpath(os.path.join(path, name)) for name in profiles))


def _find_helm(folder: str) -> tuple[str, str]:
    found = dict[str, str]()
    workflows = os.path.join(folder, _WORKFLOWS)
    names = sorted(os.listdir(workflows)) if os.path.isdir(workflows) else []
    for file in (*_CI_FILES, *(os.path.join(_WORKFLOWS, name) for name in names)):
        for match in _HELM_VERSION.finditer(_read(os.path.join(folder, file))):
            found.setdefault(match["version"], file)
    return found.popitem() if len(found) == 1 else ("", "")


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(MOST_READ)
    except OSError:
        return ""


def compose_settings(found: Found) -> str:
    """Return the text of a first `.watchbill.yaml`. Each commented setting is valid too."""
    return "\n".join(_compose_lines(found)) + "\n"


def _compose_lines(found: Found) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={SCHEMA_NAME}"
    yield "# Settings of `watchbill check`. Remove the first # of a line to use it."
    yield ""
    yield "# Exit with 1 if there is a finding of at least this severity: error, warning, note or never."
    yield "failOn: error"
    yield ""
    yield from _compose_tools(found.helm, found.helm_file)
    yield ""
    yield "# Flags of your helm commands. A finding that needs another flag is only a note."
    yield "# flags: [--atomic, --timeout=10m]"
    yield ""
    yield from _compose_releases(found.charts)
    yield ""
    yield "# Rules that weigh more or less for you: error, warning, note or off."
    yield "# severities: {WB302: off}"
    yield ""
    yield "# Findings that you accept, with the reason."
    yield "# ignores: [{rule: WB304, resource: Job/*-smoke, reason: we look at it by hand}]"


def _compose_tools(helm: str, file: str) -> Iterator[str]:
    if helm.partition(".")[0] not in {version.partition(".")[0] for version in KNOWN["helm"]}:
        yield "# The tools that deploy these charts. By default, Watchbill checks with these two."
        yield "# tools: [helm@4, helm@3.19]"
        return
    known = nearest_tool("helm", helm).version.rpartition(".")[0]
    yield f"# The tools that deploy these charts. {_quote(file)} uses Helm {helm}" + (
        "." if known == helm else f"; Watchbill's nearest is {known}."
    )
    yield f"tools: [helm@{known}]"


def _compose_releases(charts: Sequence[FoundChart]) -> Iterator[str]:
    yield "# How charts are really installed. Each release is checked with its own values."
    if not charts:
        yield "# releases: [{chart: charts/web, name: web, values: [charts/web/values-prod.yaml]}]"
        return
    yield "# releases:"
    for chart in charts:
        yield from (f"#   - {{chart: {_quote(chart.path)}{rest}}}" for rest in _compose_profiles(chart))


def _compose_profiles(chart: FoundChart) -> Iterator[str]:
    """One release for each environment, in a namespace with its name."""
    for profile in chart.profiles:
        yield f", namespace: {_quote(_name_namespace(profile))}, values: [{_quote(profile)}]"
    if not chart.profiles:
        yield ""


def _name_namespace(profile: str) -> str:
    """Return `prod` for values-prod.yaml."""
    match = _PROFILE.fullmatch(os.path.basename(profile))
    name = match["environment"].lower() if match else ""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
    return plain.strip("-")[:63].strip("-") or "default"


def _quote(text: str) -> str:
    """Return a YAML scalar on one line. JSON strings are valid YAML."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return json.encode(text.encode("utf-8", "replace").decode()).decode()
