"""`watchbill check` itself: its options, and what is done with them."""

import os
import sys
from typing import TYPE_CHECKING, Any

from watchbill.cli.asking import SURROUNDINGS, VERSIONS, request
from watchbill.cli.color import wants_links
from watchbill.cli.option import Between, OneOf, Option
from watchbill.cli.outputs import Output, choose_outputs, deliver, output_options
from watchbill.cli.parameters import read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Found, Unchecked, UserError
from watchbill.report.formats import FORMATS, WITH_MATRIX

if TYPE_CHECKING:
    from watchbill.checking.plan import Request
    from watchbill.checking.run import Outcome
    from watchbill.report.options import Described

TOOLS = ("helm@4", "helm@3.19")
FAIL_ON = ("error", "warning", "note", "never")
OPTIONS = (
    *VERSIONS,
    Option(
        ("--tool",),
        f"Tool to simulate: helm or kubectl. Repeatable.  [default: {', '.join(TOOLS)}]",
        name="tools",
        many=True,
        metavar="TOOL@VERSION",
    ),
    *rendering_options(without=("--is-upgrade", "--helm"), release=""),
    *SURROUNDINGS,
    Option(
        ("--select",),
        "Report only these rules: ids, starts of ids (WB1) or names, separated by commas.",
        many=True,
        metavar="RULE",
    ),
    Option(("--ignore",), "Do not report these rules.", many=True, metavar="RULE"),
    Option(("--baseline",), "Do not report the findings listed in this file.", metavar="FILE"),
    Option(("--write-baseline",), "Write the findings of this run to a baseline file.", metavar="FILE"),
    Option(
        ("--depth",),
        "Operations to explore after the install.",
        default="2",
        show_default=True,
        read=Between(1, 5),
    ),
    Option(
        ("--fail-on",),
        "Exit with 1 if there is a finding of at least this severity.  [default: error]",
        read=OneOf(FAIL_ON),
    ),
    Option(("--fill",), "Set placeholders for values that a chart requires and nobody gives.", switch=True),
    Option(("--skip-others",), "Skip files that belong to no chart, for pre-commit.", switch=True),
    Option(("--allow-unchecked",), "Do not fail because of charts that cannot be checked.", switch=True),
    *output_options(*FORMATS),
    Option(("-q", "--quiet"), "Print findings and errors only.", switch=True),
    Option(
        ("-v", "--verbose"),
        "Also show cluster state before and after, tool limitations, assumptions and ignored findings.",
        switch=True,
    ),
)


def check(session: Session, options: dict[str, Any]) -> None:
    from watchbill.checking.run import exit_code

    if options["quiet"] and options["verbose"]:
        raise UserError("--quiet and --verbose exclude each other", then="leave out one of them")
    outputs = choose_outputs(options["outputs"], options["output_file"])
    outcome = _run(session, _request(options, outputs), quiet=options["quiet"])
    code = exit_code(outcome, allow_unchecked=options["allow_unchecked"])
    if options["write_baseline"]:
        code = code if code == Unchecked.exit_code else 0
        _write_baseline(session, outcome, options, outputs)
    else:
        _report(session, outcome, options, outputs)
    if code == Found.exit_code:
        raise Found
    if code:
        raise Unchecked


def _run(session: Session, request: "Request", *, quiet: bool) -> "Outcome":
    from watchbill.checking.run import run
    from watchbill.cli.progress import Progress

    if quiet:
        return run(request, session.take_engine(), read_text, lambda *_: None)
    with Progress() as progress:
        return run(request, session.take_engine(), read_text, progress.tell)


def _request(options: dict[str, Any], outputs: tuple[Output, ...]) -> "Request":
    from watchbill.checking.selection import read_selection
    from watchbill.checking.settings import rule_names
    from watchbill.rehearsal.script import read_tool

    return request(
        options,
        tuple(dict.fromkeys(map(read_tool, options["tools"]))),
        baseline=options["baseline"] or "",
        reads_baseline=not options["write_baseline"],
        fail_on=options["fail_on"],
        selection=read_selection(options["select"], options["ignore"], rule_names.ALL),
        fill=options["fill"],
        tabulates=any(output.form in WITH_MATRIX for output in outputs),
    )


def _write_baseline(
    session: Session, outcome: "Outcome", options: dict[str, Any], outputs: tuple[Output, ...]
) -> None:
    """Findings are accepted, so only reports that were asked for show them; problems are always shown."""
    from msgspec.structs import replace

    from watchbill.checking import baseline
    from watchbill.report.counting import counted

    file, entries = options["write_baseline"], baseline.entries(outcome.run.charts)
    baseline.write(file, entries)
    if options["outputs"] or options["output_file"]:
        _report(session, outcome, options, outputs)
    elif any(chart.problem for chart in outcome.run.charts):
        accepted = replace(outcome, run=replace(outcome.run, findings=()))
        _report(session, accepted, {**options, "quiet": True}, outputs)
    session.mention(f"wrote {counted(len(entries), 'finding')} to {file}")


def _add_links(text: str, outcome: "Outcome") -> str:
    from watchbill.report.links import add_links
    from watchbill.report.rule_pages import page_file

    return add_links(text, outcome.run.findings, os.uname().nodename, page_file)


def _page_of(rule: "Described") -> str:
    from watchbill.report.rule_pages import read_page

    return read_page(rule)


def _report(
    session: Session, outcome: "Outcome", options: dict[str, Any], outputs: tuple[Output, ...]
) -> None:
    from watchbill.cli.width import terminal_width
    from watchbill.report.formats import report_in
    from watchbill.report.options import ReportOptions
    from watchbill.rules.registry import RULES

    def make(output: Output) -> str:
        wide = 0 if output.file else terminal_width()
        asked = ReportOptions(
            outcome.fail_on,
            options["verbose"],
            options["quiet"],
            wide,
            RULES,
            page_of=_page_of,
            matrices=outcome.matrices,
        )
        text = report_in(output.form)(outcome.run, asked)
        linked = output.form == "text" and not output.file and wants_links(sys.stdout, off=session.no_color)
        return _add_links(text, outcome) if linked else text

    deliver(session, outputs, make)
    if all(output.file for output in outputs) and not options["quiet"]:
        from watchbill.report.words import verdict

        session.say(f"{verdict(outcome.run)}; written to {', '.join(output.file for output in outputs)}")
