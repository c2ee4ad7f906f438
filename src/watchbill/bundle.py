"""The modules of `check`, compiled, in one file: it lies in a wheel, made by and for the Python that built it.

Python looks for every module in several folders, which takes it as long as to run them all. Those in the file are run
one after the other, each after what it imports. In a checkout there is no such file, and another version of Python
cannot read it: then they are imported as ever. hatch_build.py writes it.
"""

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # they are there already; `importlib` would import more
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from mmap import ACCESS_READ, mmap
from types import ModuleType

PACKAGE = os.path.dirname(__file__)
FILE = os.path.join(PACKAGE, "check.bundle")


def load() -> None:
    try:
        with open(FILE, "rb") as file:
            # To read it all would take as much memory again, and memory costs more time than what is read.
            packed = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    except (OSError, ValueError):
        return
    start = len(MAGIC_NUMBER)
    if packed[:start] != MAGIC_NUMBER:
        return
    modules = marshal.loads(packed[start:])  # noqa: S302 - as much ours as any module
    made = [(_made(name, code.co_filename), code) for name, code in modules if name not in sys.modules]
    for module, _ in made:
        if module.__package__ == module.__name__:  # a package may import what is in it
            sys.modules[module.__name__] = module
    for module, code in made:
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)  # noqa: S102
        around, _, own = module.__name__.rpartition(".")
        setattr(sys.modules[around], own, module)


def _made(name: str, path: str) -> ModuleType:
    """As an import makes it; `path` is `watchbill/errors.py`, as tracebacks say it, wherever that lies."""
    file = os.path.join(os.path.dirname(PACKAGE), path)
    module = ModuleType(name)
    spec = ModuleSpec(
        name, SourceFileLoader(name, file), origin=file, is_package=path.endswith("__init__.py")
    )
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, file
    module.__package__ = spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = [os.path.dirname(file)]
    return module
