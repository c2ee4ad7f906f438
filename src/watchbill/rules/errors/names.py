"""Names of releases and namespaces in what was pasted. They go into commands, so only what can be a name is one."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from watchbill.rules.errors.known import compiled
from watchbill.rules.errors.reading import Line, Pasted

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_AFTER = 4_000  # characters behind an error that still speak of it
# Where messages name the release they are about.
_SPOKEN = (
    'meta\\.helm\\.sh/release-name": must be set to "(?P<release>[^"]+)"',
    'meta\\.helm\\.sh/release-name" must equal "(?P<release>[^"]+)"',
    'meta\\.helm\\.sh/release-namespace": must be set to "(?P<namespace>[^"]+)"',
    'meta\\.helm\\.sh/release-namespace" must equal "(?P<namespace>[^"]+)"',
    "for release (?P<namespace>[a-z0-9-]+)/(?P<release>[a-z0-9.-]+?) with chart ",
    "release (?P<release>[a-z0-9.-]+?) failed, and has been ",
    "release (?P<release>[a-z0-9.-]+?) failed: ",
    '"(?P<release>[^"]+)" has no deployed releases',
    "Release not loaded: (?P<release>[a-z0-9.-]+?): ",
    'the release named "(?P<release>[^"]+)" is already deleted',
    "processing release (?P<release>[a-z0-9.-]+?): ",
    '"HelmRelease": ?\\{"name": ?"(?P<release>[^"]+)", ?"namespace": ?"(?P<namespace>[^"]+)"',
    '"name": ?"(?P<release>[^"]+)", ?"namespace": ?"(?P<namespace>[^"]+)",[^{}]{0,200}"error": ?"',
)
# Lines that were printed before it went wrong.
_LOGGED = re.compile(r"release=(?P<release>\S+?), chart=\S+?, namespace=(?P<namespace>\S+)")
_COMMAND = re.compile(r"(?:^|[\s/'\"$+])helm[34]? (?P<rest>\S.*)")
VERBS = ("upgrade", "install", "rollback", "uninstall", "delete", "test")
_TAKE_NO_VALUE = frozenset(
    "-i --install --atomic --wait --wait-for-jobs --force --force-replace --force-conflicts --debug --dry-run "
    "--create-namespace --reuse-values --reset-values --reset-then-reuse-values --cleanup-on-fail --no-hooks "
    "--skip-crds --devel --take-ownership --rollback-on-failure --dependency-update --disable-openapi-validation "
    "--keep-history --logs --verify --hide-notes --render-subchart-notes --enable-dns --recreate-pods".split()
)


# `helm upgrade failed` is no command.
_PROSE = frozenset(
    "a and by command completed error failed for has in is job of release step the to with".split()
)


class Names(Struct, frozen=True):
    release: str = ""
    namespace: str = ""
    revision: str = ""  # that a rollback went for
    verb: str = ""  # of the command that was typed


def is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text))


def spoken_of(pasted: Pasted, begins: int, ends: int) -> Names:
    """In the message itself, or else in what was printed before it."""
    line = pasted.lines[bisect_right(pasted.lines, begins, key=lambda line: line.start) - 1]
    release, namespace = _spoken(pasted.words[line.start : ends + _AFTER])
    typed = typed_before(pasted, begins)
    if release and typed.release and release != typed.release:
        typed = Names()  # that was about another one
    return Names(release or typed.release, namespace or typed.namespace, typed.revision)


def _spoken(message: str) -> tuple[str, str]:
    release = namespace = ""
    for pattern in _SPOKEN:
        if found := compiled(pattern).search(message):
            given = found.groupdict()
            release = release or _checked(given.get("release"))
            namespace = namespace or _checked(given.get("namespace"))
    return release, namespace


def _checked(name: str | None) -> str:
    return name if name and is_name(name) else ""


def typed_before(pasted: Pasted, place: int) -> Names:
    """What the last command of Helm before it was about."""
    lines = pasted.lines[: bisect_right(pasted.lines, place, key=lambda line: line.start)]
    for number, line in reversed([*enumerate(lines)]):
        if not ("helm" in line.text or "release=" in line.text):  # faster than to search
            continue
        if logged := _LOGGED.search(line.text):
            return Names(_checked(logged["release"]), _checked(logged["namespace"]))
        found = _COMMAND.search(line.text)
        if found and (command := _command(*_continued(found["rest"], lines[number:]))):
            return command
    return Names()


def _continued(rest: str, lines: Sequence[Line]) -> tuple[list[str], bool]:
    """The words of a command that may go on in the next lines, and whether it is known where they end."""
    for line, then in pairwise(lines):
        if not rest.endswith("\\"):
            return rest.split(), line.whole
        rest = f"{rest[:-1]} {then.text}"
    return rest.split(), lines[-1].whole


def _command(words: list[str], whole: bool) -> Names | None:
    """None if it is no command. A word at the end of a line that may have been broken there is no name."""
    if not whole:
        words = words[:-1]
    namespace = ""
    positional: list[str] = []
    rest: Iterator[str] = iter(words)
    for word in rest:
        flag, equals, value = word.partition("=")
        if flag in ("-n", "--namespace"):
            namespace = value if equals else next(rest, "")
        elif word.startswith("-"):
            if not equals and flag not in _TAKE_NO_VALUE:
                next(rest, "")
        else:
            positional.append(word.strip("'\""))
    verb, *about = positional or [""]
    if verb not in VERBS or not _is_meant(verb, about, flagged=len(words) > len(positional)):
        return None
    revision = about[1] if verb == "rollback" and len(about) > 1 else ""
    return Names(
        _checked(about[0]),
        _checked(namespace.strip("'\"")),
        revision if revision.isdecimal() else "",
        "uninstall" if verb == "delete" else verb,
    )


def _is_meant(verb: str, about: list[str], *, flagged: bool) -> bool:
    """A command, rather than a sentence about one."""
    if not about or about[0] in _PROSE:
        return False
    if verb in ("install", "upgrade"):
        return len(about) > 1 and about[1] not in _PROSE and (flagged or not about[1].isalpha())
    return len(about) == 1 or about[1].isdecimal()
