"""Values as JSON text that any reader takes."""

from typing import Any

import msgspec


def encoded(thing: Any) -> str:
    try:
        raw = msgspec.json.encode(thing)
    except UnicodeEncodeError:  # a file name that is no Unicode
        raw = msgspec.json.encode(_well_formed(msgspec.to_builtins(thing)))
    return msgspec.json.format(raw, indent=2).decode()


def _well_formed(thing: Any) -> Any:
    match thing:
        case str():
            return thing.encode(errors="backslashreplace").decode()
        case list() | tuple():
            return [_well_formed(item) for item in thing]
        case dict():
            return {_well_formed(key): _well_formed(value) for key, value in thing.items()}
        case _:
            return thing
