"""What the library renders, with Helm 4 and Helm 3: each file in `cases/` is values and what is expected of them.

why: what the case shows
chart: consumer            a chart of fixtures/, or one of examples/charts
values: {...}
release, namespace, upgrade, kube, chartVersion: in which surroundings, if not the usual ones
schema: false              the consumer has not merged the library's schema
cluster: [...]             objects that `lookup` finds; then the engine renders, since helm asks a real cluster only;
                           `<hash>` stands for the hash in the name of the rendered Job
given: [...]               names of accounts and Secrets that somebody else brings
objects:                   by kind and name; `<hash>` stands for the hash in a name, also in what is expected
  Job/acme-shop-migrate: a fragment (fragments.py), or null: it is not there
runs: [...]                the hooks, in the order in which Helm runs them
same, other: [...]         changes (values and surroundings) with which the names of all Jobs stay the same, or none does
fails: a pattern of what helm says instead
"""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest
import yaml  # type: ignore[import-untyped]
from msgspec import Struct

from dev.charts_schema import FRAGMENT, merged
from dev.charts_tree import ROOT, built_on, related
from tests.charts_lib.fragments import misses
from tests.charts_lib.helm import (
    FIXTURES,
    HELM3,
    HELM4,
    HELMS,
    Object,
    identity,
    lint,
    objects,
    rendered,
    template,
)
from tests.charts_lib.soundness import is_hook, unsound, weight
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values
from watchbill.charts.render import render_one

CASES = sorted((Path(__file__).parent / "cases").rglob("*.yaml"))
HASH = "[0-9a-f]{8}"
INSTALLED_FIRST = ("ServiceAccount", "Secret", "ConfigMap", "Role", "RoleBinding", "Job")


class Surroundings(Struct, forbid_unknown_fields=True, frozen=True, rename="camel"):
    values: dict[str, Any] = {}
    release: str = "acme"
    namespace: str = "club"
    upgrade: bool = False
    kube: str = ""
    chart_version: str = ""


class Case(Surroundings, forbid_unknown_fields=True, frozen=True, rename="camel", kw_only=True):
    why: str
    chart: str = "consumer"
    schema: bool = True
    cluster: tuple[dict[str, Any], ...] = ()
    given: tuple[str, ...] = ()
    objects: dict[str, Any] = {}
    runs: tuple[str, ...] | None = None
    same: tuple[Surroundings, ...] = ()
    other: tuple[Surroundings, ...] = ()
    fails: str = ""


def read(file: Path) -> Case:
    return msgspec.convert(yaml.safe_load(file.read_text()), Case)


class Bench:
    """Renders cases; the library is taken as it lies there, and charts are checked with their merged schema."""

    def __init__(self, root: Path, scratch: Path, engine: Engine) -> None:
        self.root, self.scratch, self.engine = root, scratch, engine

    def chart(self, name: str, version: str = "", *, schema: bool = True) -> Path:
        folder = self.scratch / f"{name}-{version}{'' if schema else '-open'}"
        if not folder.exists():
            fixture = FIXTURES / name
            shutil.copytree(fixture if fixture.exists() else self.root / "examples/charts" / name, folder)
            shutil.rmtree(folder / "charts", ignore_errors=True)
            shutil.copytree(self.root / "charts/watchbill-lib", folder / "charts/watchbill-lib")
            (folder / "values.schema.json").unlink(missing_ok=True)
            if schema:
                files = (self.root / FRAGMENT, folder / "schema.json")
                whole = merged(*(json.loads(file.read_text()) for file in files))
                (folder / "values.schema.json").write_text(json.dumps(whole))
            if version:
                file = folder / "Chart.yaml"
                file.write_text(
                    re.sub("^version: .*", f"version: {version}", file.read_text(), flags=re.MULTILINE)
                )
        return folder

    def helm(self, version: str, case: Case, there: Surroundings) -> CompletedProcess[str]:
        more = ["--namespace", there.namespace, *(["--is-upgrade"] if there.upgrade else [])]
        more += ["--kube-version", there.kube] if there.kube else []
        chart = self.chart(case.chart, there.chart_version, schema=case.schema)
        return template(version, chart, there.values, *more, release=there.release)

    def objects(self, version: str, case: Case, there: Surroundings) -> list[Object]:
        done = self.helm(version, case, there)
        assert done.returncode == 0, done.stderr
        return sorted(objects(done.stdout), key=identity)

    def looked_up(self, case: Case, alone: Sequence[Object]) -> list[Object]:
        """What is rendered with the case's cluster; `alone` is the same with an empty one."""
        values = tuple(f"{key}={json.dumps(value)}" for key, value in case.values.items())
        context = Context(
            release=case.release,
            namespace=case.namespace,
            upgrade=case.upgrade,
            kube_version=case.kube,
            values=Values(set_json=values),
            cluster=tuple(with_hash(case.cluster, alone)),
        )
        found = render_one(self.engine, load(self.engine, str(self.chart(case.chart))), context)
        return [one for document in found.documents for one in objects(document.text)]


