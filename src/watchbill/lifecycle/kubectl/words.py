"""kubectl's errors: one that stands alone is told otherwise than one of several (pkg/cmd/util/helpers.go)."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.objects import group_of
from watchbill.lifecycle.server import Reason, Refused, plural_of
from watchbill.lifecycle.world import Manifest
from watchbill.patterns import regex

SOURCE = '"STDIN"'
REASONS = {
    Reason.EXISTS: "AlreadyExists",
    Reason.NOT_FOUND: "NotFound",
    Reason.INVALID: "Invalid",
    Reason.CONFLICT: "Conflict",
    Reason.BAD_REQUEST: "BadRequest",
}
# The one refusal that carries no reason.
UNREASONED = "failed to create typed patch object"
# A new cause begins where a path is followed by what is wrong there.
_NEXT_CAUSE = regex(
    r", (?=[A-Za-z<][^\s,]*: (?:Invalid value|Required value|Duplicate value|Unsupported value|Not found|"
    r"Forbidden|Too long|Too many|Too few|Internal error)\b)"
)
_INVALID = regex(r'(?P<kind>[^.\s]*)\S* "(?P<name>.*?)" is invalid: (?P<causes>.*)', re.DOTALL)


class Problem(Struct, frozen=True):
    """One error on its way to the terminal."""

    message: str
    reason: Reason | None = None  # None: it is kubectl's own
    refusal: str = ""  # the server's words, without what kubectl put around them

    @property
    def alone(self) -> str:
        if self.reason is Reason.INVALID and (found := _INVALID.match(self.refusal)):
            return _invalid(found)
        return self.listed if self.reason else f"error: {self.message}"

    @property
    def listed(self) -> str:
        if self.reason is None:
            return self.message
        if self.refusal.startswith(UNREASONED):
            return f"Error from server: {self.message}"
        return f"Error from server ({REASONS[self.reason]}): {self.message}"


def refused(error: Refused, around: str = "") -> Problem:
    """The server's refusal, in what kubectl was doing."""
    return Problem(around + error.words, error.reason, error.words)


class Several(Struct, frozen=True):
    """Errors that travel as one."""

    errors: "tuple[Problem | Several, ...]"

    @property
    def listed(self) -> str:
        """As one of several: all on one line."""
        different = list(dict.fromkeys(problem.message for problem in self.flat()))
        return different[0] if len(different) == 1 else f"[{', '.join(different)}]"

    def flat(self) -> Iterator[Problem]:
        for error in self.errors:
            if isinstance(error, Several):
                yield from error.flat()
            else:
                yield error


Error = Problem | Several


def gathered(errors: Sequence[Error]) -> Error | None:
    if len(errors) < 2:
        return errors[0] if errors else None
    return Several(tuple(errors))


def told(error: Error | None) -> str:
    """All that kubectl prints; nothing if there is nothing."""
    if isinstance(error, Several) and len(error.errors) == 1:
        [error] = error.errors
    if isinstance(error, Several):
        return "\n".join(one.listed for one in error.errors)
    return error.alone if error else ""


def without(error: Error | None, reason: Reason) -> Error | None:
    """What is left when one reason is no reason; what travelled as one still does."""
    if isinstance(error, Several):
        left = tuple(kept for one in error.errors if (kept := without(one, reason)))
        return Several(left) if left else None
    return error if error and error.reason is not reason else None


def when(doing: str) -> str:
    return f"error when {doing} {SOURCE}: "


def when_patching(client: Client, manifest: Manifest) -> str:
    return when(f"applying patch:\n…\nto:\n{identified(client, manifest)}\nfor:")


def identified(client: Client, manifest: Manifest) -> str:
    version = manifest.body.api_version
    full = version if group_of(version) else f"/{version}"
    plural = plural_of(client.world, version, manifest.body.kind)
    return (
        f'Resource: "{full}, Resource={plural}", GroupVersionKind: "{full}, Kind={manifest.body.kind}"\n'
        f'Name: "{manifest.key.name}", Namespace: "{manifest.key.namespace}"'
    )


def _invalid(found: re.Match[str]) -> str:
    what = f'The {found["kind"]} "{found["name"]}"' if found["kind"] else "The request"
    causes = found["causes"]
    several = causes.startswith("[") and causes.endswith("]")
    lines = list(dict.fromkeys(_NEXT_CAUSE.split(causes[1:-1]))) if several else [causes]
    if len(lines) == 1:
        return f"{what} is invalid: {lines[0]}"
    return f"{what} is invalid: \n" + "\n".join(f"* {line}" for line in lines)
