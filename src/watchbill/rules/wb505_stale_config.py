"""WB505: a pre-upgrade hook reads a ConfigMap or Secret that its own upgrade changes only afterwards."""

from msgspec.structs import replace

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import places
from watchbill.lifecycle.world import Hook
from watchbill.patterns import regex
from watchbill.rules.mends import rehooked, without
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

_WHAT = regex(r"reads (?P<names>.+) of (?P<kind>\w+)/(?P<namespace>[^/]*)/(?P<name>[^/]+)$")
MOST = 3


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.UP_TO_DATE:
        return None
    found = _WHAT.match(sighting.what)
    if found is None:
        return None
    source = Key("", found["kind"], found["namespace"], found["name"])
    manifest = sighting.manifest(key)
    names = found["names"].split(", ")
    listed = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    return Claim(
        subject=key,
        title=f"{sighting.operation} runs {named(key)} with the old {named(source)}",
        because=f"{listed} changes in this version, but plain objects are changed after pre-upgrade hooks have run",
        fix="give the hook its own copy (also a hook, with a lower weight and another name), or run the hook post-upgrade",
        mends=(rehooked(key, _afterwards), without(key)),
        cause=source.kind,
        path=places(manifest.body, key.namespace).get(source, ()) if manifest else (),
        related=(Pointer(source, ("metadata", "name"), "changed only afterwards"),),
        severity=Severity.WARNING,
        # It may read what changed without needing it.
        confidence="medium",
    )


def _afterwards(hook: Hook) -> Hook:
    return replace(hook, events=tuple(event.replace("pre-upgrade", "post-upgrade") for event in hook.events))


RULE = Rule(
    "WB505",
    "stale-config",
    "a pre-upgrade hook reads a ConfigMap or Secret that the upgrade changes later",
    rows=(53,),
    claim=_claim,
)
