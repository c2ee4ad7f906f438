"""Server-side apply and ownership: named cases by hand, and random histories against the field manager."""

import re
from typing import Any

import msgspec
import pytest

from dev.oracle import Oracle, OracleError
from tests.lifecycle.kube.fuzz import cases, histories
from watchbill.lifecycle.kube import typed
from watchbill.lifecycle.kube.apply import (
    LAST_APPLIED,
    Applied,
    Conflict,
    Managers,
    NotTyped,
    apply,
    conflict_words,
    updated,
)

Object = dict[str, Any]


def pod(**spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "n"}, "spec": spec}


def config(**data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "n"},
        "data": data,
    }


def applied(
    live: Object | None, managers: Managers, thing: Object, manager: str = "helm", *, force: bool = False
) -> Applied:
    result = apply(live, managers, thing, manager, force=force)
    assert isinstance(result, Applied), result
    return result


def conflicts(live: Object, managers: Managers, thing: Object, manager: str = "helm") -> tuple[Conflict, ...]:
    result = apply(live, managers, thing, manager, force=False)
    assert isinstance(result, tuple), result
    return result


def owned(managers: Managers) -> dict[str, list[str]]:
    return {
        f"{manager.name} {manager.operation}": [typed.text(path) for path in typed.in_order(manager.fields)]
        for manager in managers
    }


def test_who_applies_owns_what_the_manifest_says_and_not_what_identifies_the_object() -> None:
    first = applied(None, (), pod(restartPolicy="Never", containers=[{"name": "c", "image": "i"}]))
    assert owned(first.managers) == {
        "helm Apply": [
            ".spec.restartPolicy",
            '.spec.containers[name="c"]',
            '.spec.containers[name="c"].image',
            '.spec.containers[name="c"].name',
        ]
    }


def test_defaults_of_the_server_belong_to_nobody_and_stay() -> None:
    manifest = pod(containers=[{"name": "c", "image": "i:1"}])
    live = pod(containers=[{"name": "c", "image": "i:1", "imagePullPolicy": "Always"}])
    first = applied(None, (), manifest)
    again = applied(live, first.managers, pod(containers=[{"name": "c", "image": "i:2"}]))
    assert again.object["spec"]["containers"] == [{"name": "c", "image": "i:2", "imagePullPolicy": "Always"}]


def test_applying_the_same_again_gives_the_live_object_itself() -> None:
    live = pod(containers=[{"name": "c", "image": "i", "imagePullPolicy": "Always"}])
    first = applied(None, (), pod(containers=[{"name": "c", "image": "i"}]))
    again = applied(live, first.managers, pod(containers=[{"name": "c", "image": "i"}]))
    assert again.object is live
    assert again.managers == first.managers


def test_what_is_no_longer_applied_goes_unless_another_owns_it_too() -> None:
    first = applied(None, (), config(a="1", b="1"))
    shared = applied(first.object, first.managers, config(b="1"), "other")
    assert applied(shared.object, shared.managers, config(), "helm").object["data"] == {"b": "1"}


def test_the_last_member_leaves_a_null_behind() -> None:
    first = applied(None, (), config(a="1"))
    without = config()
    del without["data"]
    assert applied(first.object, first.managers, without).object.get("data") is None


def test_an_edit_takes_the_field_and_the_next_apply_conflicts() -> None:
    first = applied(None, (), config(a="1"))
    edited = config(a="2")
    managers = updated(first.object, first.managers, edited, "kubectl-edit")
    assert owned(managers) == {"kubectl-edit Update": [".data.a"]}
    found = conflicts(edited, managers, config(a="1"))
    assert conflict_words(found) == (
        'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a'
    )
    forced = applied(edited, managers, config(a="1"), force=True)
    assert forced.object["data"] == {"a": "1"}
    assert owned(forced.managers) == {"helm Apply": [".data.a"]}


def test_applying_the_value_that_is_there_conflicts_with_nobody() -> None:
    first = applied(None, (), config(a="1"))
    managers = updated(first.object, first.managers, config(a="2"), "kubectl-edit")
    shared = applied(config(a="2"), managers, config(a="2"))
    assert owned(shared.managers) == {"helm Apply": [".data.a"], "kubectl-edit Update": [".data.a"]}


def test_several_conflicts_are_listed_by_manager() -> None:
    first = applied(None, (), config(a="1", b="1", c="1"), "argo")
    managers = updated(first.object, first.managers, config(a="2", b="1", c="1"), "kubectl-edit")
    found = conflicts(config(a="2", b="1", c="1"), managers, config(a="3", b="3", c="3"))
    assert conflict_words(found) == (
        'Apply failed with 3 conflicts: conflicts with "argo":\n- .data.b\n- .data.c\n'
        'conflicts with "kubectl-edit" using v1:\n- .data.a'
    )


