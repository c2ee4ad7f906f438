"""What objects are there, without what is in them: the server sends names, labels and annotations only."""

from collections.abc import Mapping

import msgspec
from lightkube.core.resource import NamespacedResource
from lightkube.core.selector import build_selector
from msgspec import Struct

from watchbill.deploy.patience import patiently
from watchbill.kube.client import Kube

_ACCEPT = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_PAGE = "500"


class Owner(Struct, frozen=True):
    kind: str
    name: str


class About(Struct, frozen=True, rename="camel"):
    """The metadata of an object, as far as anybody here asks."""

    name: str
    namespace: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    owner_references: tuple[Owner, ...] = ()


class _Object(Struct, frozen=True):
    metadata: About


class _ListAbout(Struct, frozen=True, rename={"then": "continue"}):
    then: str = ""


class _List(Struct, frozen=True):
    items: list[_Object] | None = None  # null where there are none
    metadata: _ListAbout = _ListAbout()


_decoder = msgspec.json.Decoder(_List)


async def metadata(
    kube: Kube, kind: type[NamespacedResource], namespace: str, labels: Mapping[str, str | None] | None = None
) -> list[About]:
    """A label without a value: it only has to be there. Of a namespace that does not exist: none."""
    client = kube._client  # noqa: SLF001 - lightkube has no public way to ask for metadata only
    params = {"limit": _PAGE, "labelSelector": build_selector(dict(labels or {})) or None}
    request = client.prepare_request(
        "list", kind, namespace=namespace, params=params, headers={"Accept": _ACCEPT}
    )
    found: list[About] = []
    while True:
        answer = await patiently(lambda: client.send(client.build_adapter_request(request)))
        page = _decoder.decode(answer.content)
        found += [item.metadata for item in page.items or ()]
        if not page.metadata.then:
            return found
        request.params["continue"] = page.metadata.then
