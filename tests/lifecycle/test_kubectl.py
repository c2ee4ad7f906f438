"""kubectl in the model: what the tapes do not show, because it is inside the objects. Outcomes and words are on tapes."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from watchbill.lifecycle.kube.apply import LAST_APPLIED
from watchbill.lifecycle.kubectl.selector import BadSelector, fits, parse
from watchbill.lifecycle.kubectl.words import Problem, Several, gathered, refused, told, without
from watchbill.lifecycle.lab import Lab, ReleaseName, Tool
from watchbill.lifecycle.moves import number
from watchbill.lifecycle.moves import parse as parse_move
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.server import Cluster, Reason, Refused
from watchbill.lifecycle.world import Hook, Live, Manifest, Rendered, World

Object = dict[str, Any]


class Fixed:
    """Versions as they are; remembers how it was asked for them."""

    def __init__(self, versions: Sequence[Rendered]) -> None:
        self._versions = versions
        self.asked: list[tuple[bool, int, World]] = []

    def __len__(self) -> int:
        return len(self._versions)

    def render(
        self,
        version: int,
        release: ReleaseName,  # noqa: ARG002 - there is only one
        *,
        upgrade: bool,
        revision: int,
        world: World,
    ) -> Rendered:
        self.asked.append((upgrade, revision, world))
        return self._versions[version]


def manifest(kind: str, name: str, group: str = "", **content: Any) -> Manifest:
    api_version = {"": "v1", "batch": "batch/v1", "apps": "apps/v1"}.get(group, f"{group}/v1")
    metadata = {"name": name, "namespace": "ns", **content.pop("metadata", {})}
    body = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
    return Manifest(Key(group, kind, "ns", name), Body.of(body))


def config(name: str = "settings", **data: str) -> Manifest:
    return manifest("ConfigMap", name, data=data)


def job(name: str, image: str = "example.com/tool:1") -> Manifest:
    container = {"name": "main", "image": image}
    pod = {"restartPolicy": "Never", "containers": [container]}
    return manifest("Job", name, "batch", spec={"template": {"spec": pod}})


def rendered(*manifests: Manifest) -> Rendered:
    return Rendered(manifests=manifests)


def played(versions: Sequence[Rendered], *moves: str) -> tuple[list[Played], Fixed]:
    fixed = Fixed(versions)
    known = frozenset(found.key for version in versions for found in version.everything())
    lab = Lab(Tool("kubectl", "1.37.1"), fixed, Cluster(rendered=known), namespace="ns")
    world, result = World(), []
    for move in number([parse_move(move, "kubectl") for move in moves], len(versions)):
        result.append(play(world, move, lab))
        world = result[-1].world
    return result, fixed


def live(versions: Sequence[Rendered], *moves: str) -> Live:
    """The ConfigMap all is about, at the end; nothing may have failed."""
    result, _ = played(versions, *moves)
    assert [one.error for one in result] == [""] * len(moves)
    return result[-1].world.objects[Key("", "ConfigMap", "ns", "settings")]


def data(*args: Any) -> Mapping[str, str]:
    found: Mapping[str, str] = live(*args).body.object["data"]
    return found


def managers(found: Live) -> list[tuple[str, str]]:
    return [(manager.name, manager.operation) for manager in found.managers]


# ---- what is applied


def test_every_apply_is_an_install_into_an_empty_cluster() -> None:
    _, fixed = played([rendered(config(text="one"))], "apply", "apply", "delete")
    assert fixed.asked == [(False, 1, World())] * 3


def test_hooks_come_last_and_definitions_of_the_folder_not_at_all() -> None:
    hook = Hook("Job", "early", "", ("pre-install",), -5, (), (job("early"),))
    definition = manifest("CustomResourceDefinition", "gadgets", "apiextensions.k8s.io")
    version = Rendered(manifests=(config(text="one"), job("plain")), hooks=(hook,), crds=(definition,))
    [first], _ = played([version], "apply")
    assert [str(step) for step in first.steps] == [
        "create ConfigMap/ns/settings",
        "create Job/ns/plain",
        "create Job/ns/early",
    ]


# ---- client-side


def test_what_was_applied_stands_in_an_annotation_as_kubectl_writes_it() -> None:
    # Taken from a real object.
    written = (
        '{"apiVersion":"v1","data":{"text":"\\u003ca \\u0026 b\\u003e"},"kind":"ConfigMap",'
        '"metadata":{"annotations":{},"name":"settings","namespace":"ns"}}\n'
    )
    found = live([rendered(config(text="<a & b>"))], "apply")
    assert found.body.annotations == {LAST_APPLIED: written}
    assert managers(found) == [("kubectl-client-side-apply", "Update")]


def test_a_field_goes_only_if_it_was_applied_before() -> None:
    versions = [rendered(config(text="one", more="one")), rendered(config(text="two"))]
    assert data(versions, "apply", "edit ConfigMap/settings data.mine=mine", "apply") == {
        "text": "two",
        "mine": "mine",
    }


def test_without_the_annotation_nothing_goes() -> None:
    escaped = LAST_APPLIED.replace(".", r"\\.")
    forget = f"edit ConfigMap/settings metadata.annotations.{escaped}=null"
    versions = [rendered(config(text="one", more="one")), rendered(config(text="two"))]
    assert data(versions, "apply", forget, "apply") == {"text": "two", "more": "one"}


def test_custom_kinds_are_merged_as_json() -> None:
    def gadget(**spec: Any) -> Rendered:
        return rendered(manifest("Gadget", "one", "example.com", spec=spec))

    result, _ = played([gadget(parts=["a", "b"], size=1), gadget(parts=["c"])], "apply", "apply")
    found = result[-1].world.objects[Key("example.com", "Gadget", "ns", "one")]
    assert found.body.object["spec"] == {"parts": ["c"]}


def test_a_forced_job_is_a_new_one() -> None:
    result, _ = played(
        [rendered(job("migrate")), rendered(job("migrate", "example.com/tool:2"))], "apply", "apply --force"
    )
    assert [step.why for step in result[-1].steps] == ["", "--force", "--force"]
    assert [key.name for key in result[-1].ran] == ["migrate"]


# ---- server-side


def test_server_side_apply_leaves_no_annotation() -> None:
    found = live([rendered(config(text="one"))], "apply --server-side")
    assert not found.body.annotations
    assert managers(found) == [("kubectl", "Apply")]


def test_server_side_apply_takes_over_from_client_side_apply() -> None:
    versions = [rendered(config(text="one", more="one")), rendered(config(text="two"))]
    found = live(versions, "apply", "apply --server-side")
    assert managers(found) == [("kubectl", "Apply"), ("kubectl-last-applied", "Apply")]
    assert found.body.object["data"] == {"text": "two"}
    assert '"two"' in found.body.annotations[LAST_APPLIED]


def test_client_side_apply_goes_on_where_server_side_apply_left() -> None:
    """The server keeps the annotation up to date, once it is there."""
    versions = [
        rendered(config(text="one")),
        rendered(config(text="one", more="one")),
        rendered(config(text="one")),
    ]
    assert data(versions, "apply", "apply --server-side", "apply") == {"text": "one"}


# ---- selectors


@pytest.mark.parametrize(
    ("selector", "labels", "expected"),
    [
        ("", {}, True),
        ("app=web", {"app": "web"}, True),
        ("app==web", {"app": "web"}, True),
        ("app=web", {"app": "db"}, False),
        ("app=web", {}, False),
        ("app=", {"app": ""}, True),
        ("app!=web", {}, True),
        ("app!=web", {"app": "web"}, False),
        ("app", {"app": ""}, True),
        ("!app", {"app": ""}, False),
        ("! app", {}, True),
        ("app in (web, db)", {"app": "db"}, True),
        ("app notin (web,db)", {"app": "db"}, False),
        ("app notin (web,db)", {}, True),
        (
            "app.kubernetes.io/name=web,tier in (back),!old",
            {"app.kubernetes.io/name": "web", "tier": "back"},
            True,
        ),
        ("app=web, tier=back", {"app": "web"}, False),
        ("in", {"in": "x"}, True),
    ],
)
def test_selectors_choose_by_labels(selector: str, labels: Mapping[str, str], expected: bool) -> None:
    assert fits(parse(selector), labels) is expected


@pytest.mark.parametrize(
    ("selector", "found", "expected"),
    [("a=b=c", "=", "',' or 'end of string'"), ("=a", "=", "!, identifier, or 'end of string'")],
)
def test_a_bad_selector_is_told_in_kubectls_words(selector: str, found: str, expected: str) -> None:
    with pytest.raises(BadSelector) as error:
        parse(selector)
    assert str(error.value) == (
        f"the provided selector \"{selector}\" is not valid: found '{found}', expected: {expected}"
    )


# ---- words


def invalid(causes: str) -> Problem:
    return refused(Refused(Reason.INVALID, f'Job.batch "a" is invalid: {causes}'), "error when creating: ")


def test_an_error_alone_says_more_than_one_of_several() -> None:
    own, of_server = Problem("no name"), invalid("spec.x: Forbidden: no")
    assert told(None) == ""
    assert told(own) == "error: no name"
    assert told(of_server) == 'The Job "a" is invalid: spec.x: Forbidden: no'
    assert told(gathered([own, of_server])) == (
        "no name\n"
        'Error from server (Invalid): error when creating: Job.batch "a" is invalid: spec.x: Forbidden: no'
    )


def test_each_cause_has_its_line() -> None:
    causes = "[spec.a: Required value: one, two, spec.b[0]: Invalid value: …: is immutable, spec.a: Required value: one, two]"
    assert told(invalid(causes)) == (
        'The Job "a" is invalid: \n* spec.a: Required value: one, two\n* spec.b[0]: Invalid value: …: is immutable'
    )


def test_what_cannot_be_read_is_one_error_among_others() -> None:
    unread = Several((Problem("a"), Problem("b"), Problem("a")))
    assert told(unread) == "a\nb\na"
    assert told(gathered([unread, Problem("c")])) == "[a, b]\nc"


def test_an_error_that_lost_its_company_still_travels_as_one_of_several() -> None:
    missing = refused(Refused(Reason.NOT_FOUND, 'jobs.batch "a" not found'))
    unread = Several((Problem("a"),))
    assert told(unread) == "error: a"
    assert told(without(gathered([missing, unread]), Reason.NOT_FOUND)) == "a"
    assert without(gathered([missing, missing]), Reason.NOT_FOUND) is None
