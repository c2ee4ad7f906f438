"""The engine against the real thing: what Helm 4 and Helm 3 print, what they refuse, and charts of others."""

import gzip
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.support import txtar
from tests.support.helm import Case, cases
from watchbill.charts import order
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.protocol import Context, EngineError, Hook, Render, Source
from watchbill.charts.render import Document, Failure, Rendering, parse, render

HELM4 = "4.3.1"
HELM3 = "3.19.0"
HELM3_KUBE = "v1.34.0"  # what Helm 3.19 renders for, unless told otherwise

CORPUS_PARTS = 4  # so that two workers share the work

HERE = Path(__file__).parent
ARCHIVES = sorted((HERE / "archives").glob("*.txtar"))
BROKEN = sorted((HERE / "broken").glob("*.txtar"))
EXCEPTIONS = [path for path in ARCHIVES if b"differs_in_helm3" in path.read_bytes()]
WITH_NOTES = [path for path in ARCHIVES if "templates/NOTES.txt" in txtar.read(path).files]

each_archive = pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
each_exception = pytest.mark.parametrize("archive", EXCEPTIONS, ids=lambda path: path.stem)
each_with_notes = pytest.mark.parametrize("archive", WITH_NOTES, ids=lambda path: path.stem)
each_broken = pytest.mark.parametrize("archive", BROKEN, ids=lambda path: path.stem)


def test_there_are_forty_charts_and_more() -> None:
    assert len(ARCHIVES) >= 48
    assert len(BROKEN) >= 15


@each_archive
def test_helm_4_prints_the_same_bytes(engine: Engine, archive: Path, tmp_path: Path) -> None:
    wanted = cases(txtar.unpack(archive, tmp_path))
    answers = render_all(engine, tmp_path, [case.context() for case in wanted])
    for case, answer, helm in zip(wanted, answers, run_helm(wanted, HELM4), strict=True):
        assert helm.returncode == 0, (case.name, helm.stderr.decode())
        assert isinstance(answer, Rendering), (case.name, answer)
        assert as_helm_prints(answer.documents).encode() == helm.stdout, case.name


@each_archive
def test_helm_3_gives_the_same_objects_in_the_same_order(
    engine: Engine, archive: Path, tmp_path: Path
) -> None:
    alike = [case for case in cases(txtar.unpack(archive, tmp_path)) if not case.differs_in_helm3]
    for case, (ours, helm3) in zip(alike, compare_with_helm3(engine, tmp_path, alike), strict=True):
        assert helm3 == ours, case.name


@each_exception
def test_what_is_said_to_differ_in_helm_3_does(engine: Engine, archive: Path, tmp_path: Path) -> None:
    differing = [case for case in cases(txtar.unpack(archive, tmp_path)) if case.differs_in_helm3]
    for case, (ours, helm3) in zip(differing, compare_with_helm3(engine, tmp_path, differing), strict=True):
        assert helm3 != ours, case.name


@each_with_notes
def test_helm_4_shows_the_same_notes(engine: Engine, archive: Path, tmp_path: Path) -> None:
    [case, *_] = cases(txtar.unpack(archive, tmp_path))
    [answer] = render_all(engine, tmp_path, [case.context()])
    assert isinstance(answer, Rendering)
    helm = case.helm(HELM4, "install", "--dry-run=client")
    assert helm.returncode == 0, helm.stderr.decode()
    assert answer.notes.strip()
    assert answer.notes.strip() == helm.stdout.decode().partition("\nNOTES:\n")[2].strip()


@each_broken
def test_a_broken_chart_gives_the_error_that_helm_gives(
    engine: Engine, archive: Path, tmp_path: Path
) -> None:
    [case] = cases(txtar.unpack(archive, tmp_path))
    wanted = json.loads((tmp_path / "expect.json").read_text())
    error = error_of(engine, tmp_path, case.context())
    said: dict[str, Any] = {
        "kind": error.kind,
        "file": error.file,
        "line": error.line,
        "column": error.column,
        "missing": list(error.missing),
        "violations": [[violation.chart, violation.path] for violation in error.violations],
    }
    words = wanted.pop("contains")
    assert {key: said[key] for key in wanted} == wanted
    assert words in error.message
    helm4, helm3 = case.helm(HELM4), case.helm(HELM3)
    assert helm4.returncode != 0
    assert helm3.returncode != 0
    assert words in helm4.stderr.decode()


