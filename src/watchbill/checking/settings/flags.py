"""Flags that users say they deploy with: their names, and what can be wrong with them."""

from collections.abc import Iterator, Sequence

from watchbill.checking.settings.shape import quoted, suggest
from watchbill.lifecycle import moves
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT, HELM_FLAGS, KUBECTL_FLAGS, Flag
from watchbill.lifecycle.lab import Tool
from watchbill.rehearsal.script import KNOWN

EVERY_TOOL = tuple(Tool(name, version) for name, versions in KNOWN.items() for version in versions)
TABLES = {"helm": HELM_FLAGS, "kubectl": KUBECTL_FLAGS}
# Flags of Helm on which no finding depends: they say where, with which values, and how it is told.
WITHOUT_WEIGHT = frozenset(
    "--values -f --set --set-string --set-json --set-file --set-literal --reuse-values --reset-values "
    "--reset-then-reuse-values --version --devel --repo --username --password --pass-credentials --plain-http --verify "
    "--keyring --ca-file --cert-file --key-file --insecure-skip-tls-verify --dependency-update --namespace -n "
    "--kube-context --kubeconfig --kube-apiserver --kube-as-group --kube-as-user --kube-ca-file --kube-token "
    "--kube-insecure-skip-tls-verify --kube-tls-server-name --burst-limit --qps --registry-config --repository-cache "
    "--repository-config --post-renderer --post-renderer-args --labels --dry-run --hide-secret --hide-notes "
    "--render-subchart-notes --output -o --generate-name -g --name-template --disable-openapi-validation "
    "--skip-schema-validation --enable-dns --filter --color --colour".split()
)


def name_of(text: str) -> str:
    """`--timeout` of `--timeout=5m` and of `--timeout 5m`."""
    return (text.split() or [""])[0].partition("=")[0]


def timeout_of(texts: Sequence[str]) -> float:
    """How long Helm waits with these flags, in seconds: the last --timeout counts. One that is wrong counts as none."""
    given = [text for text in texts if name_of(text) == "--timeout"]
    try:
        return moves.parse(f"install {given[-1]}", "helm").flags.timeout if given else DEFAULT_TIMEOUT
    except moves.BadMove:
        return DEFAULT_TIMEOUT


def wrong(text: str, tools: Sequence[Tool]) -> tuple[str, str] | None:
    """What is wrong with a flag, and what to do; `tools` are those that may be given it."""
    name = name_of(text)
    known = dict(_all())
    if not name.startswith("-"):
        return f"{quoted(text)} is not a flag", suggest(f"--{name}", known) or "flags begin with --"
    if name in WITHOUT_WEIGHT and any(tool.name == "helm" for tool in tools):
        return None
    if name not in known:
        return f"the model knows no flag {quoted(name)}", suggest(name, known)
    takers = [(tool, flag) for tool in tools for flag in _flags(name, tool)]
    if not takers:
        has_it = next(tool for tool in EVERY_TOOL if any(_flags(name, tool)))
        return f"{', '.join(map(str, tools))} has no flag {name}", f"{has_it} has it"
    tool, flag = takers[0]
    if flag.kind not in ("bool", "wait") and text.strip() == name:
        return f"the flag {name} needs a value", f"write it as {name}=VALUE"
    try:
        move = moves.parse(f"{flag.commands[0]} {text}", tool.name)
    except moves.BadMove:
        move = None
    if move is None or len(move.given) > 1:
        return f"{quoted(text)} is more than one flag", "each flag, with its value, is an entry of its own"
    return (f"{tool.name} does not take {quoted(text)}: {move.refused}", "") if move.refused else None


def _flags(name: str, tool: Tool) -> Iterator[Flag]:
    version = tuple(map(int, tool.version.split(".")))
    for flag in TABLES[tool.name].get(name, ()):
        if tool.name != "helm" or version in flag.versions:
            yield flag


def _all() -> Iterator[tuple[str, Flag]]:
    for table in TABLES.values():
        for name, flags in table.items():
            yield from ((name, flag) for flag in flags)
