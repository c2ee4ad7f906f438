"""WB102: a forced upgrade sends the whole object, and a Job that is there cannot be replaced."""

from watchbill.lifecycle.kube.decode import strict_error
from watchbill.lifecycle.kube.defaults import prepare_create
from watchbill.lifecycle.kube.validate import on_create
from watchbill.lifecycle.objects import Body
from watchbill.rules.mends import as_hook, without
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

FORCING = frozenset({"--force", "--force-replace"})


def is_forced(sighting: Sighting) -> bool:
    """Whether the operation replaces objects instead of changing them."""
    return not FORCING.isdisjoint(sighting.move.given)


def _claim(sighting: Sighting) -> Claim | None:
    key, step = sighting.key, sighting.step
    if key is None or step is None or step.verb != "replace" or not is_forced(sighting):
        return None
    wanted = sighting.manifest(key)
    if wanted is None or _is_refused_anyway(wanted.body):
        return None
    if key.kind == "Job":
        because = "plain Job: --force puts the new one over it, without the selector that the server gave it"
        fix = "make it a hook (hooks are never replaced), or delete the Job before a forced upgrade"
    else:
        because = "--force puts the new one over it, without what the server filled in"
        fix = "upgrade without --force, or give what the server filled in (see the error)"
    return Claim(
        subject=key,
        title=f"a forced upgrade fails: {named(key)} cannot be replaced",
        because=because,
        fix=fix,
        mends=(*((as_hook(key),) if key.kind == "Job" else ()), without(key)),
    )


def _is_refused_anyway(body: Body) -> bool:
    return bool(strict_error(body.object) or on_create(prepare_create(body.object)))


RULE = Rule(
    "WB102",
    "forced-upgrade",
    "a forced upgrade replaces a plain Job, and Kubernetes refuses it even if nothing changed",
    rows=(4,),
    claim=_claim,
)
