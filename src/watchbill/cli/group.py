"""All commands, as click has them: help, complaints, and whatever is not written as the help shows it."""

from importlib import import_module

import click

from watchbill import __version__
from watchbill.cli import COMMANDS
from watchbill.cli.command import common_options
from watchbill.cli.session import Session
from watchbill.errors import UserError


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"watchbill.cli.{cmd_name}").command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="watchbill %(version)s")
@common_options
def watchbill() -> None:
    """Tells what Helm and its friends will do to your chart's Jobs and hooks, before they do it."""


def run(arguments: list[str], session: Session) -> int:
    try:
        returned = watchbill.main(arguments, "watchbill", standalone_mode=False, obj=session)
    except click.exceptions.NoArgsIsHelpError as error:
        session.say(error.ctx.get_help() if error.ctx else "")
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "watchbill"
        raise UserError(f"{error.format_message()}\n  run: {path} --help") from None
    except click.ClickException as error:
        raise UserError(error.format_message()) from None
    except click.Abort:
        raise KeyboardInterrupt from None
    return returned if isinstance(returned, int) else 0
