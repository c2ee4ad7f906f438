"""The user's own helm, Helm 3 or 4, through one driver."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from watchbill.errors import UserError
from watchbill.helm import arguments, process, version
from watchbill.helm.guardian import Guardian
from watchbill.helm.process import Tell
from watchbill.helm.requests import Done, RollbackRequest, Target, UninstallRequest, UpgradeRequest
from watchbill.helm.version import Version

GRACE = 30.0
HERE = Target()  # the cluster that helm itself would take


def _nobody(line: str) -> None:
    """For those who read the result only."""


class Helm:
    """One helm binary and one cluster. Ends with `close`, or as an async context.

    Each helm gets the environment and the working folder of the moment when this was made: jobs run in this process,
    and may change both."""

    def __init__(
        self,
        binary: str,
        target: Target = HERE,
        *,
        grace: float = GRACE,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.binary = binary
        self.environment = dict(environment)
        self.target = target
        self.grace = grace
        self._folder = os.getcwd()
        self._guardian = Guardian(target.kubeconfig if target.is_ours else None)
        self._version: asyncio.Task[Version] | None = None

    @classmethod
    def find(
        cls,
        named: str | None = None,
        target: Target = HERE,
        *,
        grace: float = GRACE,
        environment: Mapping[str, str] = os.environ,
    ) -> Self:
        """The binary that is named, else $HELM, else the one on PATH."""
        wanted = named or environment.get("HELM") or "helm"
        found = shutil.which(wanted, path=environment.get("PATH"))
        if found is None:
            raise UserError(
                f"{wanted}: no such program" if wanted != "helm" else "helm is not on PATH",
                then="install Helm 3.13 or later, or name the binary with --helm or $HELM",
            )
        return cls(os.path.abspath(found), target, grace=grace, environment=environment)

    async def version(self) -> Version:
        """Asked once. A UserError if it is no helm, or one that is too old."""
        if self._version is None:
            self._version = asyncio.ensure_future(self._ask_version())
        return await asyncio.shield(self._version)

    async def upgrade(self, asked: UpgradeRequest, *, tell: Tell = _nobody) -> Done:
        """Installs or upgrades. Cancelled, helm marks its release as failed (with atomic: rolls back) within the grace."""
        known = await self.version()
        return await self._run(arguments.upgrade(asked, self.target, known), tell, asked.values_text)

    async def rollback(self, asked: RollbackRequest, *, tell: Tell = _nobody) -> Done:
        """Helm knows no way to cancel a rollback: one that is cancelled leaves `pending-rollback`."""
        return await self._run(arguments.rollback(asked, self.target), tell)

    async def uninstall(self, asked: UninstallRequest, *, tell: Tell = _nobody) -> Done:
        """Helm knows no way to cancel it: what was cancelled is left `uninstalling`, and may be asked for again."""
        return await self._run(arguments.uninstall(asked, self.target), tell)

    def group(self) -> int:
        """The process group of all helm processes: alive as long as one of them is, also when we are gone."""
        return self._guardian.group()

    def close(self) -> None:
        self._guardian.dismiss()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _ask_version(self) -> Version:
        done = await self._run(["version", "--template", "{{.Version}}"], _nobody)
        said = done.lines[-1] if done.ok and done.lines else ""
        return version.read(said, self.binary)

    async def _run(self, command: list[str], tell: Tell, given: str | None = None) -> Done:
        return await process.run(
            [self.binary, *command],
            given=given,
            group=self._guardian.group(),
            grace=self.grace,
            tell=tell,
            environment=self.environment,
            folder=self._folder,
        )
