"""What is imported and a check hardly ever asks: left out, or put off until somebody does. It is a tenth of the start."""

import os
import sys
from types import ModuleType
from typing import Any

# What msgspec has for JSON schemas and other formats, and what Secrets are written in.
LATER = (
    "base64",
    "msgspec.inspect",
    "msgspec.msgpack",
    "msgspec.toml",
    "msgspec.yaml",
    "textwrap",
)


def prepare() -> None:
    """Before msgspec is imported."""
    _import_uuid()
    for name in LATER:
        sys.modules.setdefault(name, _Later(name))


def _import_uuid() -> None:
    """It asks `platform` for the system's name, which the kernel tells as well; `platform` compiles nine expressions."""
    if sys.platform != "linux" or "platform" in sys.modules or "uuid" in sys.modules:
        return
    known = ModuleType("platform")
    known.system = lambda: os.uname().sysname  # type: ignore[attr-defined]
    sys.modules["platform"] = known
    try:
        import uuid  # noqa: F401
    except AttributeError:  # another Python's asks for more
        sys.modules.pop("uuid", None)
    finally:
        del sys.modules["platform"]


class _Later(ModuleType):
    """A module that is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        __import__(self.__name__)
        return getattr(sys.modules[self.__name__], name)
