"""What the shell offers for an unfinished word: paths, rules, tools, moves, and names in a bill."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import BashComplete, CompletionItem, split_arg_string

if TYPE_CHECKING:
    from watchbill.deploy.written import Bill

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class Bash(BashComplete):
    """Completes words with `@` and `=` in them, such as `--tool=helm@4`. Bash ends a word at these characters and
    replaces only what follows the last of them."""

    source_template = r"""%(complete_func)s() {
    local IFS=$'\n' response completion type value
    response=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_PART="$2" %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    for completion in $response; do
        IFS=, read -r type value <<< "$completion"
        case $type in
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
            *) COMPREPLY+=("$value") ;;
        esac
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE")
        if line is None:  # a script from before this one asks
            return super().get_completion_args()
        words = split_arg_string(line)[1:]
        incomplete = "" if line.endswith(" ") or not words else words.pop()
        return words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        _, incomplete = self.get_completion_args()
        typed = incomplete.partition("=")[2] if incomplete.startswith("--") else incomplete
        kept = typed[: len(typed) - len(os.environ.get("COMP_PART", typed))]
        return f"{item.type},{item.value.removeprefix(kept)}"


def complete_paths(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def complete_folders(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="dir")]


def complete_rules(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids by default, names once somebody begins to write one. Options take several, with commas between them."""
    from watchbill.rules.registry import RULES

    done, comma, last = incomplete.rpartition(",")
    ids = [
        CompletionItem(f"{done}{comma}{rule.id}", help=rule.name)
        for rule in RULES
        if rule.id.startswith(last.upper())
    ]
    return ids or _starting(last, (rule.name for rule in RULES), before=f"{done}{comma}")


def complete_tools(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from watchbill.rehearsal.script import KNOWN

    return _starting(
        incomplete, (f"{tool}@{version}" for tool, versions in KNOWN.items() for version in versions)
    )


def complete_tools_then_paths(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Of `compare`: two tools, then charts."""
    given = ctx.params.get(parameter.name or "") or ()
    return (complete_tools if len(given) < 2 else complete_paths)(ctx, parameter, incomplete)


def complete_paths_and_moves(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Of `rehearse`: charts first, which an empty word stands for until there is one."""
    from watchbill.lifecycle.moves import verbs

    tool, _, _ = str(ctx.params.get("tool") or "helm").partition("@")
    has_version = ctx.params.get(parameter.name or "") or ctx.params.get("manifests")
    moves = _starting(incomplete, verbs(tool)) if incomplete or has_version else []
    return [*complete_paths(ctx, parameter, incomplete), *moves]


def complete_profiles(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    bill = _read_bill(ctx)
    return _starting(incomplete, bill.profiles if bill else ())


def complete_environments(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    bill = _read_bill(ctx)
    return _starting(incomplete, bill.environments if bill else ())


def complete_components(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    bill = _read_bill(ctx)
    return _starting(incomplete, (one.name for one in bill.components) if bill else ())


def _read_bill(ctx: click.Context) -> "Bill | None":
    """Return the bill that the command reads; None if it cannot be read."""
    from watchbill.charts.engine import Engine
    from watchbill.charts.process import Limits
    from watchbill.checking.settings import typed_file
    from watchbill.deploy import reading
    from watchbill.deploy.written import Bill
    from watchbill.errors import UserError

    # click leaves arguments unread before an option that still lacks its value.
    file = ctx.params.get("file") or next(
        (word for word in ctx.args if not word.startswith("-")), "bill.yaml"
    )
    try:
        with Engine(Limits()) as engine:
            bill, _ = typed_file.read(engine, file, Bill, reading.WHAT, reading.tidy)
    except UserError:
        return None
    return bill


def _starting(incomplete: str, words: Iterable[str], before: str = "") -> list[CompletionItem]:
    return [CompletionItem(f"{before}{word}") for word in words if word.startswith(incomplete)]


# By what the help calls the value of an option.
BY_METAVAR: dict[str, Completer] = {
    "FILE": complete_paths,
    "PATH": complete_paths,
    "RULE": complete_rules,
    "TOOL@VERSION": complete_tools,
}
