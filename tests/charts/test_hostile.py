"""Charts that mean harm: one clear error within the limits, and the next request works."""

import io
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine, _explain_death
from watchbill.charts.process import Died, Limits
from watchbill.charts.protocol import Context, Load, Source
from watchbill.charts.render import render_one
from watchbill.errors import UserError

MEMORY = 400 << 20
SECONDS = 10.0


def chart(folder: Path, **templates: str) -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: hostile\nversion: 1.0.0\n")
    for name, text in templates.items():
        (folder / "templates" / name.replace("_", ".")).write_text(text)
    return folder


@pytest.fixture
def bounded(tmp_path: Path) -> Iterator[Engine]:
    """An engine with small limits, that must still work after the test."""
    with Engine(Limits(seconds=SECONDS, memory=MEMORY)) as engine:
        yield engine
        good = chart(tmp_path / "good", a_yaml="kind: ConfigMap\nmetadata: {name: still-alive}\n")
        [resource_] = render_one(engine, load(engine, str(good)), Context()).resources
        assert resource_.name == "still-alive"


def refused(engine: Engine, path: Path) -> str:
    began = time.monotonic()
    with pytest.raises(UserError) as caught:
        render_one(engine, load(engine, str(path)), Context())
    assert time.monotonic() - began < SECONDS + 60, "the error comes within the limit, with some grace"
    return str(caught.value)


def test_an_endless_template(bounded: Engine, tmp_path: Path) -> None:
    text = '{{ define "spin" }}{{ range until 1000000 }}{{ $x := list 1 2 3 | join "," | sha256sum }}{{ end }}{{ end }}'
    text += '{{ range until 100000 }}{{ include "spin" $ }}{{ end }}'
    assert "took longer than 10 s" in refused(bounded, chart(tmp_path / "c", a_yaml=text))


@pytest.mark.parametrize(
    "template",
    [
        "{{ until 2000000000 | len }}",
        '{{ repeat 2000000000 "x" | len }}',
        '{{ $s := "x" }}{{ range until 64 }}{{ $s = print $s $s }}{{ end }}{{ len $s }}',
    ],
)
def test_output_that_fills_memory(bounded: Engine, tmp_path: Path, template: str) -> None:
    message = refused(bounded, chart(tmp_path / "c", a_yaml=template))
    assert "400 MiB" in message or "took longer" in message
    assert "--memory" in message or "--timeout" in message


# As Go wrote them; which one comes is a matter of chance, and the last one is rare.
LAST_WORDS = [
    "fatal error: runtime: out of memory\n\nruntime stack:\n",
    "runtime: cannot allocate memory\n",
    "fatal error: out of memory allocating heap arena metadata\n",
    "runtime: failed to create new OS thread (have 7 already; errno=11)\nfatal error: newosproc\n",
    (
        "SIGSEGV: segmentation violation\nPC=0x43723d m=2 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x20ee806e8b40 m=2 [idle]:\n"
        "runtime.(*spanQueue).tryDrain(0x400?, 0x46e58b?, 0x1?)\n\truntime/mgcmark_greenteagc.go:520 +0x5d\n"
    ),
]


@pytest.mark.parametrize("words", LAST_WORDS, ids=lambda words: words.partition("\n")[0])
def test_every_way_to_die_of_too_little_memory_is_known(words: str) -> None:
    died = _explain_death(Died(words, 0), Limits(memory=MEMORY), Load(Source("./chart")))
    assert str(died).startswith("rendering needs more than 400 MiB of memory and was stopped\n  ./chart")


@pytest.mark.parametrize(
    "template",
    [
        '{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}',
        '{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}',
        '{{ define "r" }}{{ tpl "{{ include \\"r\\" . }}" . }}{{ end }}{{ include "r" . }}',
    ],
)
def test_deep_recursion(bounded: Engine, tmp_path: Path, template: str) -> None:
    message = refused(bounded, chart(tmp_path / "c", a_yaml=template))
    assert any(
        words in message
        for words in ("nested reference", "template depth", "without end", "400 MiB", "took longer")
    )


