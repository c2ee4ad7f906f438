"""What helm is asked to do: whole requests, not flags."""

from collections.abc import Mapping

from msgspec import Struct


class Target(Struct, frozen=True):
    """The cluster. What is not named is left to helm's own environment."""

    kubeconfig: str | None = None
    context: str | None = None
    is_ours: bool = False  # the kubeconfig is a copy, which must not outlive the run


class UpgradeRequest(Struct, frozen=True, kw_only=True):
    """One `helm upgrade --install`. Nothing of the values of an earlier revision is reused."""

    release: str
    namespace: str
    chart: str  # a folder, an archive, repo/name or oci://
    version: str = ""
    values: tuple[str, ...] = ()  # files, the later win
    values_text: str | None = (
        None  # YAML or JSON that wins over the files; goes through stdin: no process list shows it
    )
    set_json: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    set_string: tuple[str, ...] = ()
    set_file: tuple[str, ...] = ()
    labels: Mapping[str, str] = {}
    timeout: float = 300.0
    wait: bool = True
    wait_for_jobs: bool = False
    atomic: bool = False
    cleanup_on_fail: bool = False
    history_max: int = 10
    skip_crds: bool = False
    dry_run: bool = False  # asks the server, changes nothing


class RollbackRequest(Struct, frozen=True, kw_only=True):
    """One `helm rollback`."""

    release: str
    namespace: str
    revision: int
    timeout: float = 300.0
    wait: bool = True
    history_max: int = 10


class UninstallRequest(Struct, frozen=True, kw_only=True):
    """One `helm uninstall`: objects that chart or person marked as kept stay."""

    release: str
    namespace: str
    timeout: float = 300.0
    wait: bool = True


class Done(Struct, frozen=True):
    """How a helm process ended."""

    code: int
    seconds: float
    lines: tuple[str, ...]  # the last of what it said, on both streams, without notes and manifests
    revision: int = 0  # as helm told it; 0: it did not

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def reason(self) -> str:
        """Helm's own error, else the last words; empty when it worked."""
        if self.ok:
            return ""
        for index, line in enumerate(self.lines):
            if line.startswith("Error: "):
                return "\n".join((line.removeprefix("Error: "), *self.lines[index + 1 :]))
        return "\n".join(self.lines[-8:]) or f"helm exited with code {self.code} and printed nothing"
