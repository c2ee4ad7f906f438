"""docs/how-watchbill-knows.md counts what is recorded, and counts right."""

from pathlib import Path

from dev.tapes import library

PAGE = Path(__file__).resolve().parents[2] / "docs/how-watchbill-knows.md"


def test_the_page_counts_the_recordings() -> None:
    table = library.count()
    assert table in PAGE.read_text(), f"write this between the marks of {PAGE.name}:\n{table}"
