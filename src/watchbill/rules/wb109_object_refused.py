"""WB109: the API server does not take an object, or does not even know what it is.

The last of its family: whatever is refused for a reason that a rule of its own explains is that rule's.
"""

import re
from collections import Counter
from typing import Any

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Manifest
from watchbill.patterns import regex
from watchbill.rules.facts import is_a_mixture
from watchbill.rules.fields import get, put
from watchbill.rules.mends import changed, once, without
from watchbill.rules.rule import Claim, Mend, Path, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

WIDEST = 200  # some refusals list every value that would do
GO_TYPES: dict[str, type] = {"string": str, "int32": int, "int64": int, "bool": bool}
IDENTITY = ("apiVersion", "kind", "metadata")  # without these it would be another object
WRITES = ("create", "apply", "patch", "replace")
_UNKNOWN_KIND = regex(r'no matches for kind "(?P<kind>[^"]*)" in version "(?P<version>[^"]*)"')
_NOT_SET = regex(r"error validating data: (?P<what>.+ (?:not set|isn't string type))")
_INVALID = regex(
    r" is invalid: \[?(?P<path>.+?): "
    r"(?P<words>(?:Invalid|Required|Duplicate|Unsupported|Forbidden|Not|Too|Internal).+)",
    re.DOTALL,
)
_TYPED = regex(r"\): (?:errors:\s*)?\.?(?P<path>[^:\s]+): (?P<words>[^\n]+)")
_GO_TYPE = regex(r"into Go struct field \w+\.(?P<path>[\w.]+) (?P<words>of type .+)", re.DOTALL)
_STRICT = regex(r'strict decoding error: (?P<words>unknown field) "(?P<path>[^"]+)"')
_BRACKETS = regex(r"\[[^\]]*\]")
_NAMED = regex(r'\w+="(?P<name>[^"]*)"')


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or is_a_mixture(sighting):
        return None
    if sighting.key is None or _UNKNOWN_KIND.search(sighting.what):
        return _unreadable(sighting)
    step, manifest = sighting.step, sighting.manifest(sighting.key)
    if step is None or manifest is None or step.verb not in WRITES or not step.refused:
        return None
    if "already exists" in step.refused:
        return _twice(sighting, manifest)
    return _refused(sighting, manifest)


def _refused(sighting: Sighting, manifest: Manifest) -> Claim | None:
    key, words = manifest.key, sighting.what
    readings = (_INVALID, _TYPED, _STRICT, _GO_TYPE)
    found = next((match for reading in readings if (match := reading.search(words))), None)
    place = found["path"] if found else ""
    why = " ".join((found["words"] if found else words).split())
    if " is invalid: [" in words:
        why = why.removesuffix("]")
    path = _path(place, manifest, why.removeprefix("of type "))
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: Kubernetes refuses {named(key)}: {_brief(place) or why}",
        because=_cut(f"{place}: {why}" if place else why),
        fix=_fix(why, place),
        mends=(*_without_field(key, path), without(key)),
        cause=".".join(step for step in path if isinstance(step, str)) or _BRACKETS.sub("", place),
        path=path,
    )


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _brief(place: str) -> str:
    """Without what every workload has before it, and with bare names in lists."""
    for common in ("spec.jobTemplate.spec.template.spec.", "spec.template.spec.", "spec."):
        if place.startswith(common):
            place = place.removeprefix(common)
            break
    return place.replace('[name="', "[").replace('"]', "]")


def _fix(why: str, place: str) -> str:
    if "field not declared in schema" in why or "unknown field" in why:
        return f"{place} does not exist: correct or remove it; Helm 3 drops it silently, Helm 4 fails"
    if "expected string, got" in why or why == "of type string":
        return f"put {place} in quotes"
    if "uplicate" in why:
        return f"keep only one of them in {place}"
    if "may not be specified when strategy `type` is" in why:
        return "set rollingUpdate: null beside type: Recreate, or what is there from before stays"
    if "Required value" in why:
        return f"give {place} a value"
    return f"give {place} a value that Kubernetes accepts" if place else "correct or remove it"


def _path(place: str, manifest: Manifest, wanted: str) -> Path:
    """As far as it can be followed in the manifest; `[name="main"]` is a place in a list, and may be left out."""
    thing: Any = manifest.body.object
    if wanted in GO_TYPES and (found := _mistyped(thing, place.split("."), GO_TYPES[wanted])):
        return found
    path: list[Any] = []  # names and numbers
    while place and isinstance(thing, (list, dict)):
        brackets = _BRACKETS.match(place)
        step: Any
        if isinstance(thing, list):
            word = brackets[0].strip("[]") if brackets else place.partition(".")[0].partition("[")[0]
            step = _number(word, thing)
            place = place[brackets.end() :].removeprefix(".") if brackets else place
        else:
            place = place.removeprefix("[")
            step = _name(place, thing)
            place = place[len(step or "") :].lstrip("].")
        if step is None:
            break
        path.append(step)
        thing = thing[step]
    return tuple(path)


