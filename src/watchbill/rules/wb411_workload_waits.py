"""WB411: a workload needs an object that is not there any more, or not yet again, when its pods start."""

from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import places
from watchbill.lifecycle.world import Hook
from watchbill.rules.mends import as_plain, without
from watchbill.rules.policies import EVENTS, SUCCEEDED, comes_again, policies
from watchbill.rules.rule import Claim, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import users
from watchbill.rules.words import named, short, title


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
    """What goes with its event although a workload uses it: the next time its pods start, they wait."""
    key = sighting.key
    if sighting.broke is not Property.SPARES or key is None or key in sighting.last.world.objects:
        return None
    hook = sighting.hook(key)
    return key if hook is not None and SUCCEEDED in policies(hook) else None


def _claim(sighting: Sighting) -> Claim | None:
    user, needed = sighting.key, lacked(sighting)
    if needed is None and (needed := _deleted(sighting)) is not None:
        user = next(iter(users(sighting, needed)), None)
    if user is None or needed is None:
        return None
    hook = sighting.hook(needed)
    body = sighting.last.world.objects[user].body
    fields = places(body, user.namespace)
    return Claim(
        subject=needed if hook is not None else user,
        title=title(f"{sighting.operation} leaves {named(user)} waiting for {short(needed)}", user, needed),
        because=_because(hook),
        fix="make it plain: what lasting pods need must last, too",
        mends=(as_plain(needed), without(user)),
        cause="" if hook is not None else short(needed),
        path=EVENTS if hook is not None else fields.get(needed, ()),
        related=(Pointer(user, fields.get(needed, ()), f"{short(user)} needs it"),),
    )


def _because(hook: Hook | None) -> str:
    if hook is None:
        return "this version does not bring what its pods need"
    if SUCCEEDED in policies(hook):
        return "a hook with hook-succeeded: it is deleted as soon as its event is over"
    if not comes_again(hook):
        return f"a hook of {','.join(hook.events)}: no upgrade creates it"
    return f"a hook of {','.join(hook.events)}"


RULE = Rule("WB411", "workload-waits", "a workload needs a hook object that does not last", (27,), _claim)
