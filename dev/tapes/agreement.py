"""Does `rehearse -m` say what the real tools did to the corpus? Every move of every play is compared."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dev.tapes.case import Case, Truth
from dev.tapes.corpus import Pair, case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle.kube.words import normalise
from watchbill.rehearsal.performance import perform, set_up
from watchbill.rehearsal.report import report
from watchbill.rehearsal.script import read

COMPARED = ("ok", "error", "release", "ran", "objects")


@dataclass(frozen=True)
class Difference:
    pair: str
    tool: str
    move: str
    what: str
    real: Any
    said: Any

    def __str__(self) -> str:
        real, said = (json.dumps(value, ensure_ascii=False) for value in (self.real, self.said))
        return f"{self.pair} {self.tool} {self.move!r} {self.what}\n    real {real}\n    said {said}"


def said(engine: Engine, case: Case, tool: str) -> list[Truth]:
    """What the model says of a case whose versions are manifests, in the shape of a truth."""
    texts = [(f"v{number}.yaml", version.manifests or "") for number, version in enumerate(case.versions, 1)]
    script = read([move.text for move in case.moves], tool, [name for name, _ in texts], case.release)
    lab = set_up(engine, script, texts, Context(release=case.release, namespace=case.namespace))
    result: list[Truth] = msgspec.to_builtins(report(perform(script, lab), lab).moves)
    return result


def differences(engine: Engine, pair: Pair, line: Truth) -> Iterator[Difference]:
    """Of the first move that differs: what follows is its consequence."""
    played = said(engine, case(pair, line["moves"]), line["tool"])
    for text, real, ours in zip(line["moves"], line["truth"]["moves"], played, strict=True):
        found = [
            Difference(line["pair"], line["tool"], text, what, real[what], ours[what])
            for what in COMPARED
            if comparable(what, real[what]) != comparable(what, ours[what])
        ]
        if found:
            yield from found
            return


def comparable(what: str, value: Any) -> Any:
    if what in ("ran", "objects", "writes"):
        return sorted(value)
    if what == "error":
        # What is created side by side fails in any order.
        return sorted(part.strip() for part in re.split(r"\n\s*(?:\* )?", normalise(value)))
    return value


def compare(engine: Engine, pairs: list[Pair], recorded: Path) -> tuple[int, list[Difference]]:
    """How many plays of these pairs were compared, and in what they differ. What was played again counts as last."""
    by_name = {pair["pair"]: pair for pair in pairs}
    lines = [json.loads(text) for text in recorded.read_text().splitlines()]
    last = {(line["pair"], line["tool"], *line["moves"]): line for line in lines if line["pair"] in by_name}
    plays = [line for line in last.values() if "truth" in line]
    found = [difference for line in plays for difference in differences(engine, by_name[line["pair"]], line)]
    return len(plays), found


def summary(count: int, found: list[Difference]) -> str:
    plays = {(difference.pair, difference.tool) for difference in found}
    causes = Counter(difference.what for difference in found)
    return f"{count} plays, {count - len(plays)} agree, {len(plays)} differ ({dict(causes)})"
