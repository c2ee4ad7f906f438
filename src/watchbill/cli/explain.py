"""`watchbill explain`: what a rule means, or what an error means that somebody pasted, and the way out."""

from typing import TYPE_CHECKING

import click

from watchbill.cli.command import ExampleCommand, common_options
from watchbill.cli.completing import complete_rules
from watchbill.cli.session import Session
from watchbill.cli.width import columns
from watchbill.errors import Found, UserError

if TYPE_CHECKING:
    from watchbill.rules.rule import Rule

NOT_RECOGNISED = """\
not recognised: this text contains no error that Watchbill knows
  paste the whole error, from `Error:` on, with all its lines
  watchbill check CHART finds problems before you deploy; watchbill explain lists all rules"""
_DIGITS = str.maketrans("oil", "011")  # letters that pass for digits
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # what PowerShell writes into files begins so


@click.command(
    "explain",
    cls=ExampleCommand,
    examples=(
        ("watchbill explain WB101", "what the rule means, an example, the fix"),
        ("watchbill explain --error 'UPGRADE FAILED: ...'", "what the error means, and how to recover"),
        (
            "helm upgrade web ./chart 2>&1 | watchbill explain --error -",
            "the same, from a pipe",
        ),
    ),
)
@click.argument("rule", default="", metavar="[RULE]", shell_complete=complete_rules)
@click.option(
    "--error", "text", metavar="TEXT", help="An error message, or a log that contains it; '-' is stdin."
)
@click.option("--release", default="", help="Name of the release, used in the suggested commands.")
@click.option(
    "-n", "--namespace", default="", help="Namespace of the release, used in the suggested commands."
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Output format; markdown prints the source of a rule's page.",
)
@common_options
@click.pass_obj
def command(
    session: Session, /, *, rule: str, text: str | None, release: str, namespace: str, output: str
) -> None:
    """Explain a rule, or an error message of Helm or kubectl.

    A rule is given by its id or name; without one, lists all rules.

    With --error, explains an error of Helm, kubectl, Argo CD or Flux, pasted as it is: timestamps, colours, line breaks
    and prefixes of CI logs do not matter. Says what happened, what state the release is in, which commands recover it
    and what they cost.

    Exit code 1: the error was not recognised."""
    if text is None:
        if release or namespace:
            raise UserError("--release and -n only apply to --error", then="add --error TEXT")
        _explain_rule(session, rule, output)
        return
    if rule:
        raise UserError("a rule and --error cannot be combined", then=f"remove {rule!r} or --error")
    if output == "markdown":
        raise UserError("--error supports only text and json output", then="remove -o markdown")
    _explain_error(session, _pasted(text), release, namespace, output)


def _explain_rule(session: Session, name: str, output: str) -> None:
    from watchbill.report.rule_pages import read_page
    from watchbill.rules import wb000_unclaimed
    from watchbill.rules.registry import RULES

    rules = sorted(RULES, key=lambda rule: rule.id)
    if not name:
        session.say(_listed(rules, output))
        return
    chosen = _find(name, [*rules, wb000_unclaimed.RULE])
    page = read_page(chosen)
    if output == "markdown":
        session.say(page.rstrip("\n"))
    elif output == "json":
        from watchbill.report.page import sections

        session.say(_json({"schema": 1, **_described(chosen), "sections": sections(page)}))
    else:
        from watchbill.report.page import in_terminal

        session.say("\n".join(in_terminal(page, columns())))


def _find(name: str, rules: "list[Rule]") -> "Rule":
    from difflib import get_close_matches

    wanted = name.lower().replace("_", "-")
    known = {word: rule for rule in rules for word in (rule.id.lower(), rule.name)}
    if wanted in known:
        return known[wanted]
    misread = wanted.translate(_DIGITS)
    close = [misread] if misread in known else get_close_matches(wanted, known, n=1)
    then = f"did you mean {known[close[0]].id}, {known[close[0]].name}?\n" if close else ""
    raise UserError(f"unknown rule {name!r}", then=f"{then}all rules: watchbill explain")


def _listed(rules: "list[Rule]", output: str) -> str:
    if output == "json":
        return _json({"schema": 1, "rules": [_described(rule) for rule in rules]})
    if output == "markdown":
        rows = [f"| {rule.id} | {rule.name} | {rule.summary} |" for rule in rules]
        return "\n".join(["| id | name | what it is about |", "|---|---|---|", *rows])
    from watchbill.report.table import table

    return "\n".join(
        table(
            [(click.style(rule.id, bold=True), rule.name, rule.summary) for rule in rules], columns=columns()
        )
    )


def _described(rule: "Rule") -> dict[str, object]:
    return {"id": rule.id, "name": rule.name, "summary": rule.summary}


def _explain_error(session: Session, text: str, release: str, namespace: str, output: str) -> None:
    from watchbill.report.explanations import in_terminal, report
    from watchbill.rules.errors.names import Names, is_name
    from watchbill.rules.errors.recognise import recognise
    from watchbill.rules.registry import RULES

    for name in filter(None, (release, namespace)):
        if not is_name(name):
            raise UserError(f"{name!r} is not a valid name", then="use lower-case letters, digits, - and .")
    told = report(recognise(text, Names(release, namespace)), RULES)
    if output == "json":
        session.say(_json(told))
    else:
        session.say("\n".join(in_terminal(told, columns())) if told.recognised else NOT_RECOGNISED)
    if not told.recognised:
        raise Found


def _pasted(text: str) -> str:
    """Logs are what they are: what is no text in them is left out of sight, not complained about."""
    if text == "-":
        from watchbill.cli.parameters import read_bytes

        given = read_bytes("-", "error")
        text = given.decode("utf-16" if given.startswith(_UTF16) else "utf-8", "replace")
    if not text.strip():
        raise UserError(
            "the error is empty", then="paste it: watchbill explain --error 'UPGRADE FAILED: ...'"
        )
    return text


def _json(thing: object) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(thing), indent=2).decode()
