"""What published schemas accept, judged by somebody else: Helm."""

from pathlib import Path

from tests.conftest import Watchbill
from tests.support.trees import write


def accepts(schema: Path, content: bytes, watchbill: Watchbill, folder: Path) -> bool:
    """Helm's validator of values knows the schema's dialect, and nothing of how we read files."""
    write(folder, {"Chart.yaml": "apiVersion: v2\nname: schema\nversion: 1.0.0\n"})
    (folder / "values.schema.json").write_text(schema.read_text())
    (folder / "content.yaml").write_bytes(content)
    done = watchbill("show", str(folder), "-f", str(folder / "content.yaml"))
    assert done.returncode == 0 or "schema" in done.stderr, done.stderr
    return done.returncode == 0
