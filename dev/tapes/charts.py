"""Versions as chart directories: manifests become a chart that renders to themselves."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# Where manifests go that do not say where they come from.
MANIFESTS = "templates/manifests.yaml"
_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_SOURCE = re.compile(r"^# Source: ([^/\s]+)/(\S+)[^\S\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class Version:
    """The files of one chart, by path."""

    content: Mapping[str, bytes]
    manifests: str | None = None  # what it renders to, where that is known

    def files(self) -> Iterator[tuple[str, bytes]]:
        yield from sorted(self.content.items())

    def placed(self, called: str, namespace: str) -> "Version":
        """With the namespace of another name in every line that names it."""
        line = re.compile(
            rf"""^([ \-]*namespace: *)(["']?){re.escape(called)}\2(?=[ \r]*$)""".encode(), re.MULTILINE
        )
        named = rf"\g<1>\g<2>{namespace}\g<2>".encode()
        content = {path: line.sub(named, body) for path, body in self.content.items()}
        manifests = None if self.manifests is None else line.sub(named, self.manifests.encode()).decode()
        return Version(content, manifests)

    def hurried(self, deadline: int) -> "Version":
        """With every deadline as short as this, in seconds, and a second of grace for pods that name their grace."""
        shorter = {b"activeDeadlineSeconds": deadline, b"terminationGracePeriodSeconds": 1}
        line = re.compile(rb"\b(%s): \d+" % b"|".join(shorter))

        def hurry(text: bytes) -> bytes:
            return line.sub(lambda found: b"%s: %d" % (found[1], shorter[found[1]]), text)

        content = {path: hurry(body) for path, body in self.content.items()}
        return Version(content, None if self.manifests is None else hurry(self.manifests.encode()).decode())

    def unpack(self, into: Path) -> Path:
        for name, content in self.content.items():
            file = into / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return into


def documents(text: str) -> list[str]:
    """The parts of a YAML stream, each with what stands behind its `---`."""
    return [document for document in _SEPARATOR.split(text) if document.strip()]


def of_manifests(text: str, name: str, version: str) -> Version:
    """Documents stay in the template their `# Source:` names: errors and the order of files speak of it."""
    templates: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents(text):
        templates[_template(document)].append(document)
    content = {
        path: "".join(f"---{document.rstrip()}\n" for document in documents).replace("{{", '{{ "{{" }}')
        for path, documents in templates.items()
    }
    heads = {f"{folder}Chart.yaml": _chart_yaml(folder, name, version) for folder in _folders(content)}
    return Version({path: body.encode() for path, body in (heads | content).items()}, text)


def _template(document: str) -> str:
    """Only a comment before the first line of YAML counts."""
    head = re.match(r"(?:[^\S\n]*(?:#.*)?\n)*", document)
    source = _SOURCE.search(head[0]) if head else None
    return source[2] if source else MANIFESTS


def _folders(templates: Mapping[str, str]) -> list[str]:
    """The chart's own folder and those of its subcharts, each of which needs a Chart.yaml."""
    found = {""}
    for path in templates:
        parts = PurePosixPath(path).parts
        for position in range(0, len(parts) - 2, 2):
            if parts[position] != "charts":
                break
            found.add("/".join(parts[: position + 2]) + "/")
    return sorted(found)


def _chart_yaml(folder: str, name: str, version: str) -> str:
    return f"apiVersion: v2\nname: {PurePosixPath(folder).name or name}\nversion: {version}\n"
