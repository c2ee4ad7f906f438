"""`watchbill init`: a first `.watchbill.yaml` for the charts of a folder, with its schema for editors."""

import os

import click

from watchbill.cli.command import ExampleCommand, common_options
from watchbill.cli.completing import complete_folders
from watchbill.cli.session import Session
from watchbill.errors import UserError


@click.command(
    "init",
    cls=ExampleCommand,
    examples=(
        ("watchbill init", "settings for the charts below this folder"),
        ("watchbill init deploy/", "for those below another one"),
        ("watchbill init --schema", "after an update: only the schema, for editors"),
    ),
)
@click.argument("folder", default=".", metavar="[FOLDER]", shell_complete=complete_folders)
@click.option("--schema", is_flag=True, help="Write only the schema that editors complete and check with.")
@common_options
@click.pass_obj
def command(session: Session, /, *, folder: str, schema: bool) -> None:
    """Write a first .watchbill.yaml for your charts.

    Its first line names a JSON schema, written beside it, with which editors complete and check it. Commit both
    files. An existing .watchbill.yaml is never overwritten."""
    from watchbill.checking.settings.first_settings import SCHEMA, SCHEMA_NAME, compose_settings, look_around
    from watchbill.checking.settings.reading import NAME
    from watchbill.report.counting import counted
    from watchbill.report.terminal import printable

    if not os.path.isdir(folder):
        raise UserError(f"{printable(folder)}: no such folder", then="name the folder that holds your charts")
    if not schema:
        file = os.path.normpath(os.path.join(folder, NAME))
        found = look_around(folder)
        _write(file, compose_settings(found), mode="x")
        session.say(f"wrote {printable(file)} for {counted(len(found.charts), 'chart')}")
    with open(SCHEMA, encoding="utf-8") as opened:
        text = opened.read()
    file = os.path.normpath(os.path.join(folder, SCHEMA_NAME))
    _write(file, text, mode="w")
    session.say(f"wrote {printable(file)}")


def _write(file: str, text: str, *, mode: str) -> None:
    from watchbill.report.terminal import printable

    try:
        with open(file, mode, encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise UserError(
            f"{printable(file)} already exists",
            then="edit it, or move it away first; watchbill init --schema writes only the schema",
        ) from None
    except OSError as error:
        raise UserError(f"{printable(file)} cannot be written: {error.strerror}") from None
