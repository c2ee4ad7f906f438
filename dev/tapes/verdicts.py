"""Are the verdicts of `check` on real charts true? Every error it gives is played by the real tool.

A pair is checked as the upgrade it is, and its new version alone. (The old version alone, too, where it is the one that
people reported something of.) An error is reproduced when the real tool,
taking the moves of its trace, does move by move what the trace says: fails or works, with the same words, and
leaves and writes the same objects.
"""

import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml  # type: ignore[import-untyped]

from dev.tapes import agreement, corpus
from dev.tapes.case import Case, CaseError, Truth
from dev.tapes.corpus import Documents, Pair
from watchbill.charts.engine import Engine
from watchbill.charts.process import Limits
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.plan import DEFAULT_TOOLS
from watchbill.checking.result import Checked, Finding
from watchbill.checking.workers import each
from watchbill.lifecycle.kube.removed import SINCE

CHECKS: tuple["Check", ...] = ("upgrade", "new", "old")
COMPARED = (*agreement.COMPARED, "writes")

Play = tuple[str, Case]  # a tool and what it plays
Truths = Mapping[tuple[str, str, str], Truth]
Check = Literal["upgrade", "new", "old"]  # to the new version, or one of the two alone


@dataclass(frozen=True)
class Verdict:
    """What `check` says of a pair."""

    pair: Pair
    check: Check
    checked: Checked

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.checked.findings if finding.level == "error"]

    def count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.checked.findings)


@dataclass(frozen=True)
class Judged:
    """An error, and what the real tool has to say about it."""

    verdict: Verdict
    finding: Finding
    objection: str  # empty: it is reproduced

    def __str__(self) -> str:
        words = (
            f"{self.verdict.pair['pair']} ({self.verdict.check}): {self.finding.rule} {self.finding.title}"
        )
        return f"{words}\n    {self.objection}" if self.objection else words


def verdicts(pairs: Sequence[Pair], tell: Callable[[int, int, str], None]) -> list[Verdict]:
    """On all cores, and in the order of the pairs."""
    asked = [(pair, which) for which in CHECKS for pair in pairs if which != "old" or pair.get("reported")]
    tasks = [(_subject(pair, which), _options(pair)) for pair, which in asked]
    found = list[Verdict]()
    with Engine() as engine:
        for (pair, which), answer in zip(asked, each(check, tasks, Limits(), engine), strict=True):
            if answer.checked.problem is not None:
                raise CaseError(f"{pair['pair']} was not checked: {answer.checked.problem.what}")
            found.append(Verdict(pair, which, answer.checked))
            tell(len(found), len(asked), pair["pair"])
    return found


def _subject(pair: Pair, which: Check) -> Subject:
    old, new = (corpus.manifests(side) for side in (pair["old"]["install"], pair["new"]["upgrade"]))
    before = (old, "old.yaml") if which == "upgrade" else ("", "")
    return Subject(
        path=pair["pair"],
        manifests=old if which == "old" else new,
        manifests_name="old.yaml" if which == "old" else "new.yaml",
        old_manifests=before[0],
        old_name=before[1],
    )


def _options(pair: Pair) -> Options:
    return Options(DEFAULT_TOOLS, Context(release=pair["release"], namespace=pair["namespace"]))


# From an error to what shows it


def _is_absent(finding: Finding, moves: Sequence[Truth]) -> bool:
    names = {name.rpartition("/")[2] for name in moves[-1]["objects"]}
    return all(thing.partition("/")[2] not in names for thing in finding.objects)


def _is_deleted(finding: Finding, moves: Sequence[Truth]) -> bool:
    deletions = [write for move in moves for write in move["writes"] if write.startswith("delete ")]
    return all(
        any(write.endswith(f"/{thing.partition('/')[2]}") for write in deletions) for thing in finding.objects
    )


# What one look at the manifests finds has no trace: moves that show it, and what must come of them.
SHOWN: dict[str, tuple[tuple[str, ...], Callable[[Finding, Sequence[Truth]], bool]]] = {
    "WB210": (("install",), _is_absent),
    "WB406": (("install", "upgrade", "upgrade"), _is_deleted),
}


