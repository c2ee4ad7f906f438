"""What patches make of live objects: named cases by hand, and random ones against the Go libraries."""

import re
from random import Random
from typing import Any

import pytest

from dev.oracle import Oracle, OracleError
from tests.lifecycle.kube.fuzz import CUSTOM, cases, relatives
from watchbill.lifecycle.kube import merge
from watchbill.lifecycle.kube.gosort import go_sorted
from watchbill.lifecycle.kube.merge import Unpatchable

Object = dict[str, Any]


def pod(**spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec}


def patched(original: Object, modified: Object, current: Object) -> Object:
    return merge.strategic(current["apiVersion"], current["kind"], original, modified, current)


def named(*names: str) -> list[Object]:
    return [{"name": name} for name in names]


def names(result: Object, field: str = "containers") -> list[str]:
    return [item["name"] for item in result["spec"][field]]


def test_what_the_server_filled_in_stays() -> None:
    before = pod(containers=[{"name": "c", "image": "i:1"}])
    after = pod(containers=[{"name": "c", "image": "i:2"}])
    live = pod(
        containers=[{"name": "c", "image": "i:1", "imagePullPolicy": "Always"}], dnsPolicy="ClusterFirst"
    )
    result = patched(before, after, live)
    assert result["spec"]["containers"] == [{"name": "c", "image": "i:2", "imagePullPolicy": "Always"}]
    assert result["spec"]["dnsPolicy"] == "ClusterFirst"


def test_nothing_to_send_gives_the_live_object_itself() -> None:
    manifest = pod(containers=[{"name": "c", "image": "i"}])
    live = pod(containers=[{"name": "c", "image": "i", "imagePullPolicy": "Always"}], restartPolicy="Always")
    assert patched(manifest, pod(containers=[{"name": "c", "image": "i"}]), live) is live


def test_a_field_dropped_from_the_manifest_goes() -> None:
    live = pod(restartPolicy="Never", hostNetwork=True)
    result = patched(pod(restartPolicy="Never", hostNetwork=True), pod(restartPolicy="Never"), live)
    assert result == pod(restartPolicy="Never")


def test_a_manual_edit_is_undone_where_the_manifest_speaks_and_kept_where_it_is_silent() -> None:
    manifest = pod(restartPolicy="Never")
    result = patched(manifest, manifest, pod(restartPolicy="Always", hostNetwork=True))
    assert result == pod(restartPolicy="Never", hostNetwork=True)


def test_items_that_only_the_server_has_keep_their_place() -> None:
    live = pod(containers=named("a", "injected", "b"))
    result = patched(pod(containers=named("a", "b")), pod(containers=named("a", "b", "c")), live)
    assert names(result) == ["a", "injected", "b", "c"]


def test_the_manifest_decides_the_order_of_what_it_lists() -> None:
    live = pod(containers=named("a", "b", "c"))
    assert names(patched(live, pod(containers=named("c", "a", "b")), live)) == ["c", "a", "b"]


def test_an_item_added_where_another_was_deleted_counts_as_old_for_the_order() -> None:
    # The library appends into the memory that the deletion freed, and orders by what it finds there.
    live = pod(containers=named("a", "b", "injected"))
    replaced = patched(pod(containers=named("a", "b")), pod(containers=named("b", "new")), live)
    assert names(replaced) == ["b", "injected", "new"]
    added = patched(pod(containers=named("a", "b")), pod(containers=named("a", "b", "new")), live)
    assert names(added) == ["a", "b", "new", "injected"]


def test_duplicate_environment_variables_are_paired_backwards() -> None:
    first, second = {"name": "A", "value": "1"}, {"name": "A", "value": "2"}
    manifest = pod(containers=[{"name": "c", "env": [first, second]}])
    assert patched(manifest, manifest, manifest) is manifest
    changed = pod(containers=[{"name": "c", "env": [first, {"name": "A", "value": "3"}]}])
    # Only the first of two equal keys is ever found when the patch is applied.
    assert patched(manifest, changed, manifest)["spec"]["containers"][0]["env"] == [
        {"name": "A", "value": "3"},
        second,
    ]


def test_ports_with_one_number_and_two_protocols_are_one_port_to_a_patch() -> None:
    ports = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    service: Object = {"apiVersion": "v1", "kind": "Service", "spec": {"ports": ports}}
    renamed: Object = {**service, "spec": {"ports": [{**ports[0], "name": "dns"}, ports[1]]}}
    result = patched(service, renamed, service)
    assert result["spec"]["ports"] == [{"port": 53, "protocol": "UDP", "name": "dns"}, ports[1]]


def test_a_volume_changes_its_kind() -> None:
    before = pod(volumes=[{"name": "v", "emptyDir": {}}])
    after = pod(volumes=[{"name": "v", "configMap": {"name": "x"}}])
    live = pod(volumes=[{"name": "v", "emptyDir": {"medium": ""}}])
    assert patched(before, after, live)["spec"]["volumes"] == [{"name": "v", "configMap": {"name": "x"}}]


def test_a_deployment_strategy_loses_what_the_server_added() -> None:
    def deployment(**strategy: Any) -> Object:
        return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"strategy": strategy}}

    live = deployment(type="RollingUpdate", rollingUpdate={"maxSurge": "25%"})
    manifest = deployment(type="Recreate")
    assert patched(deployment(type="RollingUpdate"), manifest, live) == manifest


def test_a_selector_that_is_always_replaced_is_always_sent() -> None:
    budget: Object = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "spec": {"selector": {"matchLabels": {"a": "b"}}},
    }
    result = patched(budget, budget, budget)
    assert result == budget
    assert result is not budget


