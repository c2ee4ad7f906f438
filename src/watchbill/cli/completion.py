"""`watchbill completion SHELL`: the script that makes the shell complete our commands and options."""

import click
from click.shell_completion import get_completion_class

from watchbill.cli.command import ExampleCommand, common_options
from watchbill.cli.session import Session


@click.command(
    "completion",
    cls=ExampleCommand,
    examples=(
        ('eval "$(watchbill completion bash)"', "add to ~/.bashrc"),
        ('eval "$(watchbill completion zsh)"', "add to ~/.zshrc"),
        ("watchbill completion fish > ~/.config/fish/completions/watchbill.fish", "run once"),
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell."""
    completion = get_completion_class(shell)
    assert completion is not None, shell
    script = completion(ctx.find_root().command, {}, "watchbill", "_WATCHBILL_COMPLETE").source()
    ctx.ensure_object(Session).say(script)
