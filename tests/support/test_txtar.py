from pathlib import Path

import pytest

from tests.support import txtar

TEXT = b"""What it is about,
-- not a marker-- and why.
-- Chart.yaml --
name: a
-- templates/empty.yaml --
-- templates/windows line.yaml --
kind: ConfigMap\r
 -- indented --
--  --
data: \xff\xfe\r
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "case.txtar"
    path.write_bytes(TEXT)
    return path


def test_sections_keep_their_bytes(archive: Path) -> None:
    comment, files = txtar.read(archive)
    assert comment == "What it is about,\n-- not a marker-- and why.\n"
    assert files == {
        "Chart.yaml": b"name: a\n",
        "templates/empty.yaml": b"",
        "templates/windows line.yaml": b"kind: ConfigMap\r\n -- indented --\n--  --\ndata: \xff\xfe\r\n",
    }


def test_unpack_writes_every_file(archive: Path, tmp_path: Path) -> None:
    chart = txtar.unpack(archive, tmp_path / "chart")
    found = {
        path.relative_to(chart).as_posix(): path.read_bytes() for path in chart.rglob("*") if path.is_file()
    }
    assert found == txtar.read(archive).files


def test_a_section_twice_is_refused(archive: Path) -> None:
    archive.write_bytes(TEXT + b"-- Chart.yaml --\nname: b\n")
    with pytest.raises(ValueError, match="a section twice"):
        txtar.read(archive)


def test_an_archive_without_sections_is_all_comment(archive: Path) -> None:
    archive.write_bytes(b"only words")
    assert txtar.read(archive) == ("only words", {})
