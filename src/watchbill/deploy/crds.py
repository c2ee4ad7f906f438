"""CustomResourceDefinitions come before everything: applied, and waited for until the API server serves their kinds.

Helm creates those of a chart's crds/ at the first install and never touches them again. Here they are kept up to date.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator
from typing import Any

from lightkube.generic_resource import create_global_resource
from msgspec import Struct

from watchbill.deploy.patience import patiently
from watchbill.errors import UserError
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

GROUP, VERSION, KIND = "apiextensions.k8s.io", "v1", "CustomResourceDefinition"
AT_ONCE = 8
PATIENCE = 60.0  # seconds until one must be established: a server that works needs less than two
STALE = 3.0  # what is said of its names may be of what was there before
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0

# Not lightkube's own type: that would drop what it does not know of a schema.
Resource = create_global_resource(GROUP, VERSION, KIND, "customresourcedefinitions")


class Definition(Struct, frozen=True):
    name: str
    object: dict[str, Any]
    origin: str  # the file it comes from, in words for a person
    then: str = ""  # what keeps it out, for who does not want it


class Definitions:
    """Each name once. The same from several charts is one; two that differ are nobody's to choose from."""

    def __init__(self, found: Iterable[Definition] = ()) -> None:
        self._by_name: dict[str, Definition] = {}
        for definition in found:
            known = self._by_name.setdefault(definition.name, definition)
            if known.object != definition.object:
                raise UserError(
                    f"there are two different CustomResourceDefinitions {definition.name}",
                    where=f"{known.origin}\n{definition.origin}",
                    then=definition.then or known.then,
                )

    def __iter__(self) -> Iterator[Definition]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    async def apply(self, kube: Kube) -> None:
        """All of them, also where somebody else wrote them before. Fields that others set are taken over."""
        turns = asyncio.Semaphore(AT_ONCE)

        async def in_turn(definition: Definition) -> Exception | None:
            async with turns:
                try:
                    await _apply(kube, definition)
                except UserError as error:
                    return error
                return None

        failed = [error for error in await asyncio.gather(*map(in_turn, self)) if error is not None]
        if failed:
            raise failed[0] if len(failed) == 1 else _together(failed, len(self))


async def _apply(kube: Kube, definition: Definition) -> None:
    try:
        applied = await patiently(lambda: kube.apply(Resource.from_dict(definition.object), force=True))
        if not kube.dry_run:
            await _established(kube, definition, applied)
    except KubeError as error:
        raise UserError(
            f"CustomResourceDefinition {definition.name} cannot be applied: {error.what}",
            where=f"{definition.origin}\n{error.where or ''}".strip(),
            then=error.then,
        ) from None


async def _established(kube: Kube, definition: Definition, seen: Any) -> None:
    began = time.monotonic()
    pause = _FIRST_PAUSE
    while True:
        conditions = {one.get("type"): one for one in (seen.get("status") or {}).get("conditions") or ()}
        if conditions.get("Established", {}).get("status") == "True":
            return
        waited = time.monotonic() - began
        names = conditions.get("NamesAccepted", {})
        if names.get("status") == "False" and waited > STALE:
            raise UserError(
                f"CustomResourceDefinition {definition.name} is not accepted: {names.get('message') or names.get('reason')}",
                where=definition.origin,
                then=f"another one has that name: kubectl get crds | grep {definition.name.partition('.')[2]}",
            )
        if waited > PATIENCE:
            raise UserError(
                f"CustomResourceDefinition {definition.name} is not served after {PATIENCE:g} s",
                where=definition.origin,
                then=f"look at it: kubectl describe crd {definition.name}",
            )
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
        seen = await patiently(lambda: kube.get(Resource, definition.name))


def _together(failed: list[Exception], of: int) -> UserError:
    return UserError(
        f"{len(failed)} of {of} CustomResourceDefinitions cannot be applied",
        where="\n".join(str(error) for error in failed[:10]) + ("\n…" if len(failed) > 10 else ""),
    )
