"""Does `rehearse -m` say what the real tools did to the corpus? Every move of every play is compared."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.tapes.corpus import Pair, manifests
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle.kube.words import normalise
from watchbill.lifecycle.lab import Lab, Tool
from watchbill.lifecycle.moves import number, parse
from watchbill.lifecycle.play import objects, play
from watchbill.lifecycle.world import World
from watchbill.rehearsal.versions import FromManifests, Versions, context_for

Truth = dict[str, Any]
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


def said(engine: Engine, pair: Pair, tool: str, moves: list[str]) -> list[Truth]:
    """What the model says of a pair, in the shape of a truth."""
    name, _, version = tool.partition("@")
    chosen = Tool(name, version)
    context = context_for(Context(release=pair["release"], namespace=pair["namespace"]), chosen)
    texts = [manifests(side) for side in (pair["old"]["install"], pair["new"]["upgrade"])]
    sources = [FromManifests(engine, f"v{at}.yaml", text, context) for at, text in enumerate(texts, 1)]
    versions = Versions(sources, pair["release"])
    lab = Lab(chosen, versions, versions.cluster, pair["release"], pair["namespace"])
    world, result = World(), []
    for move in number([parse(text, name) for text in moves], len(versions)):
        played = play(world, move, lab)
        world = played.world
        release = played.release
        result.append(
            {
                "ok": played.ok,
                "error": played.error.strip(),
                "release": {"revision": release.revision, "status": release.status} if release else None,
                "ran": [f"{key.namespace}/{key.name}" for key in played.ran],
                "objects": sorted(str(key) for key in objects(world, lab)),
            }
        )
    return result


def differences(engine: Engine, pair: Pair, line: Truth) -> Iterator[Difference]:
    """Of the first move that differs: what follows is its consequence."""
    played = said(engine, pair, line["tool"], line["moves"])
    for text, real, ours in zip(line["moves"], line["truth"]["moves"], played, strict=True):
        found = [
            Difference(line["pair"], line["tool"], text, what, real[what], ours[what])
            for what in COMPARED
            if _comparable(what, real[what]) != _comparable(what, ours[what])
        ]
        if found:
            yield from found
            return


def _comparable(what: str, value: Any) -> Any:
    if what in ("ran", "objects"):
        return sorted(value)
    if what == "error":
        # What is created side by side fails in any order.
        return sorted(part.strip() for part in re.split(r"\n\s*(?:\* )?", normalise(value)))
    return value


def compare(engine: Engine, pairs: list[Pair], recorded: Path) -> tuple[int, list[Difference]]:
    """How many plays were compared, and in what they differ."""
    by_name = {pair["pair"]: pair for pair in pairs}
    count, found = 0, []
    for text in recorded.read_text().splitlines():
        line = json.loads(text)
        if "truth" in line:
            count += 1
            found += differences(engine, by_name[line["pair"]], line)
    return count, found


def summary(count: int, found: list[Difference]) -> str:
    plays = {(difference.pair, difference.tool) for difference in found}
    causes = Counter(difference.what for difference in found)
    return f"{count} plays, {count - len(plays)} agree, {len(plays)} differ ({dict(causes)})"
