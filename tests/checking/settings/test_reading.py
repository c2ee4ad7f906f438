"""What a `.watchbill.yaml` means, and which one counts."""

from pathlib import Path

import pytest

from tests.support.rules import RULES
from tests.support.trees import write
from watchbill.charts.engine import Engine
from watchbill.checking.settings.config import Config, Ignore
from watchbill.checking.settings.reading import NAME, Configs, find, read
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Contract, Tool
from watchbill.lifecycle.scenarios import NEXT, THIS, Act

EVERYTHING = """\
# How we deploy.
tools: [helm@4, helm@3.19]
failOn: warning
flags: [--atomic]
releases:
  - chart: charts/membership
    name: membership
    namespace: shop
    values: [values/prod.yaml, https://example.org/shared.yaml]
    tools: [helm@3]
    flags: [--timeout 10m]
  - {chart: charts/orders}
contracts:
  - {job: "*", runs: once}
  - {job: "*-migrate", runs: each-version, overlap: never}
scenarios:
  - name: nightly redeploy
    moves: [install, upgrade, wait 1h, upgrade --force-replace next]
  - name: applied twice
    moves: [apply, apply]
severities:
  WB301: note
  immutable-job: off
ignores:
  - rule: left-behind
    resource: Job/*-smoke
    dependency: postgresql
    reason: >
      removed by the
      janitor
baseline: ci/baseline.json
"""


@pytest.fixture
def repository(here: Path) -> Path:
    return write(
        here,
        {
            NAME: EVERYTHING,
            "values/prod.yaml": "a: 1\n",
            "charts/membership/Chart.yaml": "name: membership\n",
            "charts/orders/Chart.yaml": "name: orders\n",
        },
    )


def config_of(engine: Engine, here: Path, text: str) -> Config:
    write(here, {NAME: text})
    return read(engine, NAME, RULES)


def test_everything_that_can_be_said(engine: Engine, repository: Path) -> None:
    config = read(engine, NAME, RULES)
    assert config.file == NAME
    assert config.tools == (Tool("helm", "4.3.1"), Tool("helm", "3.19.0"))
    assert config.fail_on == "warning"
    assert config.in_use == {"--atomic"}
    assert config.contracts == (Contract("*", "once"), Contract("*-migrate", "each-version", "never"))
    assert config.severities == {"WB301": "note", "WB101": "off"}
    assert config.ignores == (
        Ignore("removed by the janitor", "WB304", "Job/*-smoke", "postgresql", line=25),
    )
    assert config.baseline == "ci/baseline.json"
    membership, orders = config.releases
    assert membership.chart == str(repository / "charts/membership")
    assert (membership.name, membership.namespace) == ("membership", "shop")
    assert membership.values == ("values/prod.yaml", "https://example.org/shared.yaml")
    assert membership.tools == (Tool("helm", "3.19.0"),)
    assert membership.in_use == config.in_use | {"--timeout"}
    assert (membership.timeout, orders.timeout) == (600, 300)
    assert (orders.name, orders.tools, orders.in_use) == ("", config.tools, config.in_use)
    nightly, applied = config.scenarios
    assert (nightly.name, nightly.tool, nightly.versions.since) == ("nightly redeploy", "helm", (4, 0, 0))
    assert nightly.acts == (
        Act("install", THIS),
        Act("upgrade", THIS),
        Act("wait 1h", THIS),
        Act("upgrade --force-replace", NEXT),
    )
    assert applied.tool == "kubectl"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "tools:\nignores:\nreleases: []\n"])
def test_nothing_that_is_said(engine: Engine, here: Path, text: str) -> None:
    assert config_of(engine, here, text) == Config(file=NAME)


def test_paths_are_from_the_folder_of_the_file(engine: Engine, repository: Path) -> None:
    config = Configs(engine, RULES, named=str(repository / NAME)).of("")
    assert config.baseline == str(repository / "ci/baseline.json")
    assert config.releases[0].values[0] == str(repository / "values/prod.yaml")


@pytest.mark.parametrize(
    "named", ["charts/membership", "charts/membership/", "./charts/../charts/membership"]
)
def test_a_chart_has_the_releases_that_name_it(engine: Engine, repository: Path, named: str) -> None:
    config = read(engine, NAME, RULES)
    assert [release.name for release in config.releases_of(named)] == ["membership"]
    assert [release.name for release in config.releases_of(str(repository / named))] == ["membership"]
    assert config.releases_of("charts/elsewhere") == ()


