"""WB307: a sidecar that a mesh puts into a Job's pod never ends, so neither does the Job."""

from collections.abc import Iterator
from typing import Any

from watchbill.lifecycle.objects import Body, at
from watchbill.rules.look import Look
from watchbill.rules.mends import changed
from watchbill.rules.rule import Claim, Mend, Rule, Severity
from watchbill.rules.words import named

TEMPLATE = ("spec", "template", "metadata")
# Where a mesh is told to put its sidecar in, and the word that tells it not to.
INJECTS = {"sidecar.istio.io/inject": ("true", "false"), "linkerd.io/inject": ("enabled", "disabled")}


def _inspect(look: Look) -> Iterator[Claim]:
    """Only where the chart itself says that there is a mesh: whether others have one, no chart can know."""
    manifests = [manifest for manifest, _ in look.manifests()]
    meshes = {
        mesh
        for manifest in manifests
        for mesh, (yes, _) in INJECTS.items()
        if _said(manifest.body, mesh) == yes
    }
    for manifest in manifests:
        if manifest.key.kind != "Job":
            continue
        for mesh in sorted(meshes):
            yes, no = INJECTS[mesh]
            said = _said(manifest.body, mesh)
            if said == no:
                continue
            explicit = said == yes
            yield Claim(
                subject=manifest.key,
                title=f"{named(manifest.key)} never ends where a mesh adds its sidecar to the pod",
                because=f'{mesh} is "{said}"'
                if explicit
                else f"other pods of the chart have {mesh}, and this one does not opt out",
                fix=f'put {mesh}: "{no}" on the pod template, or let the mesh use native sidecars',
                mends=(_opted_out(manifest.key, mesh, no),),
                cause=mesh,
                path=TEMPLATE,
                severity=Severity.WARNING if explicit else Severity.NOTE,
                confidence="medium",
            )


def _said(body: Body, mesh: str) -> str | None:
    for place in ("annotations", "labels"):
        said = at(body.object, *TEMPLATE, place, mesh)
        if said is not None:
            return str(said)
    return None


def _opted_out(key: Any, mesh: str, no: str) -> Mend:
    def change(thing: dict[str, Any]) -> dict[str, Any]:
        metadata = dict(at(thing, *TEMPLATE) or {})
        for place in ("annotations", "labels"):
            metadata[place] = {**(metadata.get(place) or {}), mesh: no}
        spec = thing["spec"]
        return {**thing, "spec": {**spec, "template": {**spec["template"], "metadata": metadata}}}

    return changed(key, change)


RULE = Rule("WB307", "sidecar", "a mesh's sidecar keeps a Job from ending", (44,), inspect=_inspect)
