"""Modules of jobs pass `mypy --strict` when they are right, and do not when they are not."""

from pathlib import Path

import pytest
from mypy import api

RIGHT = """
from lightkube.resources.core_v1 import PersistentVolumeClaim

from watchbill.jobs import GLOBAL, Abort, Context, Manual, Post, Pre, Skip, SyncContext, container_job, job, retry


@job("logging", Pre, until="2.6.0", timeout="10m", requires=["patch persistentvolumeclaims"])
async def grow_volume(ctx: Context) -> None:
    claim = await ctx.kube.get(PersistentVolumeClaim, "storage-logging-0", namespace=ctx.namespace)
    reveal_type(claim)
    again = await retry(ctx, lambda: ctx.kube.get(PersistentVolumeClaim, "storage"), attempts=3)
    reveal_type(again)
    ctx.log.info("%s %s", ctx.component, ctx.bill.product)
    ctx.progress("growing", 0.5)
    if ctx.is_new or ctx.installed is None or ctx.dry_run:
        raise Skip("nothing there")
    await ctx.cancelled.wait()
    raise Manual("no", "steps")


@job(GLOBAL, Post, until=None, reason="asked each time", once=True, grace="5s", name="look")
def look_around(ctx: SyncContext) -> None:
    claim = ctx.kube.get(PersistentVolumeClaim, "storage", namespace=ctx.namespace)
    reveal_type(claim)
    number = retry(ctx, lambda: 3)
    reveal_type(number)
    while not ctx.cancelled.wait(5):
        raise Abort("wrong cluster")


container_job("logging", Pre, name="migrate", image="app:{target}", until="2.6.0", env_from_secret={"DSN": "db/dsn"})


async def test_it() -> None:
    await grow_volume(Context(namespace="logging", installed="2.4.0", target="2.5.0", is_new=False))
    look_around(SyncContext(component="logging"))
"""

WRONG = {
    "no until": '@job("logging", Pre)\nasync def one(ctx: Context) -> None: ...',
    "no reason": '@job("logging", Pre, until=None)\nasync def one(ctx: Context) -> None: ...',
    "a moment in words": '@job("logging", "pre", until="1.0.0")\nasync def one(ctx: Context) -> None: ...',
    "two arguments": '@job("logging", Pre, until="1.0.0")\nasync def one(ctx: Context, more: int) -> None: ...',
    "async with the sync context": '@job("logging", Pre, until="1.0.0")\nasync def one(ctx: SyncContext) -> None: ...',
    "plain with the async context": '@job("logging", Pre, until="1.0.0")\ndef one(ctx: Context) -> None: ...',
    "no image": 'container_job("logging", Pre, name="x", until="1.0.0")',
    "a misspelled keyword": '@job("logging", Pre, until="1.0.0", timeuot="1m")\nasync def one(ctx: Context) -> None: ...',
}


def mypy(file: Path, *options: str) -> tuple[str, int]:
    cache = str(file.parent / "cache")
    said, problems, code = api.run([str(file), f"--cache-dir={cache}", "--no-error-summary", *options])
    assert not problems
    return said, code


def test_right_modules_pass_and_wrong_ones_do_not(tmp_path: Path) -> None:
    """In one run: mypy reads lightkube once."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / "right.py").write_text(RIGHT)
    heading = "from watchbill.jobs import Context, Pre, SyncContext, container_job, job\n\n"
    for number, text in enumerate(WRONG.values()):
        (folder / f"wrong_{number}.py").write_text(heading + text + "\n")
    unannotated = '@job("logging", Pre, until="1.0.0")\nasync def one(ctx):\n    await ctx.kube.get(1)\n'
    (folder / "unannotated.py").write_text(
        "# mypy: allow-untyped-defs, allow-untyped-calls\n" + heading + unannotated
    )

    said, _ = mypy(folder, "--strict")

    lines = said.splitlines()
    revealed = [
        line.split('"')[1].rpartition(".")[2]
        for line in lines
        if "right.py" in line and "note: Revealed" in line
    ]
    assert revealed == ["PersistentVolumeClaim"] * 3 + ["int"], said
    assert not [line for line in lines if "right.py" in line and "error:" in line], said
    assert not [line for line in lines if "unannotated.py" in line and "error:" in line], said
    for number, what in enumerate(WRONG):
        assert [line for line in lines if f"wrong_{number}.py" in line and "error:" in line], what


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a project of the user's: our own settings of mypy do not count."""
    monkeypatch.chdir(tmp_path)
