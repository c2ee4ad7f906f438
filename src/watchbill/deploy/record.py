"""What the cluster remembers of a product: which version is installed, which is on its way, and how far it got.

One ConfigMap in the product's namespace. Only the holder of the Lease writes it, before and after whatever it speaks of:
so it is true after a kill at any moment. Who lost the Lease without having noticed is stopped here: the object has
changed since that one read it, and its write is refused.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal

import msgspec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Namespace
from msgspec import Struct
from msgspec.structs import replace

from watchbill.deploy import listing
from watchbill.deploy.patience import patiently
from watchbill.errors import UserError
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

PRODUCT_LABEL = "watchbill.dev/product"
MANAGED = {"app.kubernetes.io/managed-by": "watchbill"}
_KEY = "record"
Verb = Literal["upgrade", "atomic-upgrade", "rollback", "uninstall"]


class Once(Struct, frozen=True, rename="camel"):
    """A job that runs once in the life of the product. Started and never ended means: maybe it ran."""

    status: Literal["started", "done"]
    operation: str
    version: str
    at: str


class Work(Struct, frozen=True, rename="camel"):
    """What helm was sent to do with a release. With the revision it started from, what it left can be told from others' work."""

    operation: str
    verb: Verb
    revision: int  # the last one when it started; 0: there was none


class Record(Struct, frozen=True, rename="camel", omit_defaults=True):
    """`installed` is the last version that was deployed whole; `target` the one that is not, or not yet. Empty: none."""

    product: str
    installed: str = ""
    target: str = ""
    profile: str = ""
    environment: str = ""
    done: tuple[str, ...] = ()  # components that have reached the target
    complete: tuple[
        str, ...
    ] = ()  # components that were complete once, of whatever version: they are not new any more
    deploys: int = 0  # how many there have been: the number of the last
    operation: str = ""  # the last deploy's
    # By namespace/release: what helm is doing, or was when somebody was killed.
    working: Mapping[str, Work] = {}
    once: Mapping[str, Once] = {}  # by identity of the job
    writer: str = ""  # who wrote this, and how many times before
    writes: int = 0

    @property
    def is_new(self) -> bool:
        return not self.installed and not self.target

    def begun(self, operation: str) -> "Record":
        """A deploy begins: it has a number and an operation of its own from now on."""
        return replace(self, deploys=self.deploys + 1, operation=operation)

    def started(self, namespace: str, release: str, verb: Verb, revision: int) -> "Record":
        """Helm is about to work on the release. To be stored before it does."""
        work = Work(self.operation, verb, revision)
        return replace(self, working={**self.working, f"{namespace}/{release}": work})

    def completed(self, component: str) -> "Record":
        """The component's chart is in, and all jobs after it went well."""
        return self if component in self.complete else replace(self, complete=(*self.complete, component))

    def ended(self, namespace: str, release: str, component: str = "") -> "Record":
        """Helm worked; with the component if it has reached the target. After a failure the work stays written down:
        helm may not have been able to say so in the release, and then it is ours to heal."""
        left = {key: value for key, value in self.working.items() if key != f"{namespace}/{release}"}
        done = (*self.done, component) if component and component not in self.done else self.done
        return replace(self, working=left, done=done)

    def once_is(
        self, identity: str, status: Literal["started", "done", ""], version: str, at: str
    ) -> "Record":
        """Empty forgets it, so that it may run."""
        known = {key: value for key, value in self.once.items() if key != identity}
        if status:
            known[identity] = Once(status, self.operation, version, at)
        return replace(self, once=known)


def object_name(product: str) -> str:
    """Of the ConfigMap and of the Lease."""
    return f"watchbill-{product}"


async def load(kube: Kube, namespace: str, product: str) -> Record:
    """As it is stored; a new one if there is none, or no such namespace yet."""
    found = await _get(kube, namespace, product)
    return Record(product) if found is None else _read(found, namespace)


async def namespaces(kube: Kube, product: str) -> tuple[str, ...]:
    """Return the namespaces that hold a record of the product, as far as the user may see them."""
    try:
        found = await listing.metadata(kube, ConfigMap, "*", {**MANAGED, PRODUCT_LABEL: product})
    except KubeError:
        return ()
    return tuple(sorted(about.namespace for about in found if about.name == object_name(product)))