def test_one_chart_may_be_installed_several_times(engine: Engine, here: Path) -> None:
    write(here, {"c/Chart.yaml": "name: c\n"})
    config = config_of(
        engine, here, "releases: [{chart: c, name: a}, {chart: c, name: b}, {chart: c, namespace: x}]\n"
    )
    assert [release.name for release in config.releases_of("c")] == ["a", "b", ""]


def test_anchors_and_merges_are_written_out(engine: Engine, here: Path) -> None:
    text = """\
ignores:
  - &janitor {resource: Job/a, reason: of the janitor}
  - <<: *janitor
    resource: Job/b
"""
    one, other = config_of(engine, here, text).ignores
    assert (one.resource, one.reason, one.line) == ("Job/a", "of the janitor", 2)
    assert (other.resource, other.reason, other.line) == ("Job/b", "of the janitor", 3)


@pytest.mark.parametrize("word", ["off", '"off"', "false", "no"])
def test_off_is_a_no_to_yaml(engine: Engine, here: Path, word: str) -> None:
    assert config_of(engine, here, f"severities: {{WB301: {word}}}\n").severities == {"WB301": "off"}


def test_flags_that_weigh_nothing_are_no_mistake(engine: Engine, here: Path) -> None:
    config = config_of(engine, here, "flags: [--reuse-values, -n shop, --version=1.2.3, --atomic]\n")
    assert "--atomic" in config.in_use


def test_flags_are_in_use_whatever_their_values(engine: Engine, here: Path) -> None:
    config = config_of(engine, here, "flags: [-i, --history-max=3, --timeout 5m, --wait=watcher]\n")
    assert config.in_use == {"-i", "--history-max", "--timeout", "--wait"}


def test_a_scenario_is_of_the_tool_whose_moves_it_has(engine: Engine, here: Path) -> None:
    text = "scenarios: [{name: a, moves: [wait 1h, kill 1 install]}, {name: b, moves: [delete Job/x, apply, delete]}]\n"
    found = config_of(engine, here, text).scenarios
    assert [(scenario.name, scenario.tool) for scenario in found] == [("a", "helm"), ("b", "kubectl")]


def test_the_nearest_file_counts(engine: Engine, here: Path) -> None:
    write(here, {NAME: "failOn: note\n", f"charts/{NAME}": "failOn: never\n", "charts/a/Chart.yaml": ""})
    configs = Configs(engine, RULES)
    assert configs.of("charts/a").fail_on == "never"
    assert configs.of("charts/a/Chart.yaml").fail_on == "never"
    assert configs.of("charts/a-1.0.0.tgz").fail_on == "never", "an archive has the settings of its folder"
    assert configs.of("charts").file == f"charts/{NAME}"
    assert configs.of(".").fail_on == "note"
    assert configs.of("").fail_on == "note"
    assert configs.of("no/such/folder").fail_on == "note"


def test_a_named_file_counts_for_all(engine: Engine, here: Path) -> None:
    write(here, {NAME: "failOn: note\n", "mine.yaml": "failOn: never\n"})
    assert Configs(engine, RULES, named="mine.yaml").of(".").fail_on == "never"


def test_a_git_repository_is_not_left(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, {NAME: "", "repository/.git": "gitdir: elsewhere\n", "repository/charts/a/Chart.yaml": ""})
    assert find("repository/charts/a") == ""
    write(here, {f"repository/{NAME}": ""})
    assert find("repository/charts/a") == f"repository/{NAME}"
    monkeypatch.chdir(here / "repository/charts/a")
    assert find(".") == f"../../{NAME}"


def test_without_a_file_nothing_is_said(engine: Engine, here: Path) -> None:
    write(here, {".git/HEAD": ""})
    assert Configs(engine, RULES).of(".") == Config()


def test_a_file_is_read_once(engine: Engine, here: Path) -> None:
    write(here, {NAME: "failOn: note\n"})
    configs = Configs(engine, RULES)
    first = configs.of(".")
    (here / NAME).write_text("broken: [")
    assert configs.of(".") is first


def test_another_ending_does_not_matter_below_a_good_file(here: Path) -> None:
    write(here, {NAME: "", "a/.watchbill.yml": ""})
    assert find(".") == NAME
    with pytest.raises(UserError, match=r"a/\.watchbill\.yml is not read"):
        find("a")
