"""Reads a bill, with one of its profiles. Whatever is wrong with it, the user hears all of it at once."""

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


def read(engine: Engine, file: str, profile: str = "") -> Bill:
    written, found = typed_file.read(engine, file, as_written.Bill, WHAT, tidy)
    meaning = Meaning(written, file, profile)
    sections = ("prerequisites", written.prerequisites), ("components", written.components)
    places = [(section, place) for section, components in sections for place in range(len(components))]
    bill = meaning.bill(plain.lines(engine, found, places))
    if meaning.mistakes:
        raise typed_file.bad(engine, found, meaning.mistakes)
    if profile and profile not in written.profiles:
        raise _unknown(profile, written)
    return bill


def tidy(content: Any) -> Any:
    """A profile may be a name and nothing more; elsewhere a key without a value is not there."""
    profiles = content.get("profiles") if isinstance(content, dict) else None
    if not isinstance(profiles, dict):
        return content
    return {**content, "profiles": {name: {} if said is None else said for name, said in profiles.items()}}


def _unknown(profile: str, written: as_written.Bill) -> UserError:
    there_are = (
        f"profiles are: {', '.join(written.profiles)}" if written.profiles else "the bill has no profiles"
    )
    return UserError(
        f"unknown profile {quoted(profile)}",
        then=suggest(profile, written.profiles) or there_are,
    )
