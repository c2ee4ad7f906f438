"""A chart that was written for the older library moves by changing one dependency, and renders as before."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from dev import charts_packages
from tests.charts_lib.helm import FIXTURES, HELM4, HELMS, Object, identity, lint, rendered
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.rehearsal.script import read_tool

CONSUMER = "seed-consumer"
CORE = {"name": "core", "version": "1.x.x", "repository": "file://../seed-core"}
HOOK = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"}

VALUES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "hooks": {"feature": {"migrationHooks": True}},
    "hooks and annotations of the user": {
        "feature": {"migrationHooks": True},
        "config": {
            "migration": {
                "annotations": {"helm.sh/hook-weight": "7", "example.com/team": "red"},
                "serviceAccount": {"annotations": {"example.com/role": "migrator"}},
            },
            "wizard": {"annotations": {"example.com/team": "blue"}},
        },
    },
    "annotations without hooks": {"config": {"migration": {"annotations": {"example.com/team": "red"}}}},
    "a named account": {"config": {"migration": {"serviceAccount": {"name": "migrator"}}}},
    "a given account": {"config": {"migration": {"serviceAccount": {"create": False, "name": "given"}}}},
    "no account": {"config": {"migration": {"serviceAccount": {"create": False}}}},
    "another name": {"nameOverride": "club"},
    "another full name": {"fullnameOverride": "the-club"},
    "a full name that is too long": {"fullnameOverride": "a-club" * 12},
    "a full name that ends in a dash where it is cut": {"fullnameOverride": "a" * 62 + "-b"},
    "no migration": {"config": {"migration": {"enabled": False}}},
}

every_case = pytest.mark.parametrize("values", VALUES.values(), ids=list(VALUES))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("before")
    shutil.copytree(FIXTURES / "seed-core", folder / "seed-core")
    return _resolved(shutil.copytree(FIXTURES / CONSUMER, folder / CONSUMER))


@pytest.fixture(scope="module")
def after(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with another dependency; not a character of its templates and values changes."""
    chart = shutil.copytree(FIXTURES / CONSUMER, tmp_path_factory.mktemp("after") / CONSUMER)
    said = yaml.safe_load((chart / "Chart.yaml").read_text())
    assert said["dependencies"] == [CORE]
    compat = f"file://{root}/charts/watchbill-lib-compat"
    said["dependencies"] = [{"name": "watchbill-lib-compat", "version": "1.x.x", "repository": compat}]
    (chart / "Chart.yaml").write_text(yaml.safe_dump(said))
    return _resolved(chart)


def _resolved(chart: Path) -> Path:
    charts_packages.helm("dependency", "update", "--skip-refresh", str(chart))
    return chart


def by_identity(found: list[Object]) -> dict[str, Object]:
    return {identity(one): one for one in found}


@every_case
@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize("release", ["acme", "my-membership"])
def test_it_renders_as_before(
    before: Path, after: Path, helm: str, release: str, values: dict[str, Any]
) -> None:
    old = by_identity(rendered(helm, before, values, release=release))
    assert old
    assert by_identity(rendered(helm, after, values, release=release)) == old


def test_the_names_give_what_the_older_library_is_known_to_give(after: Path) -> None:
    """The stand-in may be wrong as well: these are the facts in their own words."""
    found = by_identity(rendered(HELM4, after, VALUES["hooks"]))
    annotations = {key: one["metadata"]["annotations"] for key, one in found.items()}
    assert annotations == {
        "ServiceAccount/acme-membership-migrate": HOOK | {"helm.sh/hook-weight": "0"},
        "Job/acme-membership": HOOK | {"helm.sh/hook-weight": "10"},
        "Job/acme-membership-wizard": HOOK
        | {"helm.sh/hook-weight": "10", "example.com/asked-by": "a person"},
    }


def test_without_the_flag_nothing_is_a_hook(after: Path) -> None:
    for one in rendered(HELM4, after, {}):
        assert not set(one["metadata"]["annotations"] or ()) & {*HOOK, "helm.sh/hook-weight"}


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ("as it is", "acme-membership-migrate"),
        ("a named account", "migrator"),
        ("a given account", "given"),
        ("no account", "default-migrate"),
        ("another full name", "the-club-migrate"),
    ],
)
def test_the_account_of_the_job(after: Path, values: str, name: str) -> None:
    found = by_identity(rendered(HELM4, after, VALUES[values]))
    jobs = [one for key, one in found.items() if key.startswith("Job/")]
    assert {job["spec"]["template"]["spec"]["serviceAccountName"] for job in jobs} == {name}


@pytest.mark.parametrize(
    ("hooks", "rules"), [(False, {"WB101"}), (True, {"WB303", "WB304", "WB305"})], ids=["plain", "hooks"]
)
def test_what_the_readme_says_that_it_cannot_give(
    root: Path, engine: Engine, after: Path, hooks: bool, rules: set[str]
) -> None:
    values = Values(set_json=(f"feature={json.dumps({'migrationHooks': hooks})}",))
    options = Options((read_tool("helm@4.3.1"),), Context(release="r", namespace="ns", values=values))
    checked = check(engine, Subject(str(after), source=str(after)), options).checked
    assert checked.problem is None
    assert rules <= {finding.rule for finding in checked.findings}
    assert all(rule in (root / "charts/watchbill-lib-compat/README.md").read_text() for rule in rules)


@pytest.mark.parametrize("helm", HELMS)
def test_lint_has_nothing_to_say(root: Path, helm: str) -> None:
    done = lint(helm, root / "charts/watchbill-lib-compat", {})
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_says_that_it_is_deprecated(root: Path) -> None:
    chart = root / "charts/watchbill-lib-compat"
    assert yaml.safe_load((chart / "Chart.yaml").read_text())["deprecated"] is True
    templates = (chart / "templates/_core.tpl").read_text()
    assert templates.count("define") == templates.count("{{/* Deprecated")
    assert "deprecated" in (chart / "README.md").read_text()
