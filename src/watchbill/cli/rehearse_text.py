"""A rehearsal for a person in a terminal: move by move what it did, and what went wrong in the tool's words."""

from collections.abc import Iterator, Sequence

from watchbill.cli.rehearse_rows import name, rows
from watchbill.cli.width import columns, terminal_width
from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, objects
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.server import ALWAYS_THERE
from watchbill.lifecycle.world import Live, World
from watchbill.report.counting import listed
from watchbill.report.styles import style
from watchbill.report.terminal import fit, padded, printable, width, wrapped

RELEASE_NAME = "meta.helm.sh/release-name"
RESOURCE_POLICY = "helm.sh/resource-policy"


def lines(played: Sequence[Played], lab: Lab, versions: Sequence[str], *, verbose: bool) -> Iterator[str]:
    """`versions` are their names, as the user wrote them."""
    return fit(_lines(played, lab, versions, verbose=verbose), terminal_width())


def _lines(played: Sequence[Played], lab: Lab, versions: Sequence[str], *, verbose: bool) -> Iterator[str]:
    tool = style(f"{lab.tool.name} {lab.tool.version}", bold=True)
    yield f'{tool}, release "{lab.release}" in namespace "{printable(lab.namespace)}"'
    worlds = [World(), *(one.world for one in played)]
    told = [list(rows(*pair, lab, verbose=verbose)) for pair in zip(played, worlds, strict=False)]
    verbs = max((len(row.verb) for below in told for row in below), default=0)
    whats = max((width(row.what) for below in told for row in below if row.remark), default=0)
    moves = max(width(printable(one.move.text)) for one in played)
    releases = max(len(_release(one, lab)) for one in played)
    for number, (one, below) in enumerate(zip(played, told, strict=True), 1):
        head = f"{number:<2} {padded(printable(one.move.text), moves)}   "
        if one.move.of_tool or not one.ok:
            said = (_outcome(one), padded(_release(one, lab), releases), _version(one, versions))
            head += "   ".join(part for part in said if part)
        else:
            head += _meant(one, lab)
        yield head.rstrip()
        for row in below:
            remark = style(row.remark, fg=row.color) if row.color else row.remark
            yield f"     {padded(row.verb, verbs)}  {padded(row.what, whats)}  {remark}".rstrip()
        yield from _error(one)
        yield from _left_behind(one, lab)
    if assumed := list(_assumed(played, lab)):
        yield ""
        text = f"assumed to be there: {listed(assumed, whole=verbose)}"
        yield from (style(line, dim=True) for line in _wrapped(text, ""))


def _outcome(played: Played) -> str:
    if played.killed:
        return style("is killed", fg="yellow", bold=True)
    return style("works", fg="green") if played.ok else style("fails", fg="red", bold=True)


def _release(played: Played, lab: Lab) -> str:
    if lab.tool.name != "helm" or not played.move.of_tool:
        return ""
    release = played.release
    if release is None:
        said = "release is gone" if played.steps else "no release"
    else:
        said = f"revision {release.revision} {release.status}"
        history = played.world.history(lab.records(lab.named(played.move.release)))
        deployed = [known.revision for known in history if known.status == "deployed"]
        if deployed and release.revision not in deployed:
            said += f", {deployed[-1]} still deployed"
    return f'release "{played.move.release}": {said}' if played.move.release else said


def _version(played: Played, versions: Sequence[str]) -> str:
    """Worth a word where there is more than one."""
    if len(versions) > 1 and played.move.verb in ("install", "upgrade", "apply"):
        return style(printable(versions[played.move.version]), dim=True)
    return ""


def _meant(played: Played, lab: Lab) -> str:
    """What a pattern is about: one that matches nothing is most likely a mistake."""
    pattern = played.move.pattern
    if not pattern:
        return ""
    keys = {*lab.cluster.rendered, *played.world.objects}
    found = sorted(key for key in keys if fate_of(key.kind, key.name, ((pattern, "hang"),)) == "hang")
    if not found:
        return style("matches nothing that these versions run", fg="yellow")
    return style(listed([name(key, lab) for key in found]), dim=True)


def _error(played: Played) -> Iterator[str]:
    if played.killed:
        return
    for line in played.error.strip().splitlines():
        if line.strip():
            yield from _wrapped(printable(line.expandtabs(2)), "   ")


def _left_behind(played: Played, lab: Lab) -> Iterator[str]:
    if not (played.ok and played.move.of_tool and played.move.verb in ("uninstall", "delete")):
        return
    world = played.world
    left = sorted(
        name(key, lab) + _kept(world.objects[key])
        for key in objects(world)
        if world.objects[key].body.annotations.get(RELEASE_NAME) not in world.releases
    )
    yield from _wrapped(f"left behind: {', '.join(left) or 'nothing'}", "   ")


def _kept(live: Live) -> str:
    return " (resource-policy: keep)" if live.body.annotations.get(RESOURCE_POLICY) == "keep" else ""


def _assumed(played: Sequence[Played], lab: Lab) -> Iterator[str]:
    """What no version brings along, and is taken as there."""
    cluster = lab.cluster
    for group, kind in sorted({(key.group, key.kind) for key in cluster.rendered} - cluster.custom_kinds):
        if not catalog.is_builtin_group(group):
            yield f"kind {printable(kind)} ({printable(group)})"
    known = {lab.namespace, "", *ALWAYS_THERE, *cluster.namespaces}
    for namespace in sorted({key.namespace for key in cluster.rendered} - known):
        yield f'namespace "{printable(namespace)}"'
    wanted: set[Key] = set()
    for one in played:
        for key, live in one.world.objects.items():
            if live.run is not None:
                wanted.update(needs(live.body, key.namespace))
    yield from (name(key, lab) for key in sorted(wanted - cluster.rendered))


def _wrapped(text: str, indent: str) -> Iterator[str]:
    indent += text[: len(text) - len(text.lstrip())]
    return wrapped(text.strip(), columns(), first=indent, then=f"{indent}  ")
