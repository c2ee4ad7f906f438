"""Charts in one file: Go's txtar format, a comment and then sections headed `-- path --`.

Bytes are kept as they are, so a section may hold CRLF line ends or what is no UTF-8 (.gitattributes
keeps git from touching them). As in Go, a section always ends with a newline.
"""

import re
from pathlib import Path
from typing import NamedTuple

_MARKER = re.compile(rb"^-- (\S.*?) --\n", re.MULTILINE)


class Archive(NamedTuple):
    comment: str
    files: dict[str, bytes]


def read(path: Path) -> Archive:
    comment, *sections = _MARKER.split(path.read_bytes())
    names = [name.decode() for name in sections[::2]]
    if len(set(names)) != len(names):
        raise ValueError(f"{path} has a section twice: {sorted(names)}")
    return Archive(comment.decode(), dict(zip(names, sections[1::2], strict=True)))


def unpack(path: Path, into: Path) -> Path:
    """Write an archive's files into a directory, which is then a chart."""
    for name, content in read(path).files.items():
        file = into / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return into