def test_a_zip_bomb(bounded: Engine, tmp_path: Path) -> None:
    archive = tmp_path / "bomb.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        head = b"apiVersion: v2\nname: bomb\nversion: 1.0.0\n"
        for name, size in (("bomb/Chart.yaml", len(head)), ("bomb/files/zeros", 300 << 20)):
            entry = tarfile.TarInfo(name)
            entry.size = size
            tar.addfile(entry, io.BytesIO(head) if name.endswith("yaml") else Zeros(size))
    assert "size" in refused(bounded, archive)


class Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1) -> bytes:
        size = min(size, self.left)
        self.left -= size
        return bytes(size)


def test_binary_files_among_the_templates(bounded: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c")
    (path / "templates" / "logo.yaml").write_bytes(bytes(range(256)) * 64)
    assert f"{path}/templates/logo.yaml" in refused(bounded, path)


def test_ten_thousand_files(bounded: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c", a_yaml="kind: ConfigMap\nmetadata: {name: a}\n")
    (path / "files").mkdir()
    for number in range(10_000):
        (path / "files" / f"{number}.txt").write_text("x")
    assert [r.name for r in render_one(bounded, load(bounded, str(path)), Context()).resources] == ["a"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.yaml", "../..", "nowhere"])
def test_links_out_of_the_chart_are_refused(bounded: Engine, tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.yaml").write_text("secret: 1\n")
    path = chart(tmp_path / "c", a_yaml="kind: ConfigMap\nmetadata: {name: a}\n")
    (path / "link.yaml").symlink_to(target)
    message = refused(bounded, path)
    assert "link.yaml" in message
    assert "secret" not in message


def test_links_inside_the_chart_work_as_in_helm(bounded: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c", a_yaml="kind: ConfigMap\nmetadata: {name: a}\n")
    (path / "templates" / "b.yaml").symlink_to("a.yaml")
    assert len(render_one(bounded, load(bounded, str(path)), Context()).resources) == 2


def test_links_out_of_the_chart_can_be_allowed(bounded: Engine, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("kind: ConfigMap\nmetadata: {name: outside}\n")
    path = chart(tmp_path / "c")
    (path / "templates" / "b.yaml").symlink_to(tmp_path / "outside.yaml")
    allowed = load(bounded, str(path), follow_symlinks=True)
    assert [r.name for r in render_one(bounded, allowed, Context()).resources] == ["outside"]


def test_a_fifo_in_the_chart_does_not_block(bounded: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c")
    os.mkfifo(path / "templates" / "pipe.yaml")
    assert "pipe.yaml" in refused(bounded, path)


VICTIM = """
import sys
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import render_one
with Engine() as engine:
    chart = load(engine, sys.argv[1])
    print(engine._process.pid, flush=True)
    render_one(engine, chart, Context())
"""


def test_the_engine_dies_with_its_parent(tmp_path: Path) -> None:
    """A spinning engine must not outlive a killed watchbill."""
    path = chart(tmp_path / "c", a_yaml='{{ range until 100000000 }}{{ sha256sum "x" }}{{ end }}')
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(path)], stdout=subprocess.PIPE, text=True
    ) as victim:
        assert victim.stdout is not None
        engine_pid = int(victim.stdout.readline())
        time.sleep(0.5)  # it renders by now
        assert running(engine_pid)
        victim.kill()
    deadline = time.monotonic() + 5
    while running(engine_pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running(engine_pid)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


GLUTTON = """
import resource, sys
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.process import Died, Limits
from watchbill.charts.protocol import Context
from watchbill.charts.render import render_one
from watchbill.errors import UserError
with Engine(Limits(memory=int(sys.argv[2]))) as engine:
    try:
        render_one(engine, load(engine, sys.argv[1]), Context())
    except UserError:
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_the_engine_keeps_to_its_memory(tmp_path: Path) -> None:
    """Measured from a small process: a child's peak counts what its parent had when it was spawned."""
    path = chart(tmp_path / "c", a_yaml="{{ until 2000000000 | len }}")
    command = [sys.executable, "-c", GLUTTON, str(path), str(MEMORY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) << 10 < MEMORY * 1.25
