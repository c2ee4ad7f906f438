"""Start-up is a feature: what the path to a first result imports is a list we keep short.

Modules, not milliseconds: a machine may be slow, an import is an import.
"""

import subprocess
import sys
from pathlib import Path

# Each costs between 3 and 50 ms. click itself brings inspect, so that one cannot be avoided.
EXPENSIVE = {
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "difflib",
    "email",
    "hashlib",
    "http",
    "importlib.metadata",
    "ipaddress",
    "json",
    "lightkube",
    "logging",
    "pathlib",
    "pkgutil",
    "rich",
    "shlex",
    "shutil",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "traceback",
    "urllib",
    "yaml",
    "zipfile",
}

PROGRAM = """
import sys
sys.modules["typing_extensions"] = None  # the base install has none, and msgspec would import it
sys.modules["watchbill.charts.source_digest"] = type(sys)("source_digest")
sys.modules["watchbill.charts.source_digest"].source_digest = lambda folder: {digest!r}
sys.argv = ["watchbill", "show", {chart!r}]
from watchbill.__main__ import main
try:
    main()
except SystemExit as done:
    assert done.code == 0, done.code
print(*sorted(sys.modules))
"""


def imported_modules(root: Path) -> set[str]:
    stamp = (root / "src/watchbill/charts/_engine/source").read_text()
    program = PROGRAM.format(digest=stamp, chart=str(root / "examples/charts/orders"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_show_imports_nothing_expensive(root: Path) -> None:
    modules = imported_modules(root)
    assert "watchbill.charts.render" in modules, "the list below is that of a whole run"
    assert not modules & EXPENSIVE


def test_a_command_imports_only_its_own_module(root: Path) -> None:
    others = {"watchbill.cli.completion", "watchbill.cli.crash", "watchbill.charts.helm_binary"}
    assert not imported_modules(root) & others


def test_the_engine_is_spawned_before_click_is_imported() -> None:
    program = """
import sys
sys.argv = ["watchbill", "show", "x"]
from watchbill.charts import process
class Spy:
    def __init__(self, limits): print("click" in sys.modules, "msgspec" in sys.modules); raise SystemExit(0)
process.EngineProcess = Spy
from watchbill.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
