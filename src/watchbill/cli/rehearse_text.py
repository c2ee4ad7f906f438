"""A rehearsal for a person in a terminal: after each move what it did, and what went wrong in the tool's words."""

import os
import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from click import style

from watchbill.cli.terminal import padded, printable, width
from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, objects
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.server import ALWAYS_THERE
from watchbill.lifecycle.world import Live, Run, World

MOST_ALIKE = 4  # rows that differ in nothing but the object; more are folded into one
MOST_NAMED = 3  # of what is assumed, or of what a pattern matches
WIDEST = 110  # where nobody tells how wide it may be
KEEP = "helm.sh/resource-policy"
NOT_THERE = "not found"


class Row(NamedTuple):
    """One line below a move."""

    verb: str
    what: str
    remark: str = ""
    color: str = ""
    kind: str = ""  # of a plain object, which may be folded with its like


def lines(played: Sequence[Played], lab: Lab, versions: Sequence[str], *, verbose: bool) -> Iterator[str]:
    yield _head(lab)
    stories = []
    before = World()
    for one in played:
        rows = list(_rows(one, before, lab, verbose=verbose))
        stories.append((one, rows if verbose else list(_folded(rows))))
        before = one.world
    moves = max(width(printable(one.move.text)) for one in played)
    verbs = max((len(row.verb) for _, rows in stories for row in rows), default=0)
    whats = max((width(row.what) for _, rows in stories for row in rows if row.remark), default=0)
    for number, (one, rows) in enumerate(stories, 1):
        yield _headline(number, one, lab, versions, moves)
        for row in rows:
            line = f"     {padded(row.verb, verbs)}  {padded(row.what, whats)}  "
            yield (line + _colored(row)).rstrip()
        yield from _error(one)
        yield from _left_behind(one, lab)
    assumed = list(_assumed(played, lab))
    if assumed:
        yield ""
        yield from (style(line, dim=True) for line in _wrapped(f"assumed: {_named(assumed, verbose)}", ""))


def _head(lab: Lab) -> str:
    tool = style(f"{lab.tool.name} {lab.tool.version}", bold=True)
    return f'{tool}, release "{lab.release}" in namespace "{printable(lab.namespace)}"'


def _headline(number: int, played: Played, lab: Lab, versions: Sequence[str], columns: int) -> str:
    move = played.move
    line = f"{number:<2} {padded(printable(move.text), columns)}   "
    if not move.of_tool:
        return (
            f"{line}{'' if played.ok else style('fails', fg='red', bold=True)}{_meant(played, lab)}".rstrip()
        )
    outcome = style("works", fg="green") if played.ok else style("fails", fg="red", bold=True)
    said = [_release(played, lab)] if lab.tool.name == "helm" else []
    if len(versions) > 1 and move.verb in ("install", "upgrade", "apply"):
        said.append(style(printable(versions[move.version]), dim=True))
    return f"{line}{outcome}   {'   '.join(said)}".rstrip()


def _release(played: Played, lab: Lab) -> str:
    release = played.release
    name = played.move.release
    if release is None:
        said = "release is gone" if played.steps else "no release"
    else:
        said = f"revision {release.revision} {release.status}"
        history = played.world.history(name or lab.release)
        deployed = [known.revision for known in history if known.status == "deployed"]
        if deployed and release.revision not in deployed:
            said += f", {deployed[-1]} still deployed"
    return f'release "{name}": {said}' if name else said


def _meant(played: Played, lab: Lab) -> str:
    """What a pattern is about: one that matches nothing is most likely a mistake."""
    move = played.move
    if not move.pattern:
        return ""
    keys = {*lab.cluster.rendered, *played.world.objects}
    found = sorted(key for key in keys if fate_of(key.kind, key.name, ((move.pattern, "hang"),)) == "hang")
    if not found:
        return style("matches nothing that these versions run", fg="yellow")
    return style(_named([_name(key, lab) for key in found]), dim=True)


def _rows(played: Played, before: World, lab: Lab, *, verbose: bool) -> Iterator[Row]:
    world = before
    for place, step in enumerate(played.steps):
        key = step.key
        if key is None:
            if verbose:
                verb, _, what = str(step).partition(" ")
                record, _, status = what.partition(" ")
                yield Row(verb, record, status)
        elif step.verb == "delete" and step.refused == NOT_THERE:
            if verbose:
                yield Row(step.verb, _name(key, lab), _joined(step.why, "is not there"))
        else:
            yield _row(played, place, world, lab)
        world = step.world
    yield from _meanwhile(played, before, lab)


def _row(played: Played, place: int, world: World, lab: Lab) -> Row:
    step = played.steps[place]
    assert step.key is not None
    verb, what = "create" if step.created else step.verb, _name(step.key, lab)
    if step.refused:
        words = "" if step.refused in played.error else f": {printable(step.refused)}"
        return Row(verb, what, _joined(step.why, f"refused{words}"), "red")
    run, color = "", ""
    if step.created:
        run, color = _run(played, place, lab)
    elif step.deleted is not None and step.deleted.run is not None and not step.deleted.run.finished:
        run, color = _unfinished(step.deleted.run), "yellow"
    change = ""
    if step.verb in ("apply", "patch", "replace") and not step.created:
        same = world.objects[step.key].body is step.world.objects[step.key].body
        change = "unchanged" if same else "changed"
    plain = not step.why and not run and step.key.kind not in ("Job", "Pod")
    return Row(verb, what, _joined(step.why, run, change), color, step.key.kind if plain else "")


