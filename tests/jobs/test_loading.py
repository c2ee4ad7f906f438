"""Modules of jobs, wherever the bill finds them."""

import importlib
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from watchbill.errors import UserError
from watchbill.jobs import Post, Pre
from watchbill.jobs.load import load
from watchbill.jobs.registry import Registry

COMPONENTS = ["logging", "monitoring"]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))


def one_job(name: str, body: str = "pass", top: str = "") -> str:
    return f"""from watchbill.jobs import Pre, job
{top}

@job("logging", Pre, until="2.6.0")
async def {name}(ctx):
    {body}
"""


def identities(registry: Registry) -> list[str]:
    return [job.identity for job in registry]


def test_a_declaration_says_all(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "jobs": '''
        from watchbill.jobs import GLOBAL, Post, Pre, job

        @job("logging", Pre, until="2.6.0", timeout="10m", requires=["patch persistentvolumeclaims"])
        async def grow_volume(ctx):
            """Makes room for the logs of a year.

            And more than that."""

        @job(GLOBAL, Post, until=None, reason="asked each time", name="look", once=True, grace="5s")
        def look_around(ctx):
            pass
        '''
        },
    )

    grow, look = load(["jobs.py"], str(tmp_path), COMPONENTS)

    assert (grow.identity, grow.component, grow.moment) == ("logging/grow_volume", "logging", Pre)
    assert (str(grow.until), grow.timeout, grow.grace, grow.once) == ("2.6.0", 600, None, False)
    assert [str(right) for right in grow.requires] == ["patch persistentvolumeclaims"]
    assert grow.summary == "Makes room for the logs of a year."
    assert grow.is_async
    assert (grow.place.file, grow.place.line) == (str(tmp_path / "jobs.py"), 4)
    assert (look.identity, look.component, look.moment) == ("global/look", None, Post)
    assert (look.until, look.reason, look.once, look.grace) == (None, "asked each time", True, 5)
    assert not look.is_async


def test_modules_are_files_folders_patterns_and_dotted_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path / "bill",
        {
            "alone": one_job("alone"),
            "folder/a": one_job("in_folder"),
            "folder/deeper/b": one_job("deeper"),
            "folder/test_a": "raise AssertionError('a test is not imported')",
            "folder/conftest": "raise AssertionError('nor is this')",
            "many/x_jobs": one_job("x"),
            "many/y_jobs": one_job("y"),
            "many/helper": "raise AssertionError('not asked for')",
        },
    )
    write(tmp_path / "installed", {"acme/__init__": "", "acme/jobs": one_job("dotted")})
    (tmp_path / "bill" / "many" / "notes.txt").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))

    named = ["alone.py", "./folder", "many/*_jobs.py", "acme.jobs", "alone.py"]
    found = identities(load(named, str(tmp_path / "bill"), COMPONENTS))

    assert [name.removeprefix("logging/") for name in found] == [
        "alone",
        "in_folder",
        "deeper",
        "x",
        "y",
        "dotted",
    ]
    assert identities(load(["acme.jobs"], str(tmp_path), COMPONENTS)) == ["logging/dotted"], (
        "also a second time"
    )


def test_files_import_one_another_by_dots(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "jobs/logging": one_job("grow", "return SIZE", "from .sizes import SIZE"),
            "jobs/deeper/late": one_job("late", "from .. import sizes"),
            "jobs/sizes": "SIZE = 30",
        },
    )

    registry = load(["jobs/*.py", "jobs/deeper/late.py"], str(tmp_path), COMPONENTS)

    assert identities(registry) == ["logging/grow", "logging/late"]


def test_a_file_named_like_a_module_of_python_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"jobs/logging": one_job("grow", top="import logging\nassert logging.getLogger")})

    load(["jobs"], str(tmp_path), COMPONENTS)

    assert importlib.import_module("logging") is sys.modules["logging"]
    assert "site-packages" in (importlib.import_module("msgspec").__file__ or "")
    assert str(tmp_path / "jobs") not in sys.path


