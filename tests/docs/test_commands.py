"""Every command has a page that tells of every option, and every page is in the list of pages."""

import re
from importlib import import_module
from pathlib import Path

import click
import pytest

from watchbill.cli import COMMANDS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def options(name: str) -> list[click.Option]:
    command: click.Command = import_module(f"watchbill.cli.{name}").command
    with click.Context(command, info_name=name) as context:
        return [option for option in command.get_params(context) if isinstance(option, click.Option)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_page(name: str) -> None:
    page = (DOCS / f"commands/{name}.md").read_text()
    assert page.startswith(f"# watchbill {name}\n")
    words = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", page))
    untold = [option.opts for option in options(name) if not option.hidden and words.isdisjoint(option.opts)]
    assert untold == [], f"docs/commands/{name}.md does not tell of them"


def test_no_page_is_left_of_a_command_that_is_gone() -> None:
    assert {page.stem for page in (DOCS / "commands").glob("*.md")} <= set(COMMANDS)


def test_the_list_names_every_page() -> None:
    listed = re.findall(r"^\| \[.*?\]\((.*?)\) \| .+ \|$", (DOCS / "README.md").read_text(), re.MULTILINE)
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if page.name != "README.md"]
    assert sorted(listed) == sorted(pages)
