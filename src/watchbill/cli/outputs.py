"""Where reports go: `-o FORMAT` to stdout and `-o FORMAT=FILE` into a file, as often as wanted in one run."""

import os
from collections.abc import Callable, Sequence

from msgspec import Struct

from watchbill.cli.option import Option
from watchbill.cli.session import Session
from watchbill.errors import UserError
from watchbill.report.styles import unstyle

STDOUT = "-"


class Output(Struct, frozen=True):
    form: str
    file: str = ""  # empty: stdout


class OutputIn(Struct, frozen=True):
    """Reads `FORMAT` and `FORMAT=FILE`."""

    names: tuple[str, ...]

    def __call__(self, text: str) -> Output:
        form, equals, file = text.partition("=")
        if form not in self.names:
            raise ValueError(f"{form!r} is not one of {', '.join(map(repr, self.names))}.")
        if equals and not file:
            raise ValueError(f"{text!r} names no file; write {form}=FILE.")
        return Output(form, "" if file == STDOUT else file)


def output_options(*formats: str) -> tuple[Option, ...]:
    """Return `-o` and `--output-file` of a command that prints in these formats."""
    return (
        Option(
            ("-o", "--output"),
            f"Format of the report: {', '.join(formats)}; with =FILE into a file. Repeatable.  [default: text]",
            name="outputs",
            many=True,
            read=OutputIn(formats),
            metavar="FORMAT[=FILE]",
        ),
        Option(("--output-file",), "Write the report to a file instead of stdout.", metavar="FILE"),
    )


def choose_outputs(outputs: Sequence[Output], file: str | None) -> tuple[Output, ...]:
    """Return what to write where. Mistakes are raised here, before any work is done."""
    chosen = tuple(dict.fromkeys(outputs)) or (Output("text"),)
    if file:
        chosen = (_into_file(chosen, file),)
    printed = [output.form for output in chosen if not output.file]
    if len(printed) > 1:
        raise UserError(
            f"only one report can go to stdout, not {' and '.join(printed)}",
            then=f"write the others into files: -o {printed[-1]}=FILE",
        )
    files = [os.path.realpath(output.file) for output in chosen if output.file]
    for output in chosen:
        if output.file and files.count(os.path.realpath(output.file)) > 1:
            raise UserError(f"two reports would go to {output.file}", then="name a file for each")
        folder = os.path.dirname(output.file) or "."
        if not os.path.isdir(folder):
            raise UserError(
                f"the report cannot be written to {output.file}: there is no folder {folder}",
                then="create the folder, or name another file",
            )
    return chosen


def deliver(session: Session, outputs: Sequence[Output], make: Callable[[Output], str]) -> None:
    """Write each report to its place: files first, because whoever reads stdout may go away."""
    for output in outputs:
        if output.file:
            _write(output.file, unstyle(make(output)))
    for output in outputs:
        if not output.file and (text := make(output)):
            session.say(text)


def _into_file(chosen: Sequence[Output], file: str) -> Output:
    if len(chosen) > 1 or chosen[0].file:
        raise UserError(
            "--output-file is for a single report", then="name the files after the formats: -o sarif=FILE"
        )
    return Output(chosen[0].form, "" if file == STDOUT else file)


def _write(file: str, text: str) -> None:
    try:
        with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
            opened.write(f"{text}\n" if text else "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"the report cannot be written to {file}: {reason}") from None
