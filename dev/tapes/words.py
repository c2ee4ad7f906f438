"""Words of the truth: what was written, and what the tool said, without what differs from run to run."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from dev.tapes import records
from dev.tapes.catalog import Catalog
from dev.tapes.proxy import Write
from watchbill.lifecycle.kube.words import normalise as elided

_NOISE = re.compile(
    r"(?:time=\S+ )?level=\S+ .*"  # Helm 4's log
    r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ .*"  # client-go's log
    r"|(?:WARNING|Warning): .*"
)
_CHANGING = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
    (
        re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?[+-]\d\d:?\d\d(?: [A-Z]{3,4})?)?"),
        "TIME",
    ),
    (re.compile(r"(resourceVersion\W+)\d+"), r"\1N"),
    (re.compile(r"(127\.0\.0\.1):\d+"), r"\1:PORT"),
    # kubectl shows the whole patch, one line of JSON.
    (re.compile(r"(error when applying patch:\n)\{.*\n?(?=\nto:\n)"), r"\1…"),
    # The server shows it too, if it cannot read what comes of it.
    (re.compile(r'(patch: Invalid value: )"(?:[^"\\]|\\.)*"'), r"\1…"),
)


def error(stderr: str, returncode: int) -> str:
    """What a failing tool says, from `Error:` on; kubectl has no such word and is taken whole."""
    if returncode == 0:
        return ""
    lines = [line for line in stderr.splitlines() if not _NOISE.fullmatch(line)]
    start = next((number for number, line in enumerate(lines) if line.startswith("Error:")), 0)
    return normalise("\n".join(lines[start:]).strip())


def normalise(text: str) -> str:
    """Without dumps of values and without what is different each time."""
    text = elided(text)
    for pattern, word in _CHANGING:
        text = pattern.sub(word, text)
    return text


def in_order(log: Sequence[Write]) -> list[Write]:
    """Neighbours of the same verb and kind are sorted: tools make them side by side. Not so release
    records, which come one after the other."""
    result: list[Write] = []
    for _, group in groupby(log, key=lambda write: (write.verb, write.group, write.resource, _record(write))):
        found = list(group)
        result += found if _record(found[0]) else sorted(found, key=lambda w: (w.namespace, w.name, w.status))
    return result


def write(made: Write, catalog: Catalog) -> str:
    refused = " refused" if made.refused else ""
    if record := _record(made):
        if made.verb == "delete":
            return f"delete release/{record.revision}{refused}"
        status = (made.body.get("metadata", {}).get("labels") or {}).get("status", "")
        return f"save release/{record.revision} {status}{refused}"
    kind = catalog.of_resource(made.group, made.resource)
    return f"{made.verb} {kind.kind if kind else made.resource}/{made.namespace}/{made.name}{refused}"


def ran(log: Sequence[Write]) -> list[str]:
    """Jobs that did not exist before."""
    jobs = [made for made in log if made.created and (made.group, made.resource) == ("batch", "jobs")]
    return [f"{made.namespace}/{made.name}" for made in jobs]


def _record(made: Write) -> records.Record | None:
    return records.by_name(made.resource, made.name)


def rename(value: object, real: str, called: str) -> object:
    """The truth with the namespace as it is called in it, everywhere."""
    if isinstance(value, str):
        return value.replace(real, called)
    if isinstance(value, dict):
        return {rename(key, real, called): rename(item, real, called) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [rename(item, real, called) for item in value]
    return value
