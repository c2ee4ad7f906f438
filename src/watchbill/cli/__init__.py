"""The command line: one module a command, imported when it is run; how commands end is decided here."""

import gc
from importlib import import_module

import click

from watchbill import __version__
from watchbill.charts.process import EngineProcess
from watchbill.cli.session import Session, common_options
from watchbill.errors import Found, Unchecked, UserError

GARBAGE = 100_000  # objects, made and not freed, before the collector looks among them
COMMANDS = (
    "check",
    "compare",
    "completion",
    "deploy",
    "explain",
    "history",
    "jobs",
    "matrix",
    "rehearse",
    "show",
)


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


def run(arguments: list[str], spawned: EngineProcess | None = None) -> int:
    """Runs one command line and gives its exit code: 0 fine, 1 found something, 2 could not be done."""
    session = Session(spawned)
    # Hardly anything here refers back to itself, and a run is short: to look for it often costs more than it frees.
    gc.freeze()
    gc.set_threshold(GARBAGE)
    gc.enable()
    try:
        return _status(watchbill.main(arguments, "watchbill", standalone_mode=False, obj=session))
    except UserError as error:
        session.complain(str(error))
        return error.exit_code
    except (Found, Unchecked) as ended:
        return ended.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        session.say(error.ctx.get_help() if error.ctx else "")
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "watchbill"
        session.complain(f"{error.format_message()}\n  run: {path} --help")
        return UserError.exit_code
    except click.ClickException as error:
        session.complain(error.format_message())
        return UserError.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        return 141
    except Exception as error:  # noqa: BLE001  (the last line of defence: no traceback reaches a user)
        from watchbill.cli.crash import report

        return report(error, session)
    finally:
        session.close()


def _status(returned: object) -> int:
    return returned if isinstance(returned, int) else 0
