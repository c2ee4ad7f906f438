"""All commands, as click has them: help, complaints, and whatever is not written as the help shows it."""

from importlib import import_module

import click
from click.shell_completion import add_completion_class

from watchbill import __version__
from watchbill.cli import COMMANDS
from watchbill.cli.command import HelpGroup, common_options, write_examples
from watchbill.cli.completing import Bash
from watchbill.cli.session import Session
from watchbill.errors import UserError

# Of `watchbill --help`; a command that is in none of them is listed under "Other".
SECTIONS = {
    "Predict": ("check", "show", "matrix", "rehearse", "compare", "explain"),
    "Deploy": ("deploy", "history", "jobs"),
}
EXAMPLES = (
    ("watchbill check ./chart", "what goes wrong with its Jobs and hooks?"),
    ("watchbill rehearse ./v1 ./v2 install upgrade", "what does Helm do, step by step?"),
    ("watchbill explain --error 'UPGRADE FAILED: ...'", "what does this error mean?"),
)
MORE = ("Help for a command: watchbill COMMAND --help", "All rules: watchbill explain")


add_completion_class(Bash)


class LazyGroup(HelpGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"watchbill.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches  # needed for typing errors only

            close = get_close_matches(name, COMMANDS, n=1)
            then = f"did you mean {close[0]}?" if close else f"commands: {', '.join(COMMANDS)}"
            raise UserError(f"unknown command {name!r}", then=f"{then}\nrun: watchbill --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        placed = {name for names in SECTIONS.values() for name in names}
        others = tuple(name for name in COMMANDS if name not in placed)
        for title, names in {**SECTIONS, "Other": others}.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(ctx, name)) for name in names])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Examples"):
            write_examples(formatter, EXAMPLES)
        formatter.write("\n")
        for line in MORE:
            formatter.write_text(line)

    def _summary(self, ctx: click.Context, name: str) -> str:
        """The first paragraph of a command's help, which is one short line."""
        command = self.get_command(ctx, name)
        assert command is not None
        return (command.help or "").partition("\n\n")[0]


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="watchbill %(version)s")
@common_options
def watchbill() -> None:
    """Predicts what Helm 3, Helm 4 and kubectl will do to a chart's Jobs and hooks."""


def run(arguments: list[str], session: Session) -> int:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
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