def _run(played: Played, place: int, lab: Lab) -> tuple[str, str]:
    """What became of a Job that this step created, as far as this move goes."""
    key = played.steps[place].key
    assert key is not None
    for later in played.steps[place + 1 :]:
        if later.key == key and later.deleted is not None:
            return _words(later.deleted, key, later.world, lab) if later.deleted.run else ("", "")
    live = played.world.objects.get(key)
    if live is not None:
        return _words(live, key, played.world, lab)
    if played.steps[place].world.objects[key].run is None:
        return "", ""
    return "ran, gone as soon as it finished", ""


def _words(live: Live, key: Key, world: World, lab: Lab) -> tuple[str, str]:
    run = live.run
    if run is None:
        return "", ""
    if run.phase == "succeeded":
        late = fate_of(key.kind, key.name, world.fates) == "late"
        return ("ran, succeeded late" if late else "ran, succeeded"), ""
    if run.phase == "failed":
        return f"ran, failed: {run.reason}" if run.reason else "ran, failed", "red"
    if run.phase == "suspended":
        return "is suspended, does not run", "yellow"
    if run.phase == "waiting":
        absent = [_name(needed, lab) for needed in missing(world, lab.cluster, key, live.body)]
        return f"waits for {_named(absent)}" if absent else "waits", "yellow"
    return "still runs", "yellow"


def _unfinished(run: Run) -> str:
    return {"suspended": "never ran", "waiting": "never started"}.get(run.phase, "was still running")


def _meanwhile(played: Played, before: World, lab: Lab) -> Iterator[Row]:
    """What became of objects that the move itself did not write."""
    written = {step.key for step in played.steps if not step.refused}
    for key, old in before.objects.items():
        if key in written:
            continue
        new = played.world.objects.get(key)
        if new is None:
            yield Row("gone", _name(key, lab), _ended(old, played))
        elif new.run is not None and old.run is not None and new.run.phase != old.run.phase:
            yield Row("then", _name(key, lab), *_words(new, key, played.world, lab))
        elif new.body is not old.body:
            yield Row("change", _name(key, lab))


def _ended(old: Live, played: Played) -> str:
    if played.move.verb != "delete" and old.run is not None and old.run.expires_in is not None:
        return "its time to live is over"
    return ""


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    """Plain objects that go the same way, one after the other, are told by number."""
    stretch: list[Row] = []
    for row in [*rows, None]:
        if row is not None and row.kind:
            stretch.append(row)
            continue
        alike: dict[tuple[str, str], list[Row]] = {}
        for plain in stretch:
            alike.setdefault((plain.verb, plain.remark), []).append(plain)
        for (verb, remark), same in alike.items():
            if len(same) <= (1 if remark == "unchanged" else MOST_ALIKE):
                yield from same
            else:
                yield Row(verb, f"{len(same)} objects", _joined(remark, _kinds(same)))
        stretch = []
        if row is not None:
            yield row


def _kinds(rows: Sequence[Row]) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.kind] = counts.get(row.kind, 0) + 1
    return ", ".join(f"{number} {kind}" if number > 1 else kind for kind, number in counts.items())


def _colored(row: Row) -> str:
    return style(row.remark, fg=row.color) if row.color else row.remark


def _error(played: Played) -> Iterator[str]:
    for line in played.error.strip().splitlines():
        if line.strip():
            yield from _wrapped(printable(line.expandtabs(2)), "   ")


def _left_behind(played: Played, lab: Lab) -> Iterator[str]:
    if not (played.ok and played.move.of_tool and played.move.verb in ("uninstall", "delete")):
        return
    left = [
        _name(key, lab) + (" (resource-policy: keep)" if live.body.annotations.get(KEEP) == "keep" else "")
        for key in objects(played.world, lab)
        if not _of_a_release(live := played.world.objects[key], played.world)
    ]
    yield from _wrapped(f"left behind: {', '.join(left) or 'nothing'}", "   ")


def _of_a_release(live: Live, world: World) -> bool:
    return live.body.annotations.get("meta.helm.sh/release-name") in world.releases


def _assumed(played: Sequence[Played], lab: Lab) -> Iterator[str]:
    """What no version brings along, and is taken as there."""
    cluster = lab.cluster
    kinds = sorted({key[:2] for key in cluster.rendered} - cluster.custom_kinds)
    for group, kind in kinds:
        if not catalog.is_builtin_group(group):
            yield f"the cluster serves {printable(kind)} ({printable(group)})"
    own = {lab.namespace, "", *ALWAYS_THERE, *cluster.namespaces}
    for namespace in sorted({key.namespace for key in cluster.rendered} - own):
        yield f'namespace "{printable(namespace)}" is there'
    wanted: dict[Key, None] = {}
    for one in played:
        for key, live in one.world.objects.items():
            if live.run is not None:
                wanted |= dict.fromkeys(needs(live.body, key.namespace))
    for key in sorted(set(wanted) - cluster.rendered):
        yield f"{_name(key, lab)} is there"


def _name(key: Key, lab: Lab) -> str:
    within = f"{key.namespace}/" if key.namespace not in ("", lab.namespace) else ""
    return printable(f"{key.kind}/{within}{key.name}")


def _named(names: Sequence[str], verbose: bool = False) -> str:
    if verbose or len(names) <= MOST_NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _wrapped(text: str, indent: str) -> list[str]:
    columns = os.get_terminal_size(1).columns if sys.stdout.isatty() else WIDEST
    own = text[: len(text) - len(text.lstrip())]
    return wrap(
        text.strip(),
        max(columns, 40),
        initial_indent=indent + own,
        subsequent_indent=indent + own + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