@pytest.fixture(scope="session")
def bench(root: Path, tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Bench:
    return Bench(root, tmp_path_factory.mktemp("charts"), engine)


def changed(case: Case, change: Surroundings) -> Surroundings:
    """The case's own surroundings with what a change says on top."""
    default = Surroundings()
    said = {
        field: getattr(change, field)
        for field in Surroundings.__struct_fields__
        if getattr(change, field) != getattr(default, field)
    }
    own = {field: getattr(case, field) for field in Surroundings.__struct_fields__}
    return Surroundings(**{**own, **said, "values": merged(case.values, change.values)})


@pytest.mark.parametrize("file", CASES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_case_is_rendered_as_it_says(bench: Bench, file: Path) -> None:
    case = read(file)
    if case.fails:
        for helm in HELMS:
            refused = bench.helm(helm, case, case)
            assert refused.returncode != 0
            assert re.search(case.fails, refused.stderr), refused.stderr
        return
    by_helm = {helm: bench.objects(helm, case, case) for helm in HELMS}
    assert by_helm[HELM3] == by_helm[HELM4]
    found = bench.looked_up(case, by_helm[HELM4]) if case.cluster else by_helm[HELM4]
    assert wrong(case, found) == []
    for change in case.same:
        assert names_of_jobs(bench.objects(HELM4, case, changed(case, change))) == names_of_jobs(found), (
            change
        )
    for change in case.other:
        other = names_of_jobs(bench.objects(HELM4, case, changed(case, change)))
        assert not set(other) & set(names_of_jobs(found)), change


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (".", 'pass a dict with root and job: \\(dict "root" . "job" "NAME OF YOUR DEFINE"\\)'),
        ('(dict "root" .)', "pass a dict with root and job"),
        ('(dict "root" . "job" 3)', "job is the name of a define, not 3"),
    ],
)
def test_wrong_arguments_are_explained(bench: Bench, tmp_path: Path, arguments: str, told: str) -> None:
    chart = shutil.copytree(bench.chart("consumer"), tmp_path / "consumer")
    (chart / "templates" / "wrong.yaml").write_text(f'{{{{ include "watchbill.v1.job" {arguments} }}}}')
    for helm in HELMS:
        refused = template(helm, chart, {})
        assert refused.returncode != 0
        assert re.search(f"watchbill: {told}", refused.stderr), refused.stderr


def with_hash(cluster: Sequence[Object], alone: Sequence[Object]) -> list[Object]:
    """The objects of a cluster with the hash of the Job that is rendered, where `<hash>` stands for it."""
    names = [one["metadata"]["name"] for one in alone if one["kind"] == "Job"]
    hashed = next((match[1] for name in names if (match := re.search(f"-({HASH})$", name))), "")
    found: list[Object] = json.loads(json.dumps(cluster).replace("<hash>", hashed))
    return found


def names_of_jobs(found: Sequence[Object]) -> list[str]:
    names = [identity(one) for one in found if one["kind"] == "Job"]
    assert names
    return names


def wrong(case: Case, found: Sequence[Object]) -> list[str]:
    problems = unsound(found, list(passwords(case.values)), case.given)
    for name, fragment in case.objects.items():
        problems += expectation(name, fragment, found)
    if case.runs is not None and tuple(in_order(found)) != case.runs:
        problems.append(f"the hooks run in this order: {in_order(found)}")
    return problems


