"""Why an operation fails, in a word or two for a table and in a sentence below it; the tool's own words follow."""

from msgspec import Struct

from watchbill.rules.facts import FACTS


class Reason(Struct, frozen=True):
    short: str
    sentence: str
    refused: bool = False  # by the tool itself, whatever the chart


UNKNOWN = Reason("", "")
INVALID = Reason("invalid", "the API server does not take it")
NAMELESS = Reason("no name", "the tool wants a name where there is a generateName")
# What is in the words of tool or server, the more particular first.
REASONS: tuple[tuple[str, Reason], ...] = (
    *((words, Reason("", fact, refused=True)) for words, fact in FACTS),
    (
        "failed to replace object",
        Reason(
            "immutable", "it is replaced as a whole, and what the server added to a Job cannot be taken away"
        ),
    ),
    ("field is immutable", Reason("immutable", "what differs in it cannot be changed in place")),
    ("object is being deleted", Reason("being deleted", "the one before is deleted, and not gone yet")),
    ("already exists", Reason("already exists", "one is there already, and nothing deletes it first")),
    (
        "cannot be imported into the current release",
        Reason(
            "not imported",
            "it is there, but not as a plain object of this release: Helm does not take it over",
        ),
    ),
    ("resource name may not be empty", NAMELESS),
    ("cannot use generate name with apply", NAMELESS),
    ("with the name", Reason("not found", "it is in the cluster, but not in the revision Helm starts from")),
    (
        "has no 0 version",
        Reason("", "the upgrade before it left no revision, so there is none to go back to"),
    ),
    ("timed out waiting", Reason("timeout", "it does not end before Helm gives up")),
    ("context deadline exceeded", Reason("timeout", "it does not end before Helm gives up")),
    (
        "does not contain declared merge key",
        Reason("no patch", "no patch leads from the live object to this one"),
    ),
    *(
        (words, INVALID)
        for words in ("is invalid", "cannot be handled as", "failed to create typed patch object")
    ),
)


def reason(words: str) -> Reason:
    return next((known for part, known in REASONS if part in words), UNKNOWN)
