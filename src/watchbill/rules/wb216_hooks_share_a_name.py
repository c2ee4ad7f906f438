"""WB216: two hooks of one operation make an object of the same name, and the second meets what the first made."""

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.lifecycle.world import Hook, Rendered
from watchbill.rules.look import Look
from watchbill.rules.mends import renamed, without
from watchbill.rules.policies import BEFORE, SUCCEEDED, policies
from watchbill.rules.rule import Claim, Mend, Path, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

NAME: Path = ("metadata", "name")
OPERATIONS = {"install": "install", "upgrade": "upgrade", "rollback": "rollback", "uninstall": "delete"}
Pair = tuple[Hook, Hook]  # in the order in which they run


def _claim(sighting: Sighting) -> Claim | None:
    """Without before-hook-creation the second one is refused, or Helm 4 takes the first one's Job for it."""
    key, verb = sighting.key, sighting.move.verb
    if key is None or sighting.is_of_kubectl or sighting.faults or verb not in OPERATIONS:
        return None
    if sighting.broke not in (*FAILURES, Property.RUNS):
        return None
    pair = next((pair for made, pair in _pairs(sighting.rendered, verb) if made == key), None)
    if pair is None or BEFORE in policies(pair[1]):
        return None
    fails = sighting.broke is not Property.RUNS
    then = f"{sighting.operation} fails" if fails else f"{sighting.operation} runs one of them"
    return _said(key, pair, f"{then}: two of its hooks are both {named(key)}", Severity.ERROR)


def _inspect(look: Look) -> Iterator[Claim]:
    """With before-hook-creation both run, and the second deletes the first one's object."""
    seen = set[Key]()
    for rendered in (look.install, look.upgrade):
        for verb in OPERATIONS:
            for key, pair in _pairs(rendered, verb):
                if key in seen or BEFORE not in policies(pair[1]):
                    continue
                seen.add(key)
                words = f"two hooks of one {verb} are both {named(key)}: the second deletes the first"
                yield _said(key, pair, words, Severity.WARNING)


def _said(key: Key, pair: Pair, title: str, severity: Severity) -> Claim:
    events = " and ".join(dict.fromkeys(", ".join(hook.events) for hook in pair))
    return Claim(
        subject=key,
        title=title,
        because=f"hooks of {events} with one name: the later one meets what the earlier one made",
        fix="give each hook a name of its own",
        mends=(_numbered(key), without(key)),
        path=NAME,
        severity=severity,
    )


def _pairs(rendered: Rendered, verb: str) -> Iterator[tuple[Key, Pair]]:
    """Hooks of one operation that make the same object, if the first one's is still there when the second comes."""
    makers = dict[Key, list[Hook]]()
    for hook in rendered.hooks:
        for manifest in hook.objects:
            if manifest.key.name:
                makers.setdefault(manifest.key, []).append(hook)
    event = OPERATIONS[verb]
    for key, hooks in makers.items():
        for pair in combinations(hooks, 2):
            first, second = sorted(pair, key=lambda hook: (f"pre-{event}" not in hook.events, hook.weight))
            if _meet(first, second, event):
                yield key, (first, second)


def _meet(first: Hook, second: Hook, event: str) -> bool:
    before, after = (
        [f"{when}-{event}" in hook.events for when in ("pre", "post")] for hook in (first, second)
    )
    if not any(before) or not any(after):
        return False
    # What hook-succeeded deletes goes once all hooks of the event are done.
    return before[0] == after[0] or SUCCEEDED not in policies(first)


def _numbered(key: Key) -> Mend:
    """Each hook after the first makes the object under a name of its own."""

    def mend(rendered: Rendered) -> Rendered:
        hooks, found = list[Hook](), 0
        for hook in rendered.hooks:
            made = any(one.key == key for one in hook.objects)
            found += made
            hooks.append(_under(key, f"{key.name[:240]}-{found}", hook) if made and found > 1 else hook)
        return replace(rendered, hooks=tuple(hooks))

    return mend


def _under(key: Key, name: str, hook: Hook) -> Hook:
    [other] = renamed(key, name)(Rendered(hooks=(hook,))).hooks
    return other


RULE = Rule(
    "WB216",
    "hooks-share-a-name",
    "two hooks of one operation have the same name, and the second meets what the first made",
    claim=_claim,
    inspect=_inspect,
    covers=("WB201", "WB212"),
)
