"""WB601: a Job does not run when it is declared to, or runs when it is not."""

from collections.abc import Iterator

from msgspec.structs import replace

from watchbill.lifecycle.contracts import (
    AGAIN,
    EACH_UPGRADE,
    EACH_VERSION,
    NOT_RUN,
    ON_CHANGE,
    ONCE,
    RUNS,
    WORDS,
)
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import Hook
from watchbill.rules.look import Look
from watchbill.rules.mends import all_of, as_hook, as_plain, rehooked, with_spec, without
from watchbill.rules.rule import Claim, Mend, Path, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb101_immutable_job import hashed
from watchbill.rules.words import named

MEANINGS = {
    ONCE: "once in the life of a release",
    EACH_VERSION: "at each upgrade to another version, and at no other",
    EACH_UPGRADE: "at each upgrade",
    ON_CHANGE: "when what it runs has changed, and only then",
}
FIXES = {
    ONCE: "make it a plain Job in which nothing changes, or a hook of post-install only",
    EACH_VERSION: "make it a plain Job with the version in its name, and without a TTL",
    EACH_UPGRADE: "make it a hook of pre-upgrade or post-upgrade",
    ON_CHANGE: "make it a plain Job with a hash of its pod template in its name, and without a TTL",
}
A_YEAR = 365 * 24 * 60 * 60


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.KEEPS_ITS_WORD:
        return None
    runs, _, how = sighting.what.partition(": ")
    does = {AGAIN: "runs {} again", NOT_RUN: "does not run {}"}.get(how, "runs {} without need")
    return Claim(
        subject=key,
        title=f"{sighting.operation} {does.format(named(key))}: it is declared to run {runs}",
        because=f"declared to run {runs}: {MEANINGS[runs]}",
        fix=f"{FIXES[runs]}; or declare what is meant ({', '.join(WORDS[RUNS])})",
        mends=(*_mends(sighting, key, runs), without(key)),
        cause=f"{runs} {how}",
        path=_path(sighting, key, RUNS),
    )


def _mends(sighting: Sighting, key: Key, runs: str) -> Iterator[Mend]:
    hook = sighting.hook(key)
    if runs == ONCE:
        yield rehooked(key, _installed_only) if hook else as_hook(key, events=("post-install",))
    elif runs == EACH_UPGRADE:
        yield rehooked(key, _upgraded_too) if hook else as_hook(key)
    else:
        plain = hashed(key)
        yield all_of(as_plain(key), with_spec(key, ttlSecondsAfterFinished=A_YEAR), plain)
        yield as_hook(key)


def _installed_only(hook: Hook) -> Hook:
    return replace(hook, events=("post-install",))


def _upgraded_too(hook: Hook) -> Hook:
    return replace(hook, events=tuple(dict.fromkeys((*hook.events, "post-upgrade"))))


def _path(sighting: Sighting, key: Key, annotation: str) -> Path:
    """Where it is declared; by name it is so in .watchbill.yaml."""
    manifest = sighting.manifest(key)
    said = manifest is not None and annotation in manifest.body.annotations
    return ("metadata", "annotations", annotation) if said else ()


def _inspect(look: Look) -> Iterator[Claim]:
    yield from unknown_words(look, RUNS)


def unknown_words(look: Look, annotation: str) -> Iterator[Claim]:
    """A contract in words that nobody knows binds nobody: whoever wrote it relies on it all the same."""
    for manifest, _ in look.manifests():
        word = manifest.body.annotations.get(annotation)
        if manifest.key.kind != "Job" or word is None or word in WORDS[annotation]:
            continue
        key = manifest.key
        yield Claim(
            subject=key,
            title=f'{named(key)} declares {annotation}: "{word}", which Watchbill does not know',
            because="Watchbill cannot check a word that it does not know",
            fix=f"use one of: {', '.join(WORDS[annotation])}",
            mends=(without(key),),
            cause="unknown word",
            path=("metadata", "annotations", annotation),
        )


RULE = Rule(
    "WB601",
    "contract-runs",
    "a Job does not run when it is declared to, or runs when it is not",
    claim=_claim,
    inspect=_inspect,
)
