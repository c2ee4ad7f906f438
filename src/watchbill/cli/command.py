"""Commands whose help begins with examples, because that is what people look for."""

from typing import Any

import click


class ExampleCommand(click.Command):
    def __init__(self, *args: Any, examples: tuple[tuple[str, str], ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line, meaning in self.examples:
                formatter.write(f"  {line:<{max(len(line) for line, _ in self.examples)}}  {meaning}\n")
        formatter.write("\n")
        super().format_help(ctx, formatter)
