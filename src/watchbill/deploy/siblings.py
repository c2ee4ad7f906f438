"""Other bills of a product: beside one, or in a folder. Read as far as the way between versions needs them."""

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from watchbill import versions
from watchbill.charts import plain
from watchbill.charts.engine import Engine
from watchbill.checking.settings import typed_file
from watchbill.checking.settings.shape import Mistake
from watchbill.deploy import written as as_written
from watchbill.deploy.reading import WHAT, tidy
from watchbill.deploy.way import Step
from watchbill.errors import UserError
from watchbill.patterns import regex
from watchbill.versions import Version

ENDINGS = (".yaml", ".yml")
# By which a bill is told from other YAML.
KEYS = frozenset({"product", "version"})
ONE_OF = frozenset({"components", "prerequisites", "upgradesFrom"})
_LOOKS_LIKE_A_BILL = regex(r"^product:(?s:.*)^(components|prerequisites):", re.MULTILINE)


class Sibling(Struct, frozen=True):
    file: str
    product: str
    version: Version
    upgrades_from: tuple[Version, ...] = ()


def in_folder(engine: Engine, folder: str, product: str = "") -> list[Sibling]:
    """All bills in it and in the folders of it, oldest first. They must be of one product."""
    if not os.path.isdir(folder):
        raise UserError(f"{folder}: no such folder", then="name the folder that holds the product's bills")
    files = [*_yaml_in(folder), *(file for inner in _folders(folder) for file in _yaml_in(inner))]
    found = [sibling for file in files if (sibling := _read(engine, file))]
    found = [sibling for sibling in found if not product or sibling.product == product]
    if not found:
        of = f" of {product}" if product else ""
        raise UserError(
            f"no bills{of} in {folder}", then="a bill needs at least: product, version, components"
        )
    products = {sibling.product: sibling.file for sibling in found}
    if len(products) > 1:
        raise UserError(
            f"{folder} has bills of {len(products)} products",
            where="\n".join(f"{name}: {file}" for name, file in sorted(products.items())),
            then="each product needs a folder of its own",
        )
    return sorted(found, key=lambda sibling: sibling.version)


def beside(engine: Engine, bill: Step) -> list[Sibling]:
    """Bills of the same product in the same folder, or of the same file name in the folders next to it."""
    folder, name = os.path.split(bill.file)
    here = os.path.realpath(bill.file)
    around = os.path.join(folder, os.pardir)
    files = [*_yaml_in(folder or "."), *(os.path.join(inner, name) for inner in _folders(around))]
    others = (os.path.normpath(file) for file in files if os.path.realpath(file) != here)
    found = dict[str, Sibling]()
    for file in others:
        try:
            sibling = _read(engine, file) if os.path.isfile(file) else None
        except UserError:
            continue  # what is only looked at for a hint stops nobody
        if sibling and sibling.product == bill.product:
            found.setdefault(os.path.realpath(file), sibling)
    return sorted(found.values(), key=lambda sibling: sibling.version)


def _folders(folder: str) -> Iterator[str]:
    try:
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    yield from (entry.path for entry in inside if entry.is_dir() and not entry.name.startswith("."))


def _yaml_in(folder: str) -> list[str]:
    try:
        inside = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.normpath(os.path.join(folder, name)) for name in inside if name.endswith(ENDINGS)]


def _read(engine: Engine, file: str) -> Sibling | None:
    """None for what is no bill."""
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read(typed_file.LARGEST)
    except (OSError, UnicodeDecodeError):
        return None
    if not all(key in text for key in KEYS) or not _is_bill(engine, file, text):
        return None
    written, found = typed_file.read(engine, file, as_written.Bill, WHAT, tidy)
    before = (written.upgrades_from,) if isinstance(written.upgrades_from, str) else written.upgrades_from
    wrong, known = list[Mistake](), list[Version]()
    for text, key in ((written.version, "version"), *((one, "upgradesFrom") for one in before)):
        try:
            known.append(versions.parse(text))
        except UserError as error:
            wrong.append(Mistake((key,), error.what, error.then or ""))
    if wrong:
        raise typed_file.bad(engine, found, wrong)
    version, *upgrades_from = known
    return Sibling(file, written.product, version, tuple(dict.fromkeys(upgrades_from)))


def _is_bill(engine: Engine, file: str, text: str) -> bool:
    """What only looks like one, and cannot be read, is one: nobody wants it to be left out without a word."""
    try:
        content = plain.read(engine, file, text).content
    except (UserError, RecursionError):
        return _LOOKS_LIKE_A_BILL.search(text) is not None
    return isinstance(content, dict) and content.keys() >= KEYS and not content.keys().isdisjoint(ONE_OF)
