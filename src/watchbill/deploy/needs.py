"""The graph of components and what they need."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from msgspec.structs import replace

from watchbill.deploy.bill import Component


def find_cycle(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return components of which each needs the next one, and the last one the first. Empty if there are none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]  # each one is needed by the next, and the first is also the last
        return cycle[:0:-1]
    return []


def keep(components: Sequence[Component], names: Sequence[str]) -> tuple[Component, ...]:
    """Return the components of these names. What one of them needs through another that is left out, it needs itself."""
    by_name = {component.name: component for component in components}

    def follow(needs: Sequence[str]) -> Iterator[str]:
        for name in needs:
            if name in names:
                yield name
            else:
                yield from follow(by_name[name].needs)

    return tuple(
        replace(component, needs=tuple(dict.fromkeys(follow(component.needs))))
        for component in components
        if component.name in names
    )
