"""Findings of which only what a test is about matters."""

from typing import Any

from msgspec.structs import replace

from watchbill.checking.result import Finding

ANY = Finding(
    rule="WB101",
    name="immutable-job",
    level="error",
    confidence="high",
    title="the image upgrade fails",
    fingerprint="f",
    objects=("Job/shop-migrate",),
)


def finding(rule: str = "WB101", **more: Any) -> Finding:
    return replace(ANY, rule=rule, **more)
