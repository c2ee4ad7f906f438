"""Every example in the documentation is run, and must print what the page says it prints.

A fenced block `console` holds commands after `$ ` and their output. `…` stands for any text in a line; alone
on a line, for any lines. `python -m dev.examples` writes down what they print now.
"""

import re

import pytest

from dev.examples import BLOCK, PAGES, ROOT, parts, pattern, printed


def examples() -> list[tuple[str, str, str]]:
    return [
        (str(page.relative_to(ROOT)), command, output)
        for page in PAGES
        for block in BLOCK.finditer(page.read_text())
        for command, output in parts(block[2])
    ]


def test_the_pages_have_examples() -> None:
    assert {"README.md", "docs/commands/show.md", "docs/commands/completion.md"} <= {
        page for page, _, _ in examples()
    }


@pytest.mark.parametrize(("page", "command", "output"), examples())
def test_an_example_prints_what_the_page_says(page: str, command: str, output: str) -> None:
    now = printed(command)
    assert re.fullmatch(pattern(output), now), f"{page}: $ {command}\n{now}"
