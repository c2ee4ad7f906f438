"""Microsoft's SARIF Multitool: the judge of our SARIF.

It comes out of the npm package that holds its linux/amd64 program (no Node is needed to run it), pinned by its hash,
and is kept in the user's cache beside the other pinned binaries. npm fetches it, because npm knows which
registry this machine may use.

    python -m dev.multitool                       prints where the program is
    python -m dev.multitool validate FILE...      says what it thinks of SARIF files; exit 1 where that is anything bad
"""

import base64
import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dev.binaries import BinaryError, alone, directory

PACKAGE, VERSION = "@microsoft/sarif-multitool-linux", "5.7.0"
SHA512 = "NxUbpq6ISCWoTQ/NfOYEwEDKq1Heka/rMoJ5R5LMydcAZQX/X7g5mWHcgxDub+0M07LC96tZ5LZHvF1Qy3gjTA=="
# The program, its defaults, and the SARIF schema it validates with.
MEMBERS = ("Sarif.Multitool", "default.configuration.xml", "sarif-2.1.0.json")
RULES = "Sarif;Ghas"  # the specification's, and what GitHub asks for
# The first would ask the network for every link; the second wants a link to a site, and there is none yet.
SETTINGS = {
    "SARIF2006.UrisShouldBeReachable.Options": {"RuleEnabled": "Disabled"},
    "SARIF2005.ProvideToolProperties.Options": {"InformationUriRequired": False},
}
_BAD = re.compile(r"\): (?:error|warning) \w+: ")


def multitool() -> Path:
    """The program."""
    place = directory() / f"sarif-multitool-{VERSION}"
    if not place.exists():  # only ever complete: it is renamed into place
        if (sys.platform, platform.machine()) not in (("linux", "x86_64"), ("linux", "AMD64")):
            raise BinaryError("the SARIF Multitool is pinned for linux/amd64 only")
        place.parent.mkdir(parents=True, exist_ok=True)
        with (
            alone(place.parent / f".{place.name}.lock"),
            tempfile.TemporaryDirectory(dir=place.parent) as partial,
        ):
            if not place.exists():
                _fetch(Path(partial)).rename(place)
    return place / MEMBERS[0]


def complaints(files: Sequence[Path]) -> list[str]:
    """The errors and warnings about these files; notes are matters of taste (snippets, reachable links)."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_text(json.dumps(SETTINGS))
        command = [str(multitool()), "validate", *map(str, files), "--rule-kind", RULES]
        command += ["--config", str(settings)]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if f"{len(files)} files scanned" not in done.stdout:
        raise BinaryError(f"the SARIF Multitool did not validate:\n{done.stdout}{done.stderr}")
    return [line for line in done.stdout.splitlines() if _BAD.search(line)]


def _fetch(into: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise BinaryError("the SARIF Multitool is fetched with npm, and there is none")
    command = [npm, "pack", "--silent", "--pack-destination", str(into), f"{PACKAGE}@{VERSION}"]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise BinaryError(f"npm could not fetch {PACKAGE} {VERSION}:\n{done.stderr.strip()}")
    archive = next(into.glob("*.tgz"))
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != SHA512:
        raise BinaryError(f"{PACKAGE} {VERSION} is not what was pinned: its hash differs")
    target = into / "multitool"
    target.mkdir()
    with tarfile.open(archive) as packed:
        for name in MEMBERS:
            content = packed.extractfile(f"package/{name}")
            assert content is not None, name
            with (target / name).open("wb") as file:
                shutil.copyfileobj(content, file)
    (target / MEMBERS[0]).chmod(0o755)
    return target


def main(arguments: Sequence[str]) -> int:
    try:
        if not arguments:
            print(multitool())
            return 0
        if arguments[0] != "validate" or len(arguments) == 1:
            print(__doc__, file=sys.stderr)
            return 2
        said = complaints([Path(argument) for argument in arguments[1:]])
    except BinaryError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(said) or "nothing to say against them")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
