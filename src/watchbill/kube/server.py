"""What the API server says of itself."""

import msgspec
from msgspec import Struct

from watchbill.kube.client import Kube


class _Version(Struct, rename="camel"):
    git_version: str


async def server_version(kube: Kube) -> str:
    """v1.37.1, as charts may ask for one."""
    client = kube._client  # noqa: SLF001 - lightkube knows resources only, and this is none
    answer = await client.send(client._client.build_request("GET", "/version"))  # noqa: SLF001
    return msgspec.json.decode(answer.content, type=_Version).git_version
