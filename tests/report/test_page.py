"""Pages of the documentation in a terminal."""

from click import unstyle

from watchbill.report.page import Section, in_terminal, sections

PAGE = """\
# WB999 an-example

## What happens

A paragraph that is written in two lines and has a [link](https://example.com/issues/1), a **strong** word and
a rule, [WB101](wb101_immutable_job.md).

    helm upgrade a-command-that-is-longer-than-the-terminal-is-wide-and-is-not-broken

- the first item, which is long enough to be wrapped
- the second
  goes on

## Example

```yaml
kind: Job
  # an indent stays
```

| field | meaning |
|---|---|
| `a` | the first |
| `longer` | the second |
"""


def shown(columns: int) -> list[str]:
    return [unstyle(line) for line in in_terminal(PAGE, columns)]


def test_paragraphs_are_wrapped_and_links_can_be_read() -> None:
    lines = shown(40)
    start = lines.index("What happens") + 2
    assert lines[start : start + 5] == [
        "A paragraph that is written in two lines",
        "and has a link",
        "(https://example.com/issues/1), a strong",
        "word and a rule, WB101.",
        "",
    ]


def test_headings_are_bold_and_without_marks() -> None:
    styled = list(in_terminal(PAGE, 80))
    assert styled[0] == "\x1b[1mWB999 an-example\x1b[0m"
    assert not any(line.startswith("#") for line in shown(80))


def test_code_is_indented_and_never_broken() -> None:
    lines = shown(40)
    assert "    helm upgrade a-command-that-is-longer-than-the-terminal-is-wide-and-is-not-broken" in lines
    start = lines.index("    kind: Job")
    assert lines[start + 1] == "      # an indent stays"
    assert not any("```" in line for line in lines)


def test_items_hang() -> None:
    lines = shown(40)
    start = next(place for place, line in enumerate(lines) if line.startswith("- the first"))
    assert lines[start : start + 3] == [
        "- the first item, which is long enough",
        "  to be wrapped",
        "- the second goes on",
    ]


def test_tables_line_up() -> None:
    assert shown(80)[-3:] == ["field     meaning", "`a`       the first", "`longer`  the second"]


def test_sections_are_as_they_are_written() -> None:
    found = sections(PAGE)
    assert [section.title for section in found] == ["What happens", "Example"]
    assert found[1] == Section("Example", PAGE.partition("## Example")[2].strip())
