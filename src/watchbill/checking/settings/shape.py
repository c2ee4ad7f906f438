"""Has what was read the shape of a type? Every way in which it has not, with the place, in words for a person.

msgspec stops at the first one, and speaks of types; people want all of them, and to hear what they may have meant.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import NODEFAULT, Struct, inspect

from watchbill.charts.plain import Path
from watchbill.lifecycle.moves import closest

LONGEST = 60


class Mistake(Struct, frozen=True):
    path: Path  # of something that is there
    what: str
    then: str = ""


def mistakes(value: Any, wanted: type) -> Iterator[Mistake]:
    yield from _mistakes(value, inspect.type_info(wanted), ())


def suggest(word: str, known: Iterable[str]) -> str:
    """What may have been meant; empty where nothing is like it."""
    by_lower = {name.lower(): name for name in known}
    close = closest(word.lower(), by_lower)
    return f"did you mean {by_lower[close]!r}?" if close else ""


def quoted(text: object) -> str:
    """What the user wrote, and no more of it than one can read."""
    said = str(text)
    return repr(said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…")


def _mistakes(value: Any, wanted: inspect.Type, path: Path) -> Iterator[Mistake]:
    match _bare(wanted, value):
        case inspect.StructType() as struct:
            yield from _in_struct(value, struct, path)
        case inspect.DictType(value_type=inner):
            yield from _in_dict(value, inner, path)
        case inspect.VarTupleType(item_type=inner):
            yield from _in_list(value, inner, path)
        case inspect.LiteralType(values=words):
            yield from _in_words(value, [str(word) for word in words], path)
        case inspect.StrType(min_length=least):
            yield from _in_text(value, path, _examples(wanted), may_be_empty=not least)
        case inspect.BoolType():
            if not isinstance(value, bool):
                yield _other(value, "true or false", path)
        case inspect.IntType(ge=least):
            yield from _in_number(value, least, path)
        case other:
            raise NotImplementedError(other)


def _bare(wanted: inspect.Type, value: Any) -> inspect.Type:
    """Without its description, and without the None that stands for what is not given. Of one or a list of them
    the one that is written."""
    if isinstance(wanted, inspect.Metadata):
        return _bare(wanted.type, value)
    if isinstance(wanted, inspect.UnionType):
        given = [one for one in wanted.types if not isinstance(one, inspect.NoneType)]
        several = [one for one in given if isinstance(one, inspect.VarTupleType)]
        return _bare((several if several and isinstance(value, list) else given)[0], value)
    return wanted


def _examples(wanted: inspect.Type) -> list[str]:
    """Return the examples that the type is described with."""
    if isinstance(wanted, inspect.UnionType):
        return next((found for one in wanted.types if (found := _examples(one))), [])
    if not isinstance(wanted, inspect.Metadata):
        return []
    said = (wanted.extra_json_schema or {}).get("examples", [])
    return [one for one in said if isinstance(one, str)] or _examples(wanted.type)


def _in_struct(value: Any, wanted: inspect.StructType, path: Path) -> Iterator[Mistake]:
    fields = {field.encode_name: field for field in wanted.fields}
    if not isinstance(value, dict):
        yield _other(value, f"a mapping with keys ({', '.join(fields)})", path)
        return
    inside = f" in {_name(path)}" if path else ""
    for key, inner in value.items():
        if key in fields:
            yield from _mistakes(inner, fields[key].type, (*path, key))
        else:
            then = suggest(key, fields) or f"valid keys: {', '.join(fields)}"
            yield Mistake((*path, key), f"unknown key {quoted(key)}{inside}", then)
    for name, field in fields.items():
        if field.default is NODEFAULT and field.default_factory is NODEFAULT and name not in value:
            yield Mistake(path, f"{_name(path)} has no {name}", f"add {name}: {_description(field.type)}")


def _in_dict(value: Any, inner: inspect.Type, path: Path) -> Iterator[Mistake]:
    if not isinstance(value, dict):
        yield _other(value, "a mapping", path)
        return
    for key, held in value.items():
        yield from _mistakes(held, inner, (*path, key))


def _in_list(value: Any, inner: inspect.Type, path: Path) -> Iterator[Mistake]:
    if not isinstance(value, list):
        # What follows a = may be a secret.
        example = f": [{value}]" if "=" not in str(value) else ""
        yield _other(value, "a list", path, f"write it as a list{example}" if _is_short(value) else "")
        return
    for place, item in enumerate(value):
        yield from _mistakes(item, inner, (*path, place))


def _in_words(value: Any, words: list[str], path: Path) -> Iterator[Mistake]:
    if value not in words:
        then = suggest(str(value), words) if _is_short(value) else ""
        yield Mistake(
            path, f"{_name(path)} cannot be {_said(value)}", then or f"valid values: {', '.join(words)}"
        )


def _in_text(value: Any, path: Path, examples: list[str], *, may_be_empty: bool) -> Iterator[Mistake]:
    if not isinstance(value, str):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        then = f'put it in quotes: "{value}"' if is_number else ""
        if (
            examples and is_number
        ):  # in quotes it would be refused as well: 30 is not a duration, 1.0 not a version
            then = f"write it like {' or '.join(examples)}"
        yield _other(value, "a string", path, then)
    elif not value.strip() and not may_be_empty:
        yield Mistake(path, f"{_name(path)} is empty")
    elif "\0" in value:
        yield Mistake(path, f"{_name(path)} contains a NUL character")


def _in_number(value: Any, least: int | None, path: Path) -> Iterator[Mistake]:
    if not isinstance(value, int) or isinstance(value, bool):
        yield _other(value, "a whole number", path)
    elif least is not None and value < least:
        yield Mistake(path, f"{_name(path)} must be at least {least}")


def _description(of: inspect.Type) -> str:
    schema = of.extra_json_schema if isinstance(of, inspect.Metadata) else None
    said = str((schema or {}).get("description", ""))
    return said[:1].lower() + said[1:].rstrip(".")


def _other(value: Any, wanted: str, path: Path, then: str = "") -> Mistake:
    return Mistake(path, f"{_name(path)} must be {wanted}, not {_kind(value)}", then)


def _said(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else _kind(value)


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) <= LONGEST


def _kind(value: Any) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _name(path: Path) -> str:
    """The line is told, too, so that it need not say which of several."""
    match path:
        case ():
            return "the file"
        case (*_, str(key)):
            return key if len(key) <= LONGEST else quoted(key)
        case (*_, str(key), int()):
            return f"an entry of {key}"
        case _:
            raise AssertionError(path)