def expectation(name: str, fragment: Any, found: Sequence[Object]) -> list[str]:
    pattern = re.escape(name).replace("<hash>", f"({HASH})")
    matches = [(one, match) for one in found if (match := re.fullmatch(pattern, identity(one)))]
    if fragment is None:
        return [f"{identity(one)} is there" for one, _ in matches]
    if len(matches) != 1:
        return [f"{name} is there {len(matches)} times: {[identity(one) for one in found]}"]
    [(one, match)] = matches
    hashed = match[1] if match.groups() else ""
    expected = json.loads(json.dumps(fragment).replace("<hash>", hashed))
    return [f"{name}{what}" for what in misses(expected, one)]


def in_order(found: Sequence[Object]) -> list[str]:
    """By weight, then by kind as an install has them, then by name; tests run another time."""
    hooks = [
        one for one in found if is_hook(one) and one["metadata"]["annotations"]["helm.sh/hook"] != "test"
    ]

    def key(one: Object) -> tuple[int, int, str]:
        return weight(one), INSTALLED_FIRST.index(one["kind"]), one["metadata"]["name"]

    return [identity(one) for one in sorted(hooks, key=key)]


def passwords(values: Any) -> set[str]:
    """All that is given as a password, wherever it stands."""
    if not isinstance(values, dict):
        return set()
    own = {value for key, value in values.items() if key == "password" and isinstance(value, str) and value}
    return own.union(*(passwords(value) for value in values.values()))


def profiles() -> list[tuple[Path, Path]]:
    """Charts of this repository that are built on the library, with every set of values that comes with them."""
    consumers = built_on(related(ROOT), "watchbill-lib")
    return [
        (chart.folder, file) for chart in consumers for file in sorted(chart.folder.glob("ci/*-values.yaml"))
    ]


@pytest.mark.parametrize(("chart", "file"), profiles(), ids=lambda path: path.stem.removesuffix("-values"))
@pytest.mark.parametrize("upgrade", [False, True])
def test_every_profile_of_the_examples_is_sound(chart: Path, file: Path, upgrade: bool) -> None:
    values = unmistakable(yaml.safe_load(file.read_text()) or {})
    for helm in HELMS:
        found = rendered(helm, chart, values, *(["--is-upgrade"] if upgrade else []))
        assert unsound(found, list(passwords(values)), list(brought(values))) == []
        linted = lint(helm, chart, values)
        assert linted.returncode == 0, linted.stdout


def unmistakable(values: Any) -> Any:
    """With passwords that are part of no other word."""
    if not isinstance(values, dict):
        return values
    return {
        key: "geheim" if key == "password" and value else unmistakable(value) for key, value in values.items()
    }


def brought(values: Any) -> set[str]:
    """Names of accounts and Secrets that values take for given."""
    if not isinstance(values, dict):
        return set()
    own = {values["existingSecret"]} if values.get("existingSecret") else set()
    if values.get("create") is False:
        own.add(values.get("name") or "default")
    return own.union(*(brought(value) for value in values.values()))


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize("hooks", [False, True])
@pytest.mark.parametrize("bundled", [False, True])
def test_lint_has_nothing_to_say(bench: Bench, helm: str, hooks: bool, bundled: bool) -> None:
    values = {
        "feature": {"migrationHooks": hooks},
        "database": {"bundled": bundled},
        "cronjob": {"schedule": "@daily"},
    }
    done = lint(helm, bench.chart("consumer"), values)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint_has_nothing_to_say_of_the_library(bench: Bench) -> None:
    for helm in HELMS:
        done = lint(helm, bench.root / "charts/watchbill-lib", {})
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_defaults_are_those_of_values_yaml(bench: Bench, tmp_path: Path) -> None:
    """The library has them in a define, since a dependency's values.yaml says nothing about its parent's values."""
    chart = shutil.copytree(bench.chart("consumer"), tmp_path / "shop")
    shutil.rmtree(chart / "templates")
    (chart / "templates").mkdir()
    (chart / "templates/defaults.yaml").write_text(
        'defaults: {{- include "watchbill.v1.defaults" . | nindent 2 }}'
    )
    done = template(HELM4, chart, {})
    [found] = objects(done.stdout)
    shown = yaml.safe_load((bench.root / "charts/watchbill-lib/values.yaml").read_text())
    settings = shown["config"]["migration"]
    assert {key: value for key, value in settings.items() if key != "postgresql"} == found["defaults"]
    assert shown["feature"] == {"migrationHooks": False}
