"""Config files: YAML of any shape, read by the engine."""

import pytest

from watchbill.charts.engine import Engine
from watchbill.charts.plain import lines, read
from watchbill.errors import UserError


@pytest.mark.parametrize(
    ("text", "content", "line"),
    [
        ("", None, 1),
        ("# nothing yet\n", None, 1),
        ("a: 1\n", {"a": 1}, 1),
        ("# of the team\n---\na: 1\n---\n# the end\n", {"a": 1}, 3),
        ("kind: [1]\nmetadata: x\n", {"kind": [1], "metadata": "x"}, 1),
        ("- a\n", ["a"], 1),
        ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}, 1),
        ("x: &x {a: 1}\nz: {<<: *x, a: 2}\n", {"x": {"a": 1}, "z": {"a": 2}}, 1),
    ],
)
def test_what_a_file_says(engine: Engine, text: str, content: object, line: int) -> None:
    file = read(engine, "x.yaml", text)
    assert (file.content, file.line) == (content, line)


def test_lines_of_fields(engine: Engine) -> None:
    file = read(engine, "x.yaml", "# of the team\n---\na:\n  - b: 1\n    c: 2\n  - {d: 3}\n")
    paths = [("a",), ("a", 0), ("a", 0, "c"), ("a", 1, "d"), ("nowhere",)]
    assert lines(engine, file, paths) == [3, 4, 5, 6, 3]
    assert lines(engine, file, []) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a: 1\nb: 2\na: 3\n",
            'x.yaml:3: duplicate key "a", first in line 1\n  remove one of them',
        ),
        ("a: 1\n---\nb: 2\n", "x.yaml:3: a second YAML document begins\n  only one can be read"),
        ("a: &a [*a]\n", "x.yaml:1: anchor 'a' value contains itself\n  replace the alias"),
        (
            "job: *-migrate\n",
            "x.yaml:1: unknown anchor '-migrate' referenced\n  put what begins with * into quotes",
        ),
        (
            "a: 1\n  b: c\n",
            "x.yaml:2: mapping values are not allowed in this context\n  look at the indentation",
        ),
        ("a:\n\tb: 1\n", "x.yaml:2: found character that cannot start any token\n  indent with spaces"),
        ("a: " + "[" * 20000, "x.yaml:1: exceeded max depth of 10000"),
        ("a: \0\n", "x.yaml:1: control characters are not allowed"),
    ],
)
def test_what_is_wrong_with_a_file(engine: Engine, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read(engine, "x.yaml", text)
    assert str(caught.value).startswith(said)
