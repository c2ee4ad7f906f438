"""Reads a bill, with one of its profiles and one of its environments. Whatever is wrong with it, the user hears all of it at once."""

from collections.abc import Collection
from typing import Any

from watchbill.charts import plain
from watchbill.charts.engine import Engine
from watchbill.checking.settings import typed_file
from watchbill.checking.settings.shape import quoted, suggest
from watchbill.deploy import written as as_written
from watchbill.deploy.bill import Bill
from watchbill.deploy.meaning import Meaning
from watchbill.errors import UserError

WHAT = "the product's bill"


def read(engine: Engine, file: str, profile: str = "", environment: str = "") -> Bill:
    written, found = typed_file.read(engine, file, as_written.Bill, WHAT, tidy)
    meaning = Meaning(written, file, profile, environment)
    sections = ("prerequisites", written.prerequisites), ("components", written.components)
    places = [(section, place) for section, components in sections for place in range(len(components))]
    bill = meaning.bill(plain.lines(engine, found, places))
    if meaning.mistakes:
        raise typed_file.bad(engine, found, meaning.mistakes)
    for kind, name, known in (
        ("profile", profile, written.profiles),
        ("environment", environment, written.environments),
    ):
        if name and name not in known:
            raise _unknown(kind, name, known)
    return bill


def require_environment(bill: Bill, context: str) -> None:
    """Refuse to work on a cluster without an environment, if the bill has some, or on another cluster than that of the
    environment. `context` is the one in use."""
    if bill.environments and not bill.environment:
        raise UserError(
            f"{bill.file} has environments, and none is chosen",
            then=f"choose one: --environment {' or '.join(bill.environments)}",
        )
    if bill.context and bill.context != context:
        raise UserError(
            f"environment {bill.environment} is deployed to context {bill.context}, and this is {context or 'none'}",
            where=bill.file,
            then=f"use its context: --context {bill.context}",
        )


def tidy(content: Any) -> Any:
    """A profile or environment may be a name and nothing more; elsewhere a key without a value is not there."""
    if not isinstance(content, dict):
        return content
    named = {key: content[key] for key in ("profiles", "environments") if isinstance(content.get(key), dict)}
    return content | {
        key: {name: {} if said is None else said for name, said in known.items()}
        for key, known in named.items()
    }


def _unknown(kind: str, name: str, known: Collection[str]) -> UserError:
    there_are = f"{kind}s are: {', '.join(known)}" if known else f"the bill has no {kind}s"
    return UserError(f"unknown {kind} {quoted(name)}", then=suggest(name, known) or there_are)
