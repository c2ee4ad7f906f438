"""Flags of the tools' commands, and in which versions they exist."""

from msgspec import Struct

from watchbill.lifecycle.helm.traits import Span

HELM = Span((3, 0, 0))
HELM3 = Span((3, 0, 0), (4, 0, 0))
HELM4 = Span((4, 0, 0))


DEFAULT_TIMEOUT = 300.0  # seconds


class Flags(Struct, frozen=True, cache_hash=True):
    """What a move's flags ask for; the names are those of the newest version."""

    install: bool = False
    force: bool = False  # replace objects instead of patching them
    force_conflicts: bool = False
    atomic: bool = False
    wait: str = ""  # Helm 3: "true"; Helm 4: the name of a strategy
    wait_for_jobs: bool = False
    take_ownership: bool = False
    no_hooks: bool = False
    cleanup_on_fail: bool = False
    history_max: int = 10
    keep_history: bool = False
    cascade: str = "background"
    server_side: str = ""
    timeout: float = DEFAULT_TIMEOUT
    replace: bool = False
    skip_crds: bool = False
    ignore_not_found: bool = False
    prune: bool = False
    selector: str = ""
    all: bool = False


class Flag(Struct, frozen=True):
    field: str  # of Flags; empty: it changes nothing the model shows
    kind: str  # bool, text, number, duration, wait
    commands: tuple[str, ...]
    versions: Span = HELM


CHANGE = ("install", "upgrade", "rollback")
ANY = (*CHANGE, "uninstall", "test")

HELM_FLAGS: dict[str, tuple[Flag, ...]] = {
    "--install": (Flag("install", "bool", ("upgrade",)),),
    "-i": (Flag("install", "bool", ("upgrade",)),),
    "--force": (Flag("force", "bool", CHANGE),),
    "--force-replace": (Flag("force", "bool", CHANGE, HELM4),),
    "--force-conflicts": (Flag("force_conflicts", "bool", CHANGE, HELM4),),
    "--server-side": (Flag("server_side", "text", CHANGE, HELM4),),
    "--atomic": (
        Flag("atomic", "bool", ("install",), HELM3),
        Flag("atomic", "bool", ("install",), Span((4, 1, 3))),
        Flag("atomic", "bool", ("upgrade",)),
    ),
    "--rollback-on-failure": (Flag("atomic", "bool", ("install", "upgrade"), HELM4),),
    "--wait": (Flag("wait", "wait", (*CHANGE, "uninstall")),),
    "--wait-for-jobs": (Flag("wait_for_jobs", "bool", CHANGE),),
    "--take-ownership": (Flag("take_ownership", "bool", ("install", "upgrade"), Span((3, 17, 0))),),
    "--no-hooks": (Flag("no_hooks", "bool", (*CHANGE, "uninstall")),),
    "--cleanup-on-fail": (Flag("cleanup_on_fail", "bool", ("upgrade", "rollback")),),
    "--history-max": (Flag("history_max", "number", ("upgrade", "rollback")),),
    "--keep-history": (Flag("keep_history", "bool", ("uninstall",)),),
    "--cascade": (Flag("cascade", "text", ("uninstall",)),),
    "--timeout": (Flag("timeout", "duration", ANY),),
    "--replace": (Flag("replace", "bool", ("install",)),),
    "--skip-crds": (Flag("skip_crds", "bool", ("install", "upgrade")),),
    "--ignore-not-found": (Flag("ignore_not_found", "bool", ("uninstall",)),),
    "--create-namespace": (Flag("", "bool", ("install", "upgrade")),),
    "--description": (Flag("", "text", ("install", "upgrade", "uninstall")),),
    "--debug": (Flag("", "bool", ANY),),
    "--logs": (Flag("", "bool", ("test",)),),
}

# Flags of install and upgrade that give values: they decide what is rendered, not what the tool does with it.
VALUE_FLAGS = ("-f", "--values", "--set", "--set-string", "--set-json", "--set-file", "--set-literal")

BOTH = ("apply", "delete")

KUBECTL_FLAGS: dict[str, tuple[Flag, ...]] = {
    "--server-side": (Flag("server_side", "bool", ("apply",)),),
    "--force": (Flag("force", "bool", BOTH),),
    "--force-conflicts": (Flag("force_conflicts", "bool", ("apply",)),),
    "--prune": (Flag("prune", "bool", ("apply",)),),
    "--all": (Flag("all", "bool", ("apply",)),),
    "--selector": (Flag("selector", "text", BOTH),),
    "-l": (Flag("selector", "text", BOTH),),
    "--cascade": (Flag("cascade", "text", BOTH),),
    "--timeout": (Flag("", "duration", BOTH),),
    "--wait": (Flag("", "bool", ("apply",)), Flag("wait", "wait", ("delete",))),
    "--ignore-not-found": (Flag("ignore_not_found", "bool", ("delete",)),),
}
