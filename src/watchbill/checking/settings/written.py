"""`.watchbill.yaml` as people write it. schema.json is made of these types."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, json

from watchbill.checking.settings.config import FailOn, Severity

Runs = Literal["once", "each-version", "each-upgrade", "on-change"]
Overlap = Literal["never", "locked"]

Text = Annotated[str, Meta(min_length=1)]
Tools = tuple[Annotated[str, Meta(min_length=1, examples=["helm@4", "helm@3.19", "kubectl"])], ...]
Flags = tuple[Annotated[str, Meta(min_length=1, examples=["--atomic", "--timeout=10m"])], ...]


def _one_of(*keys: str) -> Meta:
    """At least one of these keys must stand there."""
    return Meta(extra_json_schema={"anyOf": [{"required": [key]} for key in keys]})


class Written(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A mapping of the file, in which no other keys may stand."""


class Release(Written, frozen=True):
    """How a chart is really installed. It is checked like that."""

    chart: Annotated[Text, Meta(description="Which chart: its path from the folder of this file.")]
    name: Annotated[str, Meta(description="Name of the release.")] = ""
    namespace: Annotated[str, Meta(description="Namespace of the release.")] = ""
    values: Annotated[
        tuple[Text, ...], Meta(description="Values files, from the folder of this file; the last one wins.")
    ] = ()
    tools: Annotated[
        Tools, Meta(description="Tools that deploy it, instead of those of the whole file.")
    ] = ()
    flags: Annotated[
        Flags, Meta(description="Flags it is deployed with, besides those of the whole file.")
    ] = ()


class Contract(Written, frozen=True):
    """What Jobs are for: the words of the annotations `watchbill.dev/runs` and `watchbill.dev/overlap`."""

    job: Annotated[Text, Meta(description="Which Jobs: a name or a pattern.", examples=["*-migrate"])]
    runs: Annotated[Runs | None, Meta(description="When it has to run.")] = None
    overlap: Annotated[
        Overlap | None,
        Meta(description="Whether two of its pods may run at once: never, or it locks itself."),
    ] = None


class Scenario(Written, frozen=True):
    """What happens to your releases, in the words of `watchbill rehearse`."""

    name: Annotated[Text, Meta(description="What findings and tables call it.")]
    moves: Annotated[
        tuple[Annotated[str, Meta(min_length=1, examples=["install", "upgrade next", "wait 1h"])], ...],
        Meta(
            description="What happens, move by move. `upgrade` installs the same version again, `upgrade next` the next."
        ),
    ]


class Ignore(Written, frozen=True):
    """Findings that are known and accepted. All that is said must hold for a finding."""

    reason: Annotated[Text, Meta(description="Why they are accepted, for those who read this later.")]
    rule: Annotated[str, Meta(description="A rule's number or name.", examples=["WB304", "left-behind"])] = ""
    resource: Annotated[
        str, Meta(description="KIND/NAME of the object, or patterns.", examples=["Job/*-smoke"])
    ] = ""
    dependency: Annotated[
        str, Meta(description="The subchart it is in, or a pattern.", examples=["postgresql"])
    ] = ""


class Config(Written, frozen=True):
    """What `watchbill check` should know of how charts are deployed, and of what to report."""

    tools: Annotated[Tools, Meta(description="Tools to check with, where --tool names none.")] = ()
    fail_on: Annotated[
        FailOn | None, Meta(description="The least that gives exit code 1, where --fail-on says nothing.")
    ] = None
    flags: Annotated[
        Flags, Meta(description="Flags in use everywhere. What needs another flag is only a note.")
    ] = ()
    releases: Annotated[tuple[Release, ...], Meta(description="How charts are installed.")] = ()
    contracts: Annotated[
        tuple[Annotated[Contract, _one_of("runs", "overlap")], ...], Meta(description="What Jobs are for.")
    ] = ()
    scenarios: Annotated[
        tuple[Scenario, ...], Meta(description="Scenarios of your own, besides the standard ones.")
    ] = ()
    severities: Annotated[
        dict[str, Severity], Meta(description="How much findings of a rule weigh, by its number or name.")
    ] = {}
    ignores: Annotated[
        tuple[Annotated[Ignore, _one_of("rule", "resource", "dependency")], ...],
        Meta(description="Findings that are accepted."),
    ] = ()
    baseline: Annotated[
        str,
        Meta(
            description="File with findings that were there before, from the folder of this file; "
            "`watchbill check --write-baseline` writes it."
        ),
    ] = ""


def schema() -> dict[str, Any]:
    """Published as schema.json beside this module, and copied by `watchbill init`."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **json.schema(Config)}
    # Half of the world's YAML readers take `off` for a no.
    made["$defs"]["Config"]["properties"]["severities"]["additionalProperties"]["enum"].append(False)
    return made