def _name(place: str, fields: dict[str, Any]) -> str | None:
    """The field that a place begins with: names of labels and files have dots in them."""
    names = [
        name for name in fields if place.startswith(name) and place[len(name) : len(name) + 1] in ("", *".[]")
    ]
    return max(names, key=len, default=None)


def _mistyped(thing: Any, steps: list[str], wanted: type) -> Path:
    """The first value below this path of names, through whatever lists, that is of another type."""
    if isinstance(thing, list):
        for number, item in enumerate(thing):
            if found := _mistyped(item, steps, wanted):
                return (number, *found)
        return ()
    if not isinstance(thing, dict) or steps[0] not in thing:
        return ()
    value, rest = thing[steps[0]], steps[1:]
    if not rest and isinstance(value, dict):
        wrong = [name for name, entry in value.items() if entry is not None and type(entry) is not wanted]
        return (steps[0], *wrong[:1]) if wrong else ()
    if not rest:
        return () if value is None or type(value) is wanted else (steps[0],)
    found = _mistyped(value, rest, wanted)
    return (steps[0], *found) if found else ()


def _number(step: str, items: list[Any]) -> int | None:
    """Which item is meant: by number, by name, or the first that has such a field."""
    if step.isdecimal():
        return int(step) if int(step) < len(items) else None
    named = _NAMED.match(step)
    for number, item in enumerate(items):
        if isinstance(item, dict) and (item.get("name") == named["name"] if named else step in item):
            return number
    return None


def _without_field(key: Key, path: Path) -> tuple[Mend, ...]:
    if not path or path[0] in IDENTITY or isinstance(path[-1], int):
        return ()
    return (changed(key, lambda thing: thing if get(thing, path) is None else put(thing, path, None)),)


def _twice(sighting: Sighting, manifest: Manifest) -> Claim | None:
    counted = Counter(one.key for one in sighting.rendered.manifests)
    if counted[manifest.key] < 2:
        return None
    key = manifest.key
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: {named(key)} is in the chart twice",
        because="two documents render the same object",
        fix="remove one of them, or give it another name",
        mends=(once(key), without(key)),
        path=("metadata", "name"),
    )


def _unreadable(sighting: Sighting) -> Claim | None:
    """What no request can be made of: an unknown kind, or none at all. One cause, however many documents."""
    everything = list(sighting.rendered.everything())
    said = sighting.what
    if "no matches for kind" in said and (found := _UNKNOWN_KIND.search(said)):
        which = (found["kind"], found["version"])
        documents = [one for one in everything if (one.body.kind, one.body.api_version) == which]
        what = f"there is no {found['kind']} in {found['version']}"
        fix = _definition(sighting, found["version"])
    elif "error validating data" in said and (found := _NOT_SET.search(said)):
        documents = [one for one in everything if not _says_what_it_is(one)]
        what = found["what"]
        fix = "a document needs apiVersion and kind: a comment or an if before it may have swallowed a line"
    else:
        return None
    if not documents:
        return None
    first, *others = documents
    path: Path = ("apiVersion",) if first.body.api_version else ()
    return Claim(
        subject=first.key,
        title=f"{sighting.operation} fails: {what}, in {first.path}",
        because=what,
        fix=fix,
        mends=(without(*(one.key for one in documents)),),
        cause=what,
        path=path,
        related=tuple(Pointer(one.key, path, "here too") for one in others),
    )


def _says_what_it_is(document: Manifest) -> bool:
    said = (document.body.object.get(field) for field in ("apiVersion", "kind"))
    return all(isinstance(value, str) and value for value in said)


def _definition(sighting: Sighting, version: str) -> str:
    group = version.rpartition("/")[0]
    if any(one.body.object.get("spec", {}).get("group") == group for one in sighting.rendered.crds):
        return "Helm installs crds/ once and never upgrades it: apply the new definition before the upgrade"
    return "correct apiVersion or kind; if it is a custom one, its definition has to be there before (crds/)"


RULE = Rule(
    "WB109",
    "object-refused",
    "Kubernetes refuses an object of the chart, or does not know its kind",
    claim=_claim,
)
