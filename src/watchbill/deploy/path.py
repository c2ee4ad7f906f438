"""From which version to which a deploy may go, and over which versions a longer way leads."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from watchbill.versions import Version

Kind = Literal["first", "same", "upgrade", "resume", "back"]


class Recorded(Protocol):
    """What the cluster remembers of a product, as far as the way depends on it. Empty: there is none."""

    @property
    def installed(self) -> str: ...  # the last version that was deployed as a whole

    @property
    def target(self) -> str: ...  # another one: its deploy began and is not complete

    @property
    def done(self) -> tuple[str, ...]: ...  # components that are of the target already


class Step(Protocol):
    """A bill, as far as the way depends on it."""

    @property
    def file(self) -> str: ...

    @property
    def product(self) -> str: ...

    @property
    def version(self) -> Version: ...

    @property
    def upgrades_from(self) -> tuple[Version, ...]: ...


class Hop(Struct, frozen=True):
    """One step that is allowed.

    In `back` (from a part of B to A) the record goes on naming B as its target until A is complete: what is there
    is a mixture of both until then.
    """

    from_: str  # empty: from nothing
    to: str
    kind: Kind
    warning: str = ""  # what the person should hear before it begins


AnyStep = TypeVar("AnyStep", bound=Step)


def decide(record: Recorded | None, bill: Step, *, back: bool = False, known: Sequence[Step] = ()) -> Hop:
    """The step to this bill, or a refusal. `known` are other bills of the product: they tell what lies between."""
    raise NotImplementedError


def through(
    bills: Sequence[AnyStep], installed: str, target: Version | None = None, *, under_way: str = ""
) -> list[AnyStep]:
    """The bills to deploy one after the other, to the target or the newest. `under_way` is the record's target."""
    raise NotImplementedError
