"""The verdicts that README tells of the stories are what the commands say."""

import re

import pytest

from dev.examples import ROOT, printed

STORIES = "examples/stories"
# By the row's first word; the forced upgrade is played.
COMMANDS = {
    "conditional-hook": (
        f"watchbill check {STORIES}/conditional-hook",
        f"watchbill check {STORIES}/conditional-hook --set deletePolicy=before-hook-creation",
    ),
    "already-exists": (f"watchbill check {STORIES}/already-exists",),
    "plain-job": (
        f"watchbill check {STORIES}/plain-job",
        f'watchbill rehearse {STORIES}/plain-job install "upgrade --force" --tool helm@3.19',
        f'watchbill rehearse {STORIES}/plain-job install "upgrade --force-replace"',
    ),
    "bundled-database": (f"watchbill check {STORIES}/bundled-database",),
    "ttl-job": (f"watchbill check {STORIES}/ttl-job",),
}


def rows() -> list[tuple[str, list[str]]]:
    """Each story of the table, with the verdicts that are quoted."""
    found = re.findall(r"^\| `([\w-]+)`: [^|]*\| ([^|]*) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return [
        (name, [words for words in re.findall(r"`([^`]+)`", said) if " " in words]) for name, said in found
    ]


def test_every_story_is_told() -> None:
    assert {name for name, _ in rows()} == {path.name for path in (ROOT / STORIES).iterdir()}


@pytest.mark.parametrize("story", COMMANDS)
def test_the_commands_say_what_the_readme_quotes(story: str) -> None:
    said = " ".join(" ".join(map(printed, COMMANDS[story])).split())
    quoted = [words for name, verdicts in rows() if name == story for words in verdicts]
    assert quoted
    assert [words for words in quoted if words not in said] == []
