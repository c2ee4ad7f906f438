"""Claim: `watchbill` starts about as fast as helm does.

Measured on a compiled wheel in an environment of its own, as users have it, not on the editable checkout.
"""

import subprocess
import tempfile
import venv
from pathlib import Path

from benchmarks.measure import command, interleaved, table
from dev import binaries

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = f"{folder}/bin/python"
        pip = [python, "-m", "pip", "install", "--quiet", "--compile"]
        subprocess.run([*pip, "--constraint", _pins(Path(folder)), str(ROOT)], check=True)
        watchbill, helm = f"{folder}/bin/watchbill", str(binaries.helm("4.3.1"))
        chart = str(ROOT / "examples/charts/orders")
        print("start-up, a compiled wheel install, against helm version:")
        table(
            interleaved(
                {
                    "python -c pass": command(python, "-c", "pass"),
                    "helm version": command(helm, "version"),
                    "helm template examples/charts/orders": command(helm, "template", chart),
                    "watchbill --version": command(watchbill, "--version"),
                    "watchbill show examples/charts/orders": command(watchbill, "show", chart),
                }
            ),
            against="helm version",
        )


def _pins(folder: Path) -> str:
    """The project's pins without their hashes: a folder to install has none."""
    lines = [
        line.split(" ")[0] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    ]
    pins = folder / "pins.txt"
    pins.write_text("\n".join(lines))
    return str(pins)


if __name__ == "__main__":
    main()
