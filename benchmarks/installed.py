"""Watchbill as users have it: a compiled wheel in an environment of its own, not the editable checkout."""

import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def installed(extra: str = "") -> Iterator[Path]:
    """The folder with `python` and `watchbill` in it."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "--compile"]
        project = f"{ROOT}[{extra}]" if extra else str(ROOT)
        subprocess.run([*pip, "--constraint", _pins(Path(folder)), project], check=True)
        yield Path(folder) / "bin"


def _pins(folder: Path) -> str:
    """The project's pins without their hashes: a folder to install has none."""
    lines = [
        line.split(" ")[0] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    ]
    pins = folder / "pins.txt"
    pins.write_text("\n".join(lines))
    return str(pins)