async def ensure_namespace(kube: Kube, namespace: str) -> bool:
    """Whether it had to be made. Who may not look at namespaces is believed that it is there."""
    try:
        await patiently(lambda: kube.get(Namespace, namespace))
    except KubeError as error:
        if error.is_forbidden:
            return False
        if not error.is_missing:
            raise
    else:
        return False
    made = Namespace(metadata=ObjectMeta(name=namespace, labels=dict(MANAGED)))
    try:
        await patiently(lambda: kube.create(made))
    except KubeError as error:
        if error.is_existing:
            return False
        if error.is_forbidden:
            raise UserError(
                f"namespace {namespace} does not exist, and may not be made",
                where=error.what,
                then=f"have it made: kubectl create namespace {namespace}",
            ) from None
        raise
    return True


class Writer:
    """The one who writes the record in a deploy. Changes that come together are stored together."""

    def __init__(self, kube: Kube, namespace: str, product: str, identity: str) -> None:
        self._kube = kube
        self._namespace = namespace
        self._product = product
        self._identity = identity
        self._stored: ConfigMap | None = None  # as the server had it when it last answered
        self._record = Record(product)
        self._wanted = 0  # changes that were asked for,
        self._written = 0  # and those of them that are stored
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, kube: Kube, namespace: str, product: str, identity: str) -> "Writer":
        """`identity` is the Lease's. Reads; nothing is written before the first change."""
        writer = cls(kube, namespace, product, identity)
        writer._stored = await _get(kube, namespace, product)
        if writer._stored is not None:
            writer._record = _read(writer._stored, namespace)
        return writer

    @property
    def record(self) -> Record:
        """With all changes, also those that are not stored yet."""
        return self._record

    async def change(self, edit: Callable[[Record], Record]) -> Record:
        """Returns when it is stored. `edit` is called at once, and once."""
        self._record = edit(self._record)
        self._wanted += 1
        mine = self._wanted
        async with self._turn:
            if self._written < mine:
                covered = self._wanted
                await self._store()
                self._written = covered
        return self._record

    async def _store(self) -> None:
        self._record = replace(self._record, writer=self._identity, writes=self._record.writes + 1)
        text = msgspec.json.encode(self._record).decode()
        while True:
            try:
                self._stored = await patiently(lambda: self._put(text))
            except KubeError as error:
                if not (error.is_conflict or (error.is_missing and self._stored is not None)):
                    raise
                if await self._is_there(text):
                    return
            else:
                return

    async def _put(self, text: str) -> ConfigMap:
        if self._stored is None:
            labels = {**MANAGED, PRODUCT_LABEL: self._product}
            about = ObjectMeta(name=object_name(self._product), namespace=self._namespace, labels=labels)
            return await self._kube.create(ConfigMap(metadata=about, data={_KEY: text}))
        data = {**(self._stored.data or {}), _KEY: text}
        return await self._kube.replace(ConfigMap(metadata=self._stored.metadata, data=data))

    async def _is_there(self, text: str) -> bool:
        """After a refused write: was it stored although no answer came? False: not yet, try again. Else an error."""
        known = (self._stored.data or {}).get(_KEY) if self._stored else None
        now = await _get(self._kube, self._namespace, self._product)
        said = (now.data or {}).get(_KEY) if now is not None else None
        if said == text:
            self._stored = now
            return True
        if said == known or _is_of(said, self._identity):
            # Somebody labelled the object, or an earlier write of ours was not answered.
            self._stored = now
            return False
        raise UserError(
            f"the record of {self._product} was changed by somebody else"
            if said
            else f"the record of {self._product} was deleted",
            where=f"ConfigMap {self._namespace}/{object_name(self._product)}",
            then="one deploy at a time writes it: look what else is at work, then run this again",
        )


async def _get(kube: Kube, namespace: str, product: str) -> ConfigMap | None:
    try:
        return await patiently(lambda: kube.get(ConfigMap, object_name(product), namespace=namespace))
    except KubeError as error:
        if error.is_missing:
            return None
        raise


def _read(stored: ConfigMap, namespace: str) -> Record:
    name = stored.metadata.name if stored.metadata else ""
    try:
        return msgspec.json.decode((stored.data or {}).get(_KEY, ""), type=Record)
    except msgspec.DecodeError as error:
        raise UserError(
            f"ConfigMap {namespace}/{name} does not say what is installed: {error}",
            then="somebody has edited it: put it right, or delete it if the product is not installed",
        ) from None


def _is_of(said: str | None, identity: str) -> bool:
    try:
        return said is not None and msgspec.json.decode(said, type=Record).writer == identity
    except msgspec.DecodeError:
        return False
