"""What people paste: the error in it, the names in it, and nothing that is not in it."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.mess import broken_at
from watchbill.rules.errors.catalogue import ERRORS
from watchbill.rules.errors.excerpts import SHORT, excerpt
from watchbill.rules.errors.known import KnownError
from watchbill.rules.errors.names import Names
from watchbill.rules.errors.recognise import recognise
from watchbill.rules.registry import RULES

HERE = Path(__file__).parent
PASTED = yaml.safe_load((HERE / "pasted.yaml").read_text())
STRANGERS = yaml.safe_load((HERE / "strangers.yaml").read_text())
IMMUTABLE = 'cannot patch "{}" with kind Job: Job.batch "{}" is invalid: spec.template: Invalid value: {}: field is immutable'


@pytest.mark.parametrize("case", PASTED, ids=lambda case: case["why"])
def test_what_is_pasted_is_recognised(case: dict[str, Any]) -> None:
    told = recognise(case["text"])
    assert [one.error for one in told] == [expected["error"] for expected in case["found"]]
    for one, expected in zip(told, case["found"], strict=True):
        for field, value in expected.items():
            given = getattr(one, field)
            assert (list(given) if isinstance(given, tuple) else given) == value, field


@pytest.fixture(scope="module")
def noise() -> str:
    """A log that is too long to be read in whole, of words that errors are made of."""
    words = "failed errors error job hook upgrade release timed out waiting ready not found invalid status:".split()
    lines = (f"2026-03-01T10:00:00Z {' '.join(words[n % 7 : n % 7 + 9])} {n}" for n in range(SHORT // 70))
    return "\n".join(lines)


@pytest.mark.parametrize("case", PASTED, ids=lambda case: case["why"])
def test_it_is_recognised_anywhere_in_a_long_log(case: dict[str, Any], noise: str) -> None:
    expected = recognise(case["text"])
    assert recognise(f"{noise}\n{case['text']}") == expected
    assert recognise(f"{noise}\n{case['text']}\n{noise}") == expected


def test_it_is_recognised_in_a_line_without_end(noise: str) -> None:
    words = noise.replace("\n", " ")
    [told] = recognise(f"{words} Error: UPGRADE FAILED: {IMMUTABLE.format('a', 'a', '{}')} {words}")
    assert (told.error, told.objects) == ("immutable-job", ("a",))


def test_a_log_full_of_errors_is_shortened_too(noise: str) -> None:
    errors = "\n".join(case["text"] for case in PASTED)
    assert len(excerpt("\n".join([errors, noise] * 9))) <= SHORT


@pytest.mark.parametrize("case", STRANGERS, ids=lambda case: case["text"][:60])
def test_what_is_not_ours_gets_no_rule(case: dict[str, Any]) -> None:
    told = recognise(case["text"])
    assert [one.error for one in told] == ([case["error"]] if "error" in case else [])
    assert not any(one.rule or one.ways for one in told)


@settings(max_examples=200)
@given(st.text(max_size=400))
def test_any_text_may_be_pasted(text: str) -> None:
    assert isinstance(recognise(text), list)


@settings(max_examples=200)
@given(st.data())
def test_it_may_be_broken_anywhere(data: st.DataObject) -> None:
    """In words and names too, with or without blanks at the ends of lines, with or without an indent."""
    error = (
        f"Error: UPGRADE FAILED: {IMMUTABLE.format('shop-migrate', 'shop-migrate', 'core.PodTemplateSpec{}')}"
    )
    places = data.draw(st.sets(st.integers(1, len(error) - 1), max_size=12))
    indent = data.draw(st.sampled_from(["", "  ", "\t", "2026-01-01T00:00:00Z "]))
    pieces = [
        error[start:end] for start, end in zip([0, *sorted(places)], [*sorted(places), None], strict=True)
    ]
    text = f"\n{indent}".join(piece.rstrip() if data.draw(st.booleans()) else piece for piece in pieces)
    [told] = recognise(text)
    assert (told.error, told.objects) == ("immutable-job", ("shop-migrate",))


def test_nothing_but_names_is_told_again() -> None:
    secret = "hunter2"
    dump = f'core.PodTemplateSpec{{Env: PASSWORD={secret} "{secret}"}}'
    text = f"TOKEN={secret}\nError: UPGRADE FAILED: {IMMUTABLE.format('a', 'a', dump)}\n{secret}"
    [told] = recognise(text)
    assert secret not in str(told)


@pytest.mark.parametrize("name", ["x; rm -rf ~", "$(id)", "`id`", "a b", "--all", "A", "x'y", ""])
def test_what_is_no_name_does_not_get_into_a_command(name: str) -> None:
    [told] = recognise(f"Error: UPGRADE FAILED: {IMMUTABLE.format(name, name, '{}')}")
    assert told.objects == ()
    assert told.ways[0].commands[0] == "kubectl delete job NAME -n NAMESPACE"


@pytest.mark.parametrize("columns", range(20, 90))
def test_half_a_name_is_no_name(columns: int) -> None:
    text = (
        "helm upgrade --install shop-of-the-north ./charts/shop --timeout 10m -n production\n"
        "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress"
    )
    [told] = recognise(broken_at(columns)(text))
    assert told.release in ("", "shop-of-the-north")
    assert told.namespace in ("", "production")


def test_names_the_user_gives_win() -> None:
    [told] = recognise(
        'Error: UPGRADE FAILED: "shop" has no deployed releases', Names(release="web", namespace="front")
    )
    assert told.ways[0].commands == (
        "helm list --all -n front",
        "helm upgrade --install web CHART -n front",
    )


@pytest.mark.parametrize("kind", ["CustomResourceDefinition", "PersistentVolumeClaim"])
def test_nobody_is_told_to_delete_what_holds_data(kind: str) -> None:
    group = ".apiextensions.k8s.io" if kind.startswith("Custom") else ""
    [told] = recognise(
        f'Error: UPGRADE FAILED: cannot patch "x" with kind {kind}: {kind}{group} "x" is invalid: '
        'spec.scope: Invalid value: "Cluster": field is immutable'
    )
    assert told.ways
    assert not any("kubectl delete" in command for way in told.ways for command in way.commands)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.id)
def test_a_known_error_names_rules_that_exist(error: KnownError) -> None:
    assert {*filter(None, [error.rule]), *error.see} <= {rule.id for rule in RULES}


def test_every_command_can_be_typed() -> None:
    for case in PASTED:
        for told in recognise(case["text"]):
            for way in told.ways:
                assert way.costs
                for command in way.commands:
                    assert shlex.split(command)[0] in ("helm", "kubectl", "argocd", "flux"), command
                    assert "{" not in command.replace('{"metadata":{"finalizers":null}}', ""), command
