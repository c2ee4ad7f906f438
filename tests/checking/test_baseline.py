"""Baselines: written, read again, refused."""

from pathlib import Path

import pytest

from tests.support.findings import finding
from watchbill.checking.baseline import LARGEST, Entry, entries, read, write
from watchbill.checking.result import Checked, Location
from watchbill.errors import UserError

CHARTS = [
    Checked("charts/shop", "shop", findings=(finding(fingerprint="b"), finding(fingerprint="a"))),
    Checked("charts/cart", "cart", findings=(finding("WB304", fingerprint="c", title="Job left behind"),)),
    Checked("new.yaml", findings=(finding(fingerprint="d"),)),
]
TEXT = """\
{
  "schema": 1,
  "findings": [
    {
      "chart": "",
      "rule": "WB101",
      "fingerprint": "d",
      "title": "the image upgrade fails"
    },
    {
      "chart": "cart",
      "rule": "WB304",
      "fingerprint": "c",
      "title": "Job left behind"
    },
    {
      "chart": "shop",
      "rule": "WB101",
      "fingerprint": "a",
      "title": "the image upgrade fails"
    },
    {
      "chart": "shop",
      "rule": "WB101",
      "fingerprint": "b",
      "title": "the image upgrade fails"
    }
  ]
}
"""


def test_the_same_findings_give_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    for charts in (CHARTS, CHARTS[::-1], [*CHARTS, *CHARTS]):
        write(str(file), entries(charts))
        assert file.read_text() == TEXT


def test_lines_are_no_part_of_it() -> None:
    moved = [Checked("a", "shop", findings=(finding(location=Location("x.yaml", line)),)) for line in (1, 2)]
    assert entries(moved[:1]) == entries(moved[1:])


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    file = str(tmp_path / "baseline.json")
    write(file, entries(CHARTS))
    baseline = read(file)
    assert baseline.file == file
    assert baseline.entries == entries(CHARTS)
    assert baseline.of("cart") == (Entry("cart", "WB304", "c", "Job left behind"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is not a baseline: "),
        (b"tools: [helm@4]\n", "is not a baseline: "),
        (b"[]", "is not a baseline: Expected `object`"),
        (b"{}", "is not a baseline: Object missing required field `schema`"),
        (b'{"schema": "1", "findings": []}', "is not a baseline: Expected `int`"),
        (b'{"schema": 2, "findings": [{"new": 1}]}', "is of schema 2, and this watchbill reads 1"),
        (b'{"schema": 1, "findings": [{"fingerprint": ""}]}', "is not a baseline: "),
        (
            b'{"schema": 1, "findings": [], "more": 1}',
            "is not a baseline: Object contains unknown field `more`",
        ),
        (b"\xff\xfe", "is not a baseline: "),
        (b"[" * 100_000, "is not a baseline: "),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, text: bytes, said: str) -> None:
    file = tmp_path / "baseline.json"
    file.write_bytes(text)
    with pytest.raises(UserError) as caught:
        read(str(file))
    assert said in str(caught.value)
    assert "write it again: watchbill check --write-baseline baseline.json" in str(caught.value)


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.json: no such file\n.*--write-baseline"):
        read(str(tmp_path / "none.json"))


def test_a_baseline_that_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    with file.open("wb") as opened:
        opened.truncate(LARGEST + 1)
    with pytest.raises(UserError, match="larger than 64 MiB"):
        read(str(file))


def test_a_place_that_cannot_be_written_or_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write the baseline: Is a directory"):
        write(str(tmp_path), ())
    with pytest.raises(UserError, match="cannot read the baseline: Is a directory"):
        read(str(tmp_path))
    with pytest.raises(UserError, match=r"cannot write the baseline: No such file"):
        write(str(tmp_path / "nowhere/b.json"), ())