def test_lists_without_a_merge_key_are_replaced() -> None:
    live = pod(containers=[{"name": "c", "args": ["a", "b"]}])
    result = patched(live, pod(containers=[{"name": "c", "args": ["b"]}]), live)
    assert result["spec"]["containers"][0]["args"] == ["b"]


def test_finalizers_merge_by_value() -> None:
    def finalized(*finalizers: str) -> Object:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"finalizers": list(finalizers)}}

    result = patched(finalized("a", "b"), finalized("b", "c"), finalized("a", "b", "server"))
    assert result["metadata"]["finalizers"] == ["b", "c", "server"]


def test_null_in_a_manifest_deletes() -> None:
    live = pod(restartPolicy="Never", hostNetwork=True)
    assert patched(pod(), pod(hostNetwork=None), live) == pod(restartPolicy="Never")


def test_one_and_true_are_not_equal() -> None:
    def config(value: Any) -> Object:
        return {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": value}}

    assert patched(config(1), config(True), config(1))["data"]["a"] is True
    assert merge.json_two_way(config(1), config(True), config(1))["data"]["a"] is True


def test_an_item_without_its_key_cannot_be_patched() -> None:
    live = pod(containers=[{"name": "c", "env": [{"name": "A"}]}])
    with pytest.raises(Unpatchable) as refusal:
        patched(live, pod(containers=[{"name": "c", "env": [{"value": "1"}]}]), live)
    assert refusal.value.words == "map: … does not contain declared merge key: name"


def test_an_unknown_map_that_changes_cannot_be_patched() -> None:
    with pytest.raises(Unpatchable) as refusal:
        patched(pod(typo={"a": 1}), pod(typo={"a": 2}), pod())
    assert refusal.value.words == 'unable to find api field in struct PodSpec for the json field "typo"'


def test_json_patches_replace_lists_and_delete_what_is_gone() -> None:
    before, after = {"spec": {"list": [1, 2], "gone": 1}}, {"spec": {"list": [2]}}
    live = {"spec": {"list": [1, 2, 3], "gone": 1, "status": "x"}}
    expected = {"spec": {"list": [2], "status": "x"}}
    assert merge.json_three_way(before, after, live) == expected
    assert merge.json_two_way(before, after, live) == expected


def test_a_two_way_patch_does_not_see_manual_edits() -> None:
    manifest, live = {"spec": {"a": 1}}, {"spec": {"a": 2}}
    assert merge.json_two_way(manifest, {"spec": {"a": 1}}, live) is live
    assert merge.json_three_way(manifest, {"spec": {"a": 1}}, live) == manifest


def test_a_number_is_equal_to_itself_with_a_fraction_in_json_patches() -> None:
    live = {"spec": {"a": 1.0}}
    assert merge.json_three_way({}, {"spec": {"a": 1}}, live) is live


def _model(question: Object) -> Object | str:
    objects = (question["original"], question["modified"], question["current"])
    try:
        if question["op"] == "strategic":
            return merge.strategic(question["apiVersion"], question["kind"], *objects)
        operation = merge.json_three_way if question["op"] == "json_three_way" else merge.json_two_way
        return operation(*objects)
    except Unpatchable as refusal:
        return refusal.words


@pytest.mark.parametrize("seed", range(4))
def test_random_objects_are_patched_as_the_libraries_do(oracle: Oracle, seed: int) -> None:
    questions = [
        {
            "op": operation,
            "apiVersion": api_version,
            "kind": kind,
            "original": original,
            "modified": modified,
            "current": current,
        }
        for api_version, kind, (original, modified, current) in relatives(seed, cases(600) // 4)
        for operation in ("strategic", "json_three_way", "json_two_way")
        if operation != "strategic" or (api_version, kind) != CUSTOM
    ]
    for question, answer in zip(questions, oracle.ask_each(questions), strict=True):
        if isinstance(answer, OracleError) and "panic" in str(answer):
            continue  # a list or map as a merge key: the client crashes
        found = _model(question)
        if isinstance(answer, OracleError):
            # Of several things that are wrong Go reports any one.
            assert isinstance(found, str), question
        else:
            assert found == answer["object"], question
            assert (found is question["current"]) == answer["empty"], question


def test_an_error_has_the_words_of_the_library(oracle: Oracle) -> None:
    live = pod(containers=[{"name": "c", "env": [{"name": "A"}]}])
    for modified in (
        pod(containers=[{"name": "c", "env": [{"value": "1"}]}]),
        pod(containers=["c"]),
        pod(containers=[["c"]]),
        pod(nodeSelector={"a": {"b": "c"}}),
    ):
        current = {**live, "spec": {**live["spec"], "nodeSelector": {"a": {"b": "d"}}}}
        question: Object = {"original": live, "modified": modified, "current": current}
        question |= {"op": "strategic", "apiVersion": "v1", "kind": "Pod"}
        with pytest.raises(OracleError) as refusal:
            oracle.ask(question)
        words = _model(question)
        assert isinstance(words, str)
        pattern = re.escape(f"create: {words}").replace("…", ".*")
        assert re.fullmatch(pattern, str(refusal.value), re.DOTALL), (words, refusal.value)


def test_duplicates_are_sorted_as_go_sorts_them(oracle: Oracle) -> None:
    rng = Random(1)
    lists = []
    for _ in range(cases(300)):
        keys = rng.choice((2, 5, 20, 200))
        items = [
            [f"{rng.randrange(keys):03}", str(n)] for n in range(rng.randrange(rng.choice((20, 60, 200))))
        ]
        if rng.random() < 0.5:
            items.sort(key=lambda item: item[0], reverse=rng.random() < 0.3)
        lists.append(items)
    answers = oracle.ask_each({"op": "sort", "items": items} for items in lists)
    for items, answer in zip(lists, answers, strict=True):
        assert go_sorted([(key, n) for key, n in items]) == [(key, n) for key, n in answer]
