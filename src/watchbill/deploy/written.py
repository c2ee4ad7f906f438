"""A bill as people write it. docs/schemas/bill.json is made of these types."""

from typing import Annotated, Any

from msgspec import Meta, Struct, json

Text = Annotated[str, Meta(min_length=1)]
Texts = tuple[Text, ...]
VersionText = Annotated[str, Meta(min_length=1, examples=["2.6.0", "2.6.0-rc.1"])]
Duration = Annotated[str, Meta(min_length=1, examples=["90s", "5m", "1h30m"])]

VALUES = Meta(
    description="Values files, from the folder of this file; the last one wins.",
    examples=[["values/prod.yaml"]],
)
SET = Meta(
    description="Values as --set of helm takes them. Not for secrets: they are arguments of a process.",
    examples=[["replicas=3"]],
)
SET_STRING = Meta(description="The same, as --set-string: always texts.", examples=[["account=0042"]])


class Written(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A mapping of the file, in which no other keys may stand."""


class Component(Written, frozen=True):
    """One release of a chart."""

    name: Annotated[Text, Meta(description="The name that jobs, --only and reports call it by.")]
    chart: Annotated[
        Text,
        Meta(
            description="The chart: a folder or .tgz, as a path from the folder of this file, or oci://..., https://... or REPOSITORY/CHART.",
            examples=["charts/logging", "oci://registry.example.org/charts/logging"],
        ),
    ]
    version: Annotated[
        str, Meta(description="Which version of a chart that comes from a repository or registry.")
    ] = ""
    release: Annotated[
        str, Meta(description="Name of the release; the component's name where nothing is said.")
    ] = ""
    namespace: Annotated[str, Meta(description="Namespace of the release, instead of defaultNamespace.")] = ""
    needs: Annotated[
        Texts,
        Meta(
            description="Components that must be done before this one begins. Others run at the same time.",
            examples=[["database", "queue"]],
        ),
    ] = ()
    values: Annotated[Texts, VALUES] = ()
    set: Annotated[Texts, SET] = ()
    set_string: Annotated[Texts, SET_STRING] = ()
    timeout: Annotated[Duration, Meta(description="How long helm may take for it.")] = "5m"
    wait: Annotated[bool, Meta(description="Whether helm waits until what it made is ready.")] = True
    wait_for_jobs: Annotated[bool, Meta(description="Whether it also waits until Jobs are complete.")] = False
    atomic: Annotated[bool, Meta(description="Whether helm takes back an upgrade that failed.")] = False
    cleanup_on_fail: Annotated[
        bool, Meta(description="Whether helm deletes what an upgrade that failed had created.")
    ] = False
    history_max: Annotated[int, Meta(ge=0, description="How many revisions helm keeps; 0: all.")] = 10
    skip_crds: Annotated[bool, Meta(description="Whether the chart's crds/ is left alone.")] = False


class Overlay(Written, frozen=True):
    """Values on top of those of one component."""

    values: Annotated[Texts, VALUES] = ()
    set: Annotated[Texts, SET] = ()
    set_string: Annotated[Texts, SET_STRING] = ()


class Profile(Overlay, frozen=True):
    """Values on top of those of the components, where --profile names it."""

    components: Annotated[
        dict[str, Overlay], Meta(description="The same for single components, by their names.")
    ] = {}


class Environment(Profile, frozen=True):
    """Values of one place where the product is deployed, on top of those of components and profile, where --environment
    names it."""

    context: Annotated[
        str,
        Meta(
            description="The context of the kubeconfig that it is deployed to. Any other is refused.",
            examples=["production-eu"],
        ),
    ] = ""


class Bill(Written, frozen=True):
    """One version of a product: what `watchbill deploy` installs, and what it may be upgraded from."""

    product: Annotated[
        Text, Meta(description="The product's name; the cluster stores the deploy record under it.")
    ]
    version: Annotated[VersionText, Meta(description="The version this file installs, like 2.6.0.")]
    default_namespace: Annotated[
        Text,
        Meta(
            description="The namespace of components that name none; the record of the product is kept there."
        ),
    ]
    upgrades_from: Annotated[
        VersionText | tuple[VersionText, ...],
        Meta(description="The versions that may be upgraded to this one. None: it is the first one."),
    ] = ()
    workers: Annotated[int, Meta(ge=1, description="How many components are deployed at once.")] = 4
    timeout: Annotated[
        Duration | None, Meta(description="How long all of it may take; without end where nothing is said.")
    ] = None
    grace: Annotated[
        Duration, Meta(description="How long jobs and helm have to stop once they are told to.")
    ] = "30s"
    crds: Annotated[
        Texts,
        Meta(description="Files or folders of CustomResourceDefinitions, which come before everything."),
    ] = ()
    jobs: Annotated[
        Texts,
        Meta(
            description="Modules of jobs: .py files, folders or patterns, from the folder of this file, or names of modules.",
            examples=[["jobs/*.py"], ["ourproduct.jobs"]],
        ),
    ] = ()
    prerequisites: Annotated[
        tuple[Component, ...],
        Meta(
            description="Components that come first: each needs the one before it, and all components need all of them."
        ),
    ] = ()
    components: Annotated[
        tuple[Component, ...],
        Meta(description="What is deployed: as many at once as there are workers, each after what it needs."),
    ] = ()
    profiles: Annotated[
        dict[str, Profile], Meta(description="Sets of values by name, one of which --profile takes.")
    ] = {}
    environments: Annotated[
        dict[str, Environment],
        Meta(description="Places where the product is deployed, one of which --environment must name."),
    ] = {}


def schema() -> dict[str, Any]:
    """Published as docs/schemas/bill.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **json.schema(Bill)}
