"""Pages of rules, as they are in the package, without links that only work in the repository."""

import os
import pkgutil

from watchbill.patterns import regex
from watchbill.report.options import Described

_RELATIVE_LINK = regex(r"\[(?P<text>[^\]]+)\]\((?!\w+://)[^)\s]+\)")


def read_page(rule: Described) -> str:
    """Return the page of a rule in Markdown: it is beside the rule's module, under the same name."""
    content = pkgutil.get_data("watchbill.rules", f"{rule.id.lower()}_{rule.name.replace('-', '_')}.md")
    assert content is not None
    return without_relative_links(content.decode())


def page_file(rule: str) -> str:
    """Return where the page of a rule is on this disk, by its id; empty if it is not a file."""
    import watchbill.rules

    for folder in watchbill.rules.__path__:
        names = os.listdir(folder) if os.path.isdir(folder) else []
        for name in names:
            if name.startswith(f"{rule.lower()}_") and name.endswith(".md"):
                return os.path.join(folder, name)
    return ""


def without_relative_links(page: str) -> str:
    """Keep the text of links to other files of ours: there is nothing at their addresses outside the repository."""
    return _RELATIVE_LINK.sub(r"\g<text>", page)