def test_the_same_name_is_another_manager_when_it_updates() -> None:
    managers = updated(None, (), config(a="1"), "helm")
    found = conflicts(config(a="1"), managers, config(a="2"), "helm")
    assert [(conflict.manager, conflict.operation) for conflict in found] == [("helm", "Update")]


def test_an_object_whose_owners_nobody_wrote_down_belongs_to_before_first_apply() -> None:
    found = conflicts(config(a="1"), (), config(a="2"))
    assert [conflict.manager for conflict in found] == ["before-first-apply"]
    assert updated(config(a="1"), (), config(a="2"), "kubectl-edit") == ()


def test_a_port_without_protocol_is_the_tcp_port() -> None:
    live = pod(containers=[{"name": "c", "ports": [{"containerPort": 80, "protocol": "TCP"}]}])
    manifest = pod(containers=[{"name": "c", "ports": [{"containerPort": 80, "name": "http"}]}])
    first = applied(None, (), pod(containers=[{"name": "c", "ports": [{"containerPort": 80}]}]))
    result = applied(live, first.managers, manifest)
    [port] = result.object["spec"]["containers"][0]["ports"]
    assert port == {"containerPort": 80, "protocol": "TCP", "name": "http"}


def test_lists_and_selectors_that_are_atomic_are_owned_and_replaced_as_a_whole() -> None:
    first = applied(None, (), pod(nodeSelector={"a": "1"}, containers=[{"name": "c", "args": ["a", "b"]}]))
    assert ".spec.nodeSelector" in owned(first.managers)["helm Apply"]
    changed = pod(nodeSelector={"b": "1"}, containers=[{"name": "c", "args": ["b"]}])
    assert applied(first.object, first.managers, changed).object == changed


def test_items_come_in_the_order_applied_with_the_others_in_between() -> None:
    def names(*letters: str) -> Object:
        return pod(containers=[{"name": letter} for letter in letters])

    first = applied(None, (), names("a", "b"))
    injected = names("a", "injected", "b")
    managers = updated(first.object, first.managers, injected, "webhook")
    result = applied(injected, managers, names("b", "a", "c"))
    assert result.object == names("injected", "b", "a", "c")


def test_nobody_may_apply_duplicates_but_live_ones_are_replaced() -> None:
    twice = pod(containers=[{"name": "c", "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}])
    with pytest.raises(NotTyped) as refusal:
        apply(None, (), twice, "helm", force=False)
    assert refusal.value.words == (
        "failed to create typed patch object (n/x; /v1, Kind=Pod): "
        '.spec.containers[name="c"].env: duplicate entries for key [name="A"]'
    )
    managers = updated(None, (), twice, "helm")
    once = pod(containers=[{"name": "c", "env": [{"name": "A", "value": "3"}]}])
    assert applied(twice, managers, once, force=True).object == once


def test_an_item_without_its_key_is_stored_but_owned_by_nobody_and_never_applied() -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "x"}, "secrets": [{}]}
    assert updated(None, (), account, "helm") == ()
    words = (
        '.secrets: element 0: associative list with keys has an element that omits all key fields ["name"] '
        "(and doesn't have default values for any key fields)"
    )
    with pytest.raises(
        NotTyped, match=re.escape(f"typed patch object (/x; /v1, Kind=ServiceAccount): {words}")
    ):
        apply(None, (), account, "helm", force=False)
    other = {key: value for key, value in account.items() if key != "secrets"}
    with pytest.raises(
        NotTyped, match=re.escape(f"typed live object (/x; /v1, Kind=ServiceAccount): {words}")
    ):
        apply(account, (), other, "helm", force=False)


def test_status_of_built_in_kinds_is_not_owned() -> None:
    manifest = {**pod(restartPolicy="Never"), "status": {"phase": "Failed"}}
    assert owned(applied(None, (), manifest).managers) == {"helm Apply": [".spec.restartPolicy"]}


def test_custom_kinds_take_anything_and_own_lists_as_a_whole() -> None:
    widget = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "spec": {"list": [{"name": "a"}], "deep": {"x": 1}},
    }
    first = applied(None, (), widget)
    assert owned(first.managers) == {"helm Apply": [".spec", ".spec.deep", ".spec.list", ".spec.deep.x"]}


def test_an_empty_selector_was_there_before_the_object_was() -> None:
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "x"}}
    everything = {**policy, "spec": {"podSelector": {}, "policyTypes": ["Egress"]}}
    assert owned(updated(None, (), everything, "helm")) == {"helm Update": [".spec.policyTypes"]}


def test_kubectl_takes_over_what_its_client_side_apply_left() -> None:
    manifest = config(a="1")
    live = config(a="1")
    live["metadata"]["annotations"] = {
        LAST_APPLIED: '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"n"}}\n'
    }
    managers = updated(None, (), live, "kubectl-client-side-apply")
    assert len(conflicts(live, managers, config(a="2"), "helm")) == 1
    taken = applied(live, managers, config(a="2"), "kubectl")
    assert taken.object["data"] == {"a": "2"}
    assert '"a":"2"' in taken.object["metadata"]["annotations"][LAST_APPLIED]
    assert manifest == config(a="1")


