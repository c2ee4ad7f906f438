"""WB210: Helm drops a document whose hook event it does not know, without a word."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key
from watchbill.rules.look import Dropped, Look
from watchbill.rules.mends import without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.words import named

# Helm 2 had them. Who writes them wants to serve both, or has not noticed.
OF_HELM_2 = {
    "crd-install": "Helm 2 installed definitions so; put it into the folder crds/",
    "test-failure": "only Helm 2 had tests that must fail; drop it, or make it a test that succeeds",
}
SEVERITIES = {"crd-install": Severity.WARNING, "test-failure": Severity.NOTE}
EVENTS_OF_HELM = (
    *(f"{when}-{what}" for what in ("install", "upgrade", "rollback", "delete") for when in ("pre", "post")),
    "test",
)


def _inspect(look: Look) -> Iterator[Claim]:
    elsewhere = {manifest.key for manifest, _ in look.manifests()}
    for dropped in look.dropped:
        # Also in crds/, or also without the annotation: it serves two versions of Helm on purpose.
        if not any(_same(dropped.key, key) for key in elsewhere):
            yield _claim(dropped)


def _same(one: Key, other: Key) -> bool:
    """What lives in no namespace may be said to be in one."""
    return one._replace(namespace="") == other._replace(namespace="")


def _claim(dropped: Dropped) -> Claim:
    event, key = dropped.event, dropped.key
    said = f'"{event}" is no hook event' if event else "an item of helm.sh/hook is empty"
    return Claim(
        subject=key,
        title=f"no operation ever creates {named(key)}: {said}",
        because=f"{said}, and Helm silently drops the whole document",
        fix=OF_HELM_2.get(event) or f"helm.sh/hook takes {', '.join(EVENTS_OF_HELM)}",
        mends=(without(key),),
        path=EVENTS,
        severity=SEVERITIES.get(event, Severity.ERROR),
    )


RULE = Rule(
    "WB210",
    "dropped-hook",
    "Helm silently drops a document with an unknown hook event",
    rows=(54,),
    inspect=_inspect,
)