def play_of(verdict: Verdict, finding: Finding) -> Play | None:
    """What the real tool has to play; nothing where nobody knows what shows it."""
    if finding.trace is not None:
        which, tool, words = finding.trace.versions, finding.trace.tool, finding.trace.moves
    elif finding.rule in SHOWN:
        which = ("before", "this") if verdict.check == "upgrade" else ("this",)
        tool, words = finding.tools[0], SHOWN[finding.rule][0]
    else:
        return None
    old, new = verdict.pair["old"]["install"], verdict.pair["new"]["upgrade"]
    sides = {"before": old, "this": old if verdict.check == "old" else new}
    return tool, corpus.of_sides(verdict.pair, [_served(sides[one]) for one in which], words)


def _served(documents: Documents) -> Documents:
    """Without what Kubernetes has removed: `check` thinks of a cluster that still serves it."""
    return [document for document in documents if not _is_removed(document["yaml"])]


def _is_removed(text: str) -> bool:
    thing = yaml.load(text, yaml.CSafeLoader)
    return isinstance(thing, dict) and (thing.get("apiVersion"), thing.get("kind")) in SINCE


def judge(engine: Engine, found: Sequence[Verdict], truths: Truths) -> Iterator[Judged]:
    for verdict in found:
        for finding in verdict.errors:
            yield Judged(verdict, finding, _objection(engine, verdict, finding, truths))


def _objection(engine: Engine, verdict: Verdict, finding: Finding, truths: Truths) -> str:
    play = play_of(verdict, finding)
    if play is None:
        return "no moves are known that show it"
    tool, case = play
    truth = truths.get((case.name, tool, case.digest(tool)))
    if truth is None:
        return "it could not be played"
    said = agreement.said(engine, case, tool)
    if finding.trace is None:
        shown = SHOWN[finding.rule][1](finding, truth["moves"])
    else:
        shown = [(move["ok"], bool(move["error"])) for move in said] == [
            (row.works is not False, row.works is False and not killed(text))
            for row, text in zip(finding.trace.rows, finding.trace.moves, strict=True)
        ] and agreement.comparable("error", said[-1]["error"]) == agreement.comparable("error", finding.error)
    if not shown:
        return f"{[move.text for move in case.moves]} do not show it"
    for real, ours in zip(truth["moves"], said, strict=True):
        for what in COMPARED:
            if agreement.comparable(what, real[what]) != agreement.comparable(what, ours[what]):
                return f"{real['move']!r}, {what}:\n      real {_short(real[what])}\n      said {_short(ours[what])}"
    return ""


def killed(move: str) -> bool:
    return move.startswith("kill ")


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:2000]


# The summary


def summary(found: Sequence[Verdict], judged: Sequence[Judged]) -> str:
    """As docs/how-watchbill-knows.md has it."""
    sides = [[verdict for verdict in found if verdict.check == which] for which in ("new", "upgrade")]
    rows = [
        ("checked", *(str(len(side)) for side in sides)),
        ("without an error", *(_share(side) for side in sides)),
        ("warnings of a chart, median", *(_median(side, "warning") for side in sides)),
        ("notes of a chart, median", *(_median(side, "note") for side in sides)),
        ("errors", *(str(sum(map(_errors, side))) for side in sides)),
        ("reproduced by real Helm", *(_reproduced(judged, which) for which in ("new", "upgrade"))),
    ]
    lines = ["| | new versions alone | upgrades to them |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def by_rule(judged: Sequence[Judged]) -> str:
    """Errors of alone and of upgrades together."""
    errors = Counter((one.finding.rule, one.finding.name) for one in judged)
    good = Counter((one.finding.rule, one.finding.name) for one in judged if not one.objection)
    lines = ["| rule | errors | reproduced |", "|---|---|---|"]
    lines += [
        f"| {rule} {name} | {errors[rule, name]} | {good[rule, name]} |" for rule, name in sorted(errors)
    ]
    return "\n".join(lines)


def _errors(verdict: Verdict) -> int:
    return verdict.count("error")


def _share(side: Sequence[Verdict]) -> str:
    silent = sum(not verdict.errors for verdict in side)
    return f"{silent} ({100 * silent / len(side):.0f} %)"


def _median(side: Sequence[Verdict], level: str) -> str:
    return f"{statistics.median(verdict.count(level) for verdict in side):g}"


def _reproduced(judged: Sequence[Judged], which: str) -> str:
    return str(sum(one.verdict.check == which and not one.objection for one in judged))
