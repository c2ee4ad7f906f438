"""Which fields two renderings of one chart differ in."""

from typing import Any

from watchbill.charts.effects import effect
from watchbill.charts.protocol import Context
from watchbill.charts.render import Document, Rendering


def rendering(*objects: dict[str, Any]) -> Rendering:
    documents = [
        Document("c/templates/a.yaml", "", thing, "manifest", index) for index, thing in enumerate(objects)
    ]
    return Rendering.of(Context(), documents)


def job(name: str = "j", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def fields(before: Rendering, after: Rendering) -> set[tuple[str | int, ...]]:
    return {field[3:] for field in effect(before, after)}


def test_nothing_differs() -> None:
    assert effect(rendering(job(a=1)), rendering(job(a=1))) == frozenset()


def test_a_field_is_named_by_its_path() -> None:
    assert fields(rendering(job(a={"b": 1, "c": 2})), rendering(job(a={"b": 1, "c": 3}))) == {
        ("spec", "a", "c")
    }


def test_items_of_a_list_count_as_one_field() -> None:
    before, after = job(env=[{"value": 1}, {"value": 2}]), job(env=[{"value": 1}, {"value": 3}])
    other = job(env=[{"value": 4}, {"value": 2}])
    assert effect(rendering(before), rendering(after)) == effect(rendering(before), rendering(other))


def test_a_list_of_another_length_differs_as_a_whole() -> None:
    assert fields(rendering(job(args=["a"])), rendering(job(args=["a", "b"]))) == {("spec", "args")}


def test_which_label_differs_does_not_matter() -> None:
    before, after = {"labels": {"a": "1", "b": "1"}}, {"labels": {"a": "1", "b": "2"}}
    assert fields(rendering(job(template=before)), rendering(job(template=after))) == {
        ("spec", "template", "labels")
    }


def test_a_name_is_a_field_of_the_same_object() -> None:
    assert fields(rendering(job("one")), rendering(job("two"))) == {("metadata", "name")}


def test_an_object_that_is_gone_differs_as_a_whole() -> None:
    assert fields(rendering(job(), job()), rendering(job())) == {()}
