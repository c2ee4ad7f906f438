"""The Go libraries that the API server and its clients use, as an oracle for the model.

with Oracle() as oracle:
    oracle.ask({"op": "json_two_way", "original": {}, "modified": {"a": 1}, "current": {}})
"""

import hashlib
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from dev.cluster import lock, processes
from dev.cluster.build import SETTINGS
from dev.cluster.layout import cache_dir

SOURCES = Path(__file__).resolve().parent
# The flags of the cluster's components: Kubernetes is then already compiled in Go's cache.
BUILD = ("build", "-v", "-trimpath", "-ldflags", "-s -w")
# Questions sent before their answers are read; main.go reads ahead by more.
BUNCH = 64


class OracleError(Exception):
    """The libraries refuse; the words are theirs."""


def binary() -> Path:
    """The oracle of these sources, built now if it is not yet in the cache."""
    home = cache_dir() / "oracle" / _digest()[:16]
    built = home / "oracle"
    with lock.held(home.with_name(home.name + ".lock")):
        if not built.exists():
            from dev.go import go_for

            draft = home.with_name(home.name + ".draft")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            command = ["nice", str(go_for(SOURCES)), *BUILD, "-o", str(draft / "oracle"), "."]
            processes.patient("building the oracle", command, cwd=SOURCES, **SETTINGS)
            draft.replace(home)
    return built


def _digest() -> str:
    digest = hashlib.sha256(repr((BUILD, SETTINGS)).encode())
    for file in sorted([*SOURCES.glob("*.go"), *SOURCES.glob("go.*")]):
        digest.update(f"\0{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


class Oracle:
    """One process, asked by line."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([binary()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, question: dict[str, Any]) -> Any:
        """The answer to one question; raises OracleError where the libraries return an error."""
        [answer] = self.ask_each([question])
        if isinstance(answer, OracleError):
            raise answer
        return answer

    def ask_each(self, questions: Iterable[dict[str, Any]]) -> Iterator[Any]:
        """One answer a question, in their order; a refusal is an answer here."""
        assert self._process.stdin
        assert self._process.stdout
        waiting = iter(questions)
        while lines := [msgspec.json.encode(question) + b"\n" for question in islice(waiting, BUNCH)]:
            self._process.stdin.write(b"".join(lines))
            self._process.stdin.flush()
            for _ in lines:
                reply = msgspec.json.decode(self._process.stdout.readline())
                yield OracleError(reply["error"]) if "error" in reply else reply["answer"]