@pytest.mark.parametrize(
    "spec",
    [
        {"typo": 1},
        {"activeDeadlineSeconds": "soon"},
        {"hostNetwork": "yes"},
        {"nodeSelector": {"a": 1}},
        {"nodeSelector": "a"},
        {"containers": "c"},
        {"containers": ["c"]},
        {"containers": [None]},
        {"containers": [{"name": "c", "resources": {"limits": {"cpu": []}}}]},
        {
            "containers": [
                {"name": "c", "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]}
            ]
        },
        {"tolerations": [{"key": 1}]},
        {"containers": [{"name": "c", "args": "x", "command": ["a", 1]}, {"name": "d", "image": True}]},
    ],
)
def test_what_does_not_fit_is_refused_in_the_words_of_the_server(oracle: Oracle, spec: Object) -> None:
    history = {"op": "writes", "apiVersion": "v1", "kind": "Pod"}
    write = {"verb": "apply", "manager": "helm", "object": pod(**spec)}
    [answer] = oracle.ask({**history, "writes": [write]})
    with pytest.raises(NotTyped) as refusal:
        apply(None, (), pod(**spec), "helm", force=False)
    # Members come in Go's random order.
    assert sorted(refusal.value.words.split("\n")) == sorted(_elided(answer["error"]).split("\n"))


def _elided(words: str) -> str:
    return re.sub(r"got &.*", "got …", words)


def _path(written: Object, path: typed.Path = ()) -> set[typed.Path]:
    """The paths of a FieldsV1."""
    found: set[typed.Path] = set()
    for key, below in written.items():
        if key == ".":
            found.add(path)
            continue
        here = (*path, _element(key))
        found |= _path(below, here) if below else {here}
    return found


def _element(written: str) -> typed.Element:
    kind, _, rest = written.partition(":")
    if kind == "f":
        return rest
    value = msgspec.json.decode(rest)
    return (value,) if kind == "v" else tuple(sorted(value.items()))


class Model:
    """Plays a history's writes on the model."""

    def __init__(self) -> None:
        self.live: Object | None = None
        self.managers: Managers = ()

    def write(self, write: Object, given: Object) -> Applied | str:
        if write["verb"] == "update":
            return Applied(given, updated(self.live, self.managers, given, write["manager"]))
        try:
            result = apply(self.live, self.managers, given, write["manager"], force=write["force"])
        except NotTyped as refusal:
            return refusal.words
        return result if isinstance(result, Applied) else conflict_words(result)


@pytest.mark.parametrize("seed", range(4))
def test_random_writes_are_merged_and_owned_as_the_field_manager_does(oracle: Oracle, seed: int) -> None:
    questions = [{**history, "op": "writes"} for history in histories(seed, cases(400) // 4)]
    for question, answers in zip(questions, oracle.ask_each(questions), strict=True):
        model = Model()
        for write, answer in zip(question["writes"], answers, strict=True):
            error = answer.get("error", "")
            if error and write["verb"] == "update":
                break  # not a body that the server could have decoded
            result = model.write(write, write["object"])
            if error:
                assert isinstance(result, str), (question, error)
                assert result == error or not error.startswith("Apply failed"), question
                continue
            assert isinstance(result, Applied), (question, result)
            assert result.object == answer["object"], question
            assert {(m.name, m.operation, m.api_version, m.fields) for m in result.managers} == {
                (m["manager"], m["operation"], m["apiVersion"], frozenset(_path(m["fieldsV1"])))
                for m in answer["managers"] or ()
            }, question
            model.live, model.managers = result.object, result.managers


@pytest.mark.parametrize("seed", range(2))
def test_random_writes_end_as_on_a_server_with_structs_and_defaults(oracle: Oracle, seed: int) -> None:
    def stored(question: Object, thing: Object) -> Any:
        kind = {"apiVersion": question["apiVersion"], "kind": question["kind"]}
        return oracle.ask({**kind, "op": "stored", "object": thing})

    for history in histories(100 + seed, cases(200) // 2, custom=False):
        answers = oracle.ask({**history, "op": "stored_writes"})
        model = Model()
        for write, answer in zip(history["writes"], answers, strict=True):
            update = write["verb"] == "update"
            result = model.write(write, stored(history, write["object"]) if update else write["object"])
            if error := answer.get("error", ""):
                assert isinstance(result, str), (history, error)
                assert result == error or not error.startswith("Apply failed"), history
                continue
            assert isinstance(result, Applied), (history, result)
            after = result.object if update else stored(history, result.object)
            assert after == answer["object"], history
            model.live, model.managers = after, result.managers


def test_an_oracle_that_refuses_says_so(oracle: Oracle) -> None:
    with pytest.raises(OracleError, match="no operation"):
        oracle.ask({"op": "nothing"})
