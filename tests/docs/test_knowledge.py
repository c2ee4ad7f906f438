"""docs/how-watchbill-knows.md counts what is recorded, and counts right."""

from pathlib import Path

from dev.tapes import library

PAGE = Path(__file__).resolve().parents[2] / "docs/how-watchbill-knows.md"


def test_the_page_counts_the_recordings() -> None:
    table = library.count()
    assert table in PAGE.read_text(), f"write this between the marks of {PAGE.name}:\n{table}"


def test_the_verdicts_on_real_charts_are_what_was_promised() -> None:
    """They are printed by `python -m dev.tapes verdicts`; the charts are not in this repository, so this looks at the page."""
    section = PAGE.read_text().partition("<!-- verdicts -->")[2].partition("<!-- end -->")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line
    ]
    told = {name: (alone, upgrades) for name, alone, upgrades in rows}
    silent, warnings = told["without an error"][0], told["warnings of a chart, median"]
    assert int(silent.split("(")[1].removesuffix(" %)")) >= 70
    assert all(float(median) <= 1 for median in warnings)
    assert told["errors"] == told["reproduced by real Helm"]
    by_rule = [counts for name, counts in told.items() if name.startswith("WB")]
    assert all(errors == reproduced for errors, reproduced in by_rule)
    total = sum(int(errors) for errors, _ in by_rule)
    assert total >= sum(map(int, told["errors"])), "those of older versions alone come on top"
