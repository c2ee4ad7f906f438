"""The frame of an HTML report: one file without scripts and without anything from elsewhere, for light and dark screens.

The content security policy allows this style sheet, by its hash, and nothing else: even markup that got past the escaping
could neither run nor load anything.
"""

import base64
import hashlib
from collections.abc import Iterable

from watchbill import __version__
from watchbill.report.html_text import Markup, element

STYLE = """
:root {
  color-scheme: light dark;
  --text: #1c2128; --dim: #59636e; --page: #ffffff; --card: #f6f8fa; --line: #d1d9e0;
  --error: #b3192b; --warning: #8a5a00; --note: #0a60b8; --good: #1a7035; --fix: #e9f6ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --dim: #9aa5b1; --page: #0d1117; --card: #161b22; --line: #353c45;
    --error: #ff8a80; --warning: #e8b04b; --note: #79b8ff; --good: #7ee29a; --fix: #12261a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; color: var(--text); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; line-height: 1.4; margin: 0 0 .5rem; }
p, ul, ol { margin: .5rem 0; }
ul, ol { padding-left: 1.25rem; }
a { color: var(--note); }
code, pre { font: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .5rem 0; white-space: pre-wrap; }
article { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--line); border-radius: .4rem; }
article.error { border-left-color: var(--error); }
article.warning { border-left-color: var(--warning); }
article.note { border-left-color: var(--note); }
.dim, footer { color: var(--dim); font-size: .9rem; }
.level { font-weight: 700; }
.error .level, .fails, .count.error { color: var(--error); }
.warning .level, .refused, .count.warning { color: var(--warning); }
.note .level, .count.note { color: var(--note); }
.works, .fine { color: var(--good); }
.fails, .refused { font-weight: 600; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.counts li { flex: 1 1 7rem; padding: .6rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
.count { display: block; font-size: 1.6rem; line-height: 1.2; font-weight: 700; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { font-weight: 600; }
thead th { color: var(--dim); white-space: nowrap; }
tbody th { min-width: 9rem; }
.trace li { margin: .4rem 0; font-size: .95rem; }
.trace .given { color: var(--dim); counter-increment: list-item 0; list-style: none; }
.fix { margin: .75rem 0 .25rem; padding: .6rem .75rem; background: var(--fix); border-radius: .3rem; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
footer { margin-top: 3rem; }
@media print { article { break-inside: avoid; } .scroll { overflow: visible; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page: its title, then these parts."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"watchbill {__version__}"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    footer = element(
        "footer", f"Watchbill {__version__}. Predicted with models of the tools; nothing was deployed."
    )
    body = element("body", element("main", *parts), footer)
    return f"<!DOCTYPE html>\n{element('html', head, Markup(chr(10)), body, lang='en')}"


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
