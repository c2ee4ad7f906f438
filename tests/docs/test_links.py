"""No link of this project leads nowhere: pages, rule pages, reports and `--help`."""

import json
import re
from importlib import import_module
from itertools import chain
from pathlib import Path

import click
import pytest

from tests.conftest import Watchbill
from watchbill.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    chain(
        ROOT.glob("*.md"),
        ROOT.glob("docs/**/*.md"),
        ROOT.glob("charts/*/README.md"),
        ROOT.glob("examples/**/README.md"),
        ROOT.glob("src/watchbill/rules/*.md"),
    )
)
_FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_INLINE = re.compile(r"\]\(([^)\s]+)\)")
_REFERENCE = re.compile(r"^\[[^\]]+\]: (\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_URL = re.compile(r"https?://[^\s\"'<>)\]`,]+")


def links(page: Path) -> list[str]:
    text = _FENCED.sub("", page.read_text())
    return [*_INLINE.findall(_CODE.sub("`code`", text)), *_REFERENCE.findall(text)]


def anchors(page: Path) -> set[str]:
    """The anchors of the page's headings, as GitHub makes them."""
    found: dict[str, int] = {}
    for heading in _HEADING.findall(_FENCED.sub("", page.read_text())):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        found[slug] = found.get(slug, 0) + 1
    return {f"{slug}-{n}" if n else slug for slug, count in found.items() for n in range(count)}


def leads_nowhere(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return False
    file, _, anchor = link.partition("#")
    target = page if not file else page.parent / file
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_pages_and_headings(page: Path) -> None:
    assert [link for link in links(page) if leads_nowhere(page, link)] == []


def test_a_dead_link_and_a_dead_anchor_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` c\n\n[x](page.md#a-b-c) [y](gone.md) [z](#gone) `[no](link)`\n\n[r]: also-gone.md\n"
    )
    assert [link for link in links(page) if leads_nowhere(page, link)] == ["gone.md", "#gone", "also-gone.md"]


def test_reports_link_only_to_addresses_that_are_known(watchbill: Watchbill) -> None:
    """Reports travel: a relative link in them leads nowhere, and an address of ours must not be made up."""
    done = watchbill("check", "examples/stories/plain-job", "-o", "sarif")
    report = json.loads(done.stdout)
    for rule in report["runs"][0]["tool"]["driver"]["rules"]:
        assert not [link for link in _INLINE.findall(rule["help"]["markdown"]) if "://" not in link], rule[
            "id"
        ]
    hosts = {url.split("/")[2] for url in _URL.findall(done.stdout)}
    assert hosts <= {"github.com", "docs.oasis-open.org", "json.schemastore.org", "kueue.sigs.k8s.io"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_only_files_that_are_here(name: str) -> None:
    command: click.Command = import_module(f"watchbill.cli.{name}").command
    with click.Context(command, info_name=name) as context:
        text = command.get_help(context)
    assert _URL.findall(text.replace("oci://...", "")) == []
    assert [page for page in re.findall(r"docs/[\w/.-]+\.md", text) if not (ROOT / page).exists()] == []