def test_two_bills_do_not_mix(tmp_path: Path) -> None:
    for version in ("1", "2"):
        write(
            tmp_path / version,
            {
                "jobs/__init__": "",
                "jobs/logging": one_job(f"grow_{version}", top="from . import sizes\nassert sizes"),
                "jobs/sizes": f"SIZE = {version}",
            },
        )

    for version in ("1", "2", "1"):
        assert identities(load(["jobs"], str(tmp_path / version), COMPONENTS)) == [f"logging/grow_{version}"]


def test_jobs_of_a_package_itself_count_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "jobs/__init__": one_job("first", top="from . import second\nassert second"),
            "jobs/second": one_job("second"),
        },
    )

    assert sorted(identities(load(["jobs"], str(tmp_path), COMPONENTS))) == [
        "logging/first",
        "logging/second",
    ]


def test_one_function_may_be_the_job_of_several_components(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "jobs": """
        from watchbill.jobs import Post, Pre, job

        @job("logging", Pre, until="2.6.0")
        @job("monitoring", Post, until="2.6.0")
        def grow(ctx):
            pass
        """
        },
    )

    assert identities(load(["jobs.py"], str(tmp_path), COMPONENTS)) == ["monitoring/grow", "logging/grow"]


def test_a_mistake_outside_of_a_deploy_is_told_at_once() -> None:
    """In the tests of who wrote it, say."""
    from watchbill.jobs import job

    with pytest.raises(UserError, match="until is missing"):
        job("logging", Pre)(test_two_bills_do_not_mix)  # type: ignore[call-overload]


def test_a_declared_function_is_still_itself() -> None:
    from watchbill.jobs import SyncContext, job

    def look(ctx: SyncContext) -> None:
        ctx.log.info("looking")

    assert job("logging", Pre, until="2.6.0")(look) is look


def test_a_module_of_jobs_is_imported_without_a_client() -> None:
    program = """
        import sys
        from watchbill.jobs import GLOBAL, Abort, Context, Manual, Post, Pre, Skip, SyncContext, container_job, job, retry

        @job("logging", Pre, until="2.6.0", requires=["patch persistentvolumeclaims"])
        def grow(ctx): pass

        container_job("logging", Pre, name="migrate", image="app", until="2.6.0")
        print([name for name in sys.modules if name.startswith(("lightkube", "httpx", "yaml", "click", "rich"))])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("raised", ["KeyboardInterrupt()", "GeneratorExit()", "BaseException('odd')"])
def test_whatever_a_module_raises_is_told_with_its_place(raised: str, tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(f"raise {raised}\n")
    with pytest.raises(UserError, match=r"jobs\.py:1: "):
        load(["jobs.py"], str(tmp_path), [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("hangs", ["while True: pass", "import time; time.sleep(600)"])
def test_a_module_that_hangs_can_be_interrupted_within_an_event_loop(
    number: signal.Signals, hangs: str, tmp_path: Path
) -> None:
    (tmp_path / "jobs.py").write_text(
        f"import os, threading\nthreading.Timer(0.2, os.kill, (os.getpid(), {int(number)})).start()\n{hangs}\n"
    )
    program = f"""
import asyncio, signal
from watchbill.jobs.load import load

async def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, print, "too late")
    load(["jobs.py"], {str(tmp_path)!r}, [])

try:
    asyncio.new_event_loop().run_until_complete(main())
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "interrupted\n"


def test_what_a_module_prints_goes_to_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """On stdout there may be JSON."""
    (tmp_path / "jobs.py").write_text("import os\nprint('printed')\nos.system('echo by a program')\n")
    load(["jobs.py"], str(tmp_path), [])
    said = capfd.readouterr()
    assert (said.out, sorted(said.err.splitlines())) == ("", ["by a program", "printed"])