@pytest.mark.parametrize("part", range(CORPUS_PARTS))
def test_documents_of_other_people_s_charts_are_read_and_none_is_lost(
    engine: Engine, root: Path, part: int
) -> None:
    corpus = root.parent / "shared" / "corpus" / "chart-pairs.jsonl.gz"
    if not corpus.exists():
        pytest.skip(f"the corpus of real charts is not here: {corpus}")
    documents = list(distinct_documents(corpus))[part::CORPUS_PARTS]
    text = "\n".join(f"---\n# Source: {source}\n{yaml}" for source, yaml in documents)
    read = in_written_order(engine, text)
    assert [document.template for document in read] == [source for source, _ in documents]
    for document, (source, yaml) in zip(read, documents, strict=True):
        assert document.text.removeprefix(f"# Source: {source}\n").strip() == yaml.strip(), source
        assert (document.role, document.hook) == as_annotated(yaml), yaml
        assert isinstance(document.object, dict) == has_content(yaml), yaml
    assert any(document.role == "hook" for document in read)


# --- both sides, in one shape


def render_all(engine: Engine, chart: Path, contexts: list[Context]) -> list[Rendering | Failure]:
    return render(engine, load(engine, str(chart)), contexts) if contexts else []


def run_helm(wanted: list[Case], version: str, **more: str) -> list[CompletedProcess[bytes]]:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda case: case.helm(version, **more), wanted))


def as_helm_prints(documents: tuple[Document, ...]) -> str:
    """What `helm template` writes to stdout."""

    def printed(role: str) -> str:
        return "".join(f"---\n# Source: {d.template}\n{d.text}\n" for d in documents if d.role == role)

    return printed("manifest").strip() + "\n" + printed("hook")


Objects = list[tuple[str, Any]] | None


def compare_with_helm3(engine: Engine, chart: Path, wanted: list[Case]) -> list[tuple[Objects, Objects]]:
    """The objects of each context as (template, object): ours, told to be Helm 3, and Helm 3's own."""
    contexts = [
        case.context(
            kube_version=case.given.get("kubeVersion", HELM3_KUBE),
            helm_version=f"v{HELM3}",
            order=order.HELM3,
        )
        for case in wanted
    ]
    ours = render_all(engine, chart, contexts)
    theirs = run_helm(wanted, HELM3)
    return [
        (
            objects(mine.documents) if isinstance(mine, Rendering) else None,
            objects(in_written_order(engine, helm.stdout.decode())) if helm.returncode == 0 else None,
        )
        for mine, helm in zip(ours, theirs, strict=True)
    ]


def objects(documents: tuple[Document, ...]) -> Objects:
    shown = [d for d in documents if d.role in ("manifest", "hook") and d.object is not None]
    return [(d.template, d.object) for d in shown]


def in_written_order(engine: Engine, text: str) -> tuple[Document, ...]:
    """Parsing sorts as Helm 4 does; the lines undo that."""
    documents = parse(engine, "helm's output", text).documents
    return tuple(sorted(documents, key=lambda document: document.line or 0))


def error_of(engine: Engine, chart: Path, context: Context) -> EngineError:
    try:
        answers = list(engine.ask(Render(source=Source(str(chart)), contexts=(context,))))
    except EngineFailed as failed:
        return failed.error
    [error] = [answer.rendered.error for answer in answers if answer.rendered is not None]
    assert error is not None, "it renders"
    return error


# --- the corpus, read without any YAML library


def distinct_documents(corpus: Path) -> Iterator[tuple[str, str]]:
    seen = set()
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            for rendered in (pair["old"]["install"], pair["new"]["template"], pair["new"]["upgrade"]):
                for document in rendered:
                    found = (document["source"] or "unknown", document["yaml"])
                    if found not in seen:
                        seen.add(found)
                        yield found


def as_annotated(yaml: str) -> tuple[str, Hook | None]:
    """The role and the hook that metadata.annotations asks for, by indentation alone."""
    if "helm.sh/hook" not in yaml:
        return "manifest", None
    annotations = dict(annotation_lines(yaml))
    events = annotations.get("helm.sh/hook")
    if events is None:
        return "manifest", None
    weight = annotations.get("helm.sh/hook-weight", "")

    def items(key: str) -> tuple[str, ...]:
        return (
            tuple(item.strip().lower() for item in annotations[key].split(",")) if key in annotations else ()
        )

    return "hook", Hook(
        events=tuple(event.replace("test-success", "test") for event in items("helm.sh/hook")),
        weight=int(weight) if re.fullmatch(r"[-+]?\d+", weight) else 0,
        delete_policies=items("helm.sh/hook-delete-policy"),
        output_log_policies=items("helm.sh/hook-output-log-policy"),
    )


def has_content(yaml: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in yaml.splitlines())


def annotation_lines(yaml: str) -> Iterator[tuple[str, str]]:
    section = ""
    inside: int | None = None  # how far `annotations:` is indented while we are in it
    for line in yaml.splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if indent == 0:
            section, inside = line.partition(":")[0], None
        elif inside is not None and indent <= inside:
            inside = None
        if section == "metadata" and re.fullmatch(r" +annotations: *", line) and inside is None:
            inside = indent
        found = re.fullmatch(r""" *["']?(helm\.sh/[a-z-]+)["']? *: *["']?(.*?)["']? *(#.*)?""", line)
        if inside is not None and found:
            yield found[1], found[2]
