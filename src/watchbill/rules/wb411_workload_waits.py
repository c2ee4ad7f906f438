"""WB411: a workload needs an object that is not there any more, or not yet again, when its pods start."""

from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import places
from watchbill.lifecycle.world import Hook, Manifest
from watchbill.rules.mends import as_plain, restored
from watchbill.rules.policies import EVENTS, SUCCEEDED, comes_again, policies
from watchbill.rules.rule import Claim, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import users
from watchbill.rules.words import named, short


def lacked(sighting: Sighting) -> Key | None:
    """What a workload waits for."""
    key = sighting.key
    if sighting.broke is not Property.STARTS or key is None or not sighting.last.ok:
        return None
    live = sighting.last.world.objects.get(key)
    if live is None:
        return None
    absent = missing(sighting.last.world, sighting.lab.cluster, key, live.body)
    return next((one for one in absent if sighting.what == f"needs {one}"), None)


def _deleted(sighting: Sighting) -> Key | None:
    """What goes although a workload uses it, with its event or for good: the next time its pods start, they wait."""
    key = sighting.key
    if sighting.broke is not Property.SPARES or key is None or key in sighting.last.world.objects:
        return None
    hook = sighting.hook(key)
    dropped = sighting.move.verb == "upgrade" and sighting.manifest(key) is None
    return key if dropped or (hook is not None and SUCCEEDED in policies(hook)) else None


def _claim(sighting: Sighting) -> Claim | None:
    user, needed = sighting.key, lacked(sighting)
    if needed is None and (needed := _deleted(sighting)) is not None:
        user = next(iter(users(sighting, needed)), None)
    if user is None or needed is None:
        return None
    hook = sighting.hook(needed)
    if hook is None:
        return _dropped(sighting, user, needed)
    fields = places(sighting.last.world.objects[user].body, user.namespace)
    # All that it waits for is one finding.
    lost = sorted(key for key in fields if _is_lost(sighting, key)) or [needed]
    first, *others = lost
    more = f" and {len(others)} more" if others else ""
    return Claim(
        subject=first,
        title=f"{sighting.operation} leaves {named(user)} waiting for {short(first)}{more}",
        because=_because(sighting.hook(first) or hook),
        fix="make it plain, so that it exists as long as the pods",
        mends=(as_plain(*lost),),
        path=EVENTS,
        related=(
            Pointer(user, fields.get(first, ()), f"{short(user)} needs it"),
            *(Pointer(key, EVENTS, "is lost too") for key in others),
        ),
    )


def _is_lost(sighting: Sighting, key: Key) -> bool:
    return sighting.hook(key) is not None and key not in sighting.last.world.objects


def _dropped(sighting: Sighting, user: Key, needed: Key) -> Claim | None:
    """The version before brings it, this one only needs it."""
    old, manifest = _as_it_was(sighting, needed), sighting.manifest(user)
    fields = places(manifest.body, user.namespace) if manifest is not None else {}
    if old is None or needed not in fields:
        return None
    return Claim(
        subject=user,
        title=f"the upgrade deletes {named(needed)}, which {named(user)} needs",
        because=f"the version before contains {named(needed)}, this one does not",
        fix="keep it in the chart, or annotate it with helm.sh/resource-policy: keep one version earlier",
        mends=(restored(old),),
        cause=short(needed),
        path=fields[needed],
    )


def _as_it_was(sighting: Sighting, key: Key) -> Manifest | None:
    """In the version before, as a plain object."""
    if not sighting.newest:
        return None
    return next((one for one in sighting.version(sighting.newest - 1).manifests if one.key == key), None)


def _because(hook: Hook) -> str:
    if SUCCEEDED in policies(hook):
        return "a hook with hook-succeeded: it is deleted as soon as its event is over"
    if not comes_again(hook):
        return f"a hook of {','.join(hook.events)}: no upgrade creates it"
    return f"a hook of {','.join(hook.events)}"


RULE = Rule("WB411", "workload-waits", "a workload needs an object that does not last", (27,), _claim)
