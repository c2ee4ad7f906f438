"""The READMEs of the charts: their tables are current, what they show works, and the changes name the version."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from dev import charts_packages, charts_readme, charts_tree
from dev.charts_readme import BEGIN, END, Value, table, values
from dev.charts_tree import ChartsError
from tests.charts_lib.helm import HELMS, identity, lint, rendered
from tests.charts_lib.soundness import is_hook, unsound
from tests.support.checks import found_in_folder
from watchbill.charts.engine import Engine

LIBRARY = "charts/watchbill-lib"
HOOKS: dict[str, Any] = {
    "feature": {"migrationHooks": True},
    "config": {"migration": {"postgresql": {"auth": {"password": "geheim"}}}},
}

VALUES = """\
# A heading that is no explanation.
image:
  # -- Where it comes from,
  # and a | in it.
  name: shop
  # -- Its tags.
  tags: [a, "1"]
# -- How many.
replicas: 2
# -- Anything.
extra: {}
# -- Nothing yet.
later: null
"""


def test_the_tables_are_current(root: Path) -> None:
    assert charts_readme.complaints(root) == [], "python -m dev.charts readme"


def test_the_library_explains_every_value(root: Path) -> None:
    explained = values((root / LIBRARY / "values.yaml").read_text())
    assert len(explained) > 40
    assert {"feature.migrationHooks", "config.migration.backoffLimit"} <= {one.key for one in explained}


def test_a_table_is_made_of_comments() -> None:
    assert values(VALUES) == [
        Value("image.name", "text", '"shop"', "Where it comes from, and a \\| in it."),
        Value("image.tags", "list", '["a", "1"]', "Its tags."),
        Value("replicas", "number", "2", "How many."),
        Value("extra", "object", "{}", "Anything."),
        Value("later", "any", "null", "Nothing yet."),
    ]
    assert "| `replicas` | number | `2` | How many. |\n" in table(VALUES)


@pytest.mark.parametrize(
    "text", ["a: 1\n", "# plain\na: 1\n", "# -- of b\n\na: 1\n", "# -- of b\nb: 2\na: 1\n"]
)
def test_a_value_without_an_explanation_is_refused(text: str) -> None:
    with pytest.raises(ChartsError, match=r"values\.yaml: a has no comment"):
        values(text)


def test_renewing_leaves_what_people_wrote(root: Path, tmp_path: Path) -> None:
    chart = shutil.copytree(root / LIBRARY, tmp_path / LIBRARY)
    before = (chart / "README.md").read_text()
    edited = (chart / "values.yaml").read_text().replace("backoffLimit: 1", "backoffLimit: 7")
    (chart / "values.yaml").write_text(edited)
    assert charts_readme.renew(tmp_path) == [f"{LIBRARY}/README.md"]
    after = (chart / "README.md").read_text()
    assert after != before
    made = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    assert made.sub("", after) == made.sub("", before)
    assert charts_readme.renew(tmp_path) == []


@pytest.fixture(scope="module")
def shop(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The consumer of the README: its files stand in blocks that begin with their names."""
    text = (root / LIBRARY / "README.md").read_text()
    files = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    chart = tmp_path_factory.mktemp("readme") / "shop"
    for name, content in files.items():
        file = chart / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content.replace("oci://REGISTRY/charts", f"file://{root / LIBRARY}"))
    charts_packages.helm("dependency", "update", "--skip-refresh", str(chart))
    return chart


@pytest.mark.parametrize("helm", HELMS)
def test_the_consumer_of_the_readme_works(shop: Path, helm: str) -> None:
    linted = lint(helm, shop, {})
    assert linted.returncode == 0, linted.stdout
    found = rendered(helm, shop, HOOKS)
    assert unsound(found, ["geheim"], []) == []
    assert {identity(one): is_hook(one) for one in found} == {
        "Job/acme-shop-warmup": True,
        "ServiceAccount/acme-shop-warmup": True,
        "ConfigMap/acme-shop-warmup-owner": False,
        "ConfigMap/acme-shop-migrate-owner": False,
        "ConfigMap/acme-shop-report-owner": False,
        "Job/acme-shop-migrate": True,
        "Secret/acme-shop-migrate-database": True,
        "ServiceAccount/acme-shop-migrate": True,
        "Deployment/acme-shop": False,
        "Job/acme-shop-report": True,
        "ServiceAccount/acme-shop-report": True,
        "RoleBinding/acme-shop-report": True,
        "ConfigMap/acme-shop-report": True,
        "CronJob/acme-shop-report-cron": False,
        "ServiceAccount/acme-shop-report-cron": False,
        "RoleBinding/acme-shop-report-cron": False,
        "ConfigMap/acme-shop-report-cron": False,
        "Job/acme-shop-backfill": True,
    }


def test_the_gate_of_the_readme_knows_the_database_of_the_application(shop: Path) -> None:
    [deployment] = [one for one in rendered(HELMS[0], shop, HOOKS) if one["kind"] == "Deployment"]
    pod = deployment["spec"]["template"]["spec"]
    [gate], [application] = pod["initContainers"], pod["containers"]
    assert gate["env"] == application["env"]
    assert "POSTGRES_HOST" in {variable["name"] for variable in gate["env"]}


@pytest.mark.parametrize("values", [HOOKS, {}], ids=["hook", "plain"])
def test_check_only_notes_what_no_tool_can_give_of_it(
    root: Path, engine: Engine, shop: Path, tmp_path: Path, values: dict[str, Any]
) -> None:
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    said = {(one.rule, one.level) for one in found_in_folder(engine, shop, tmp_path / "values.yaml")}
    section = (
        (root / LIBRARY / "README.md").read_text().split("## What no tool can give")[1].split("\n## ")[0]
    )
    assert said <= {(rule, "note") for rule in re.findall(r"\| (WB\d+) \|", section)}


def test_another_pod_of_ones_own_is_another_job(shop: Path, tmp_path: Path) -> None:
    def names(chart: Path) -> set[str]:
        return {identity(one) for one in rendered(HELMS[0], chart, {}) if one["kind"] == "Job"}

    other = shutil.copytree(shop, tmp_path / "shop")
    file = other / "templates/backfill.yaml"
    file.write_text(file.read_text().replace("[shop, backfill]", "[shop, backfill, --all]"))

    gone, come = names(shop) - names(other), names(other) - names(shop)
    assert [name[:22] for name in (*gone, *come)] == ["Job/acme-shop-backfill"] * 2


def test_every_template_that_the_readme_names_is_there(root: Path) -> None:
    defined = {
        name
        for file in (root / LIBRARY / "templates").glob("*.tpl")
        for name in re.findall(r'define "(watchbill\.v1\.[\w.]+)"', file.read_text())
    }
    for page in sorted((root / "charts").glob("*/README.md")):
        named = set(re.findall(r"\bwatchbill\.v1\.\w+(?:\.\w+)*", page.read_text()))
        assert named <= defined, page
    assert all(name.startswith("watchbill.v1.") for name in defined)


def test_the_changes_begin_with_the_version_of_the_chart(root: Path) -> None:
    headings = re.findall(r"^## (\S+)", (root / LIBRARY / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == charts_tree.read(root / LIBRARY, root).version
