"""What is left out at the start is there for who asks for it."""

import subprocess
import sys
from pathlib import Path


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_neither_platform_nor_textwrap_is_run_for_msgspec() -> None:
    program = """
import sys
from watchbill import lean
lean.prepare()
import msgspec
print("platform" in sys.modules, hasattr(type(sys.modules["textwrap"]), "__getattr__"))
"""
    assert python(program) == "False True\n"


def test_they_are_the_true_ones_when_they_are_asked_for() -> None:
    program = """
from watchbill import lean
lean.prepare()
import base64, msgspec, platform, textwrap, uuid, os
class Told(msgspec.Struct):
    '''
    What it is.
      And more.
    '''
schema = msgspec.json.schema(Told)
print(schema["$defs"]["Told"]["description"].splitlines()[:2] == ["What it is.", "  And more."])
print(platform.system() == os.uname().sysname, bool(platform.python_version()))
from textwrap import dedent
print(dedent("  a") + textwrap.indent("b", " "), textwrap.TextWrapper.__module__)
print(uuid.UUID(int=1), len(str(uuid.uuid4())))
import msgspec.inspect
print(msgspec.inspect.type_info(int), msgspec.yaml.__name__, msgspec.msgpack.decode(msgspec.msgpack.encode([1])))
from base64 import b64decode
print(b64decode(base64.b64encode(b"a")), base64.b64decode is b64decode)
"""
    assert python(program).splitlines() == [
        "True",
        "True True",
        "a b textwrap",
        "00000000-0000-0000-0000-000000000001 36",
        "IntType(gt=None, ge=None, lt=None, le=None, multiple_of=None) msgspec.yaml [1]",
        "b'a' True",
    ]


def test_a_python_that_asks_for_more_gets_it(tmp_path: Path) -> None:
    (tmp_path / "uuid.py").write_text("import platform\nTOLD = platform.python_version()")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from watchbill import lean
lean.prepare()
import uuid
print(uuid.TOLD == sys.version.split()[0])
"""
    assert python(program) == "True\n"
