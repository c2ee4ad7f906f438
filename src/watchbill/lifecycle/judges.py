"""Everybody who judges an operation, one after the other."""

from collections.abc import Iterator

from watchbill.lifecycle import awaited, contents, misapplied, properties, reruns, skew
from watchbill.lifecycle.properties import Offence, Scene


def judge(scene: Scene) -> Iterator[Offence]:
    yield from properties.judge(scene)
    yield from contents.judge(scene)
    yield from awaited.judge(scene)
    yield from reruns.judge(scene)
    yield from skew.judge(scene)
    yield from misapplied.judge(scene)
