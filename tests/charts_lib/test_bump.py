"""`make charts-bump`: what is built on a chart that changed is raised with it, and nothing is forgotten."""

import json
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dev import charts, charts_bump, charts_packages, charts_schema, charts_tree
from dev.charts_tree import ChartsError
from dev.charts_versions import Step, numbers, raised, step

Change = Callable[[Path], None]

LIBRARY = "charts/watchbill-lib"
COMPAT = "charts/watchbill-lib-compat"
SHOP = "examples/charts/shop"
BESIDES = "examples/charts/besides"


def test_nothing_was_forgotten(root: Path) -> None:
    assert charts_bump.complaints(root) == [], "make charts-bump"


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    """A copy of our charts with a third level (the library, compat, a shop) and a chart that has nothing to do with them."""
    for folder in (LIBRARY, COMPAT):
        shutil.copytree(root / folder, tmp_path / folder)
    write(tmp_path / BESIDES / "Chart.yaml", "apiVersion: v2\nname: besides\nversion: 4.0.0\n")
    write(
        tmp_path / SHOP / "Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 0.4.2 # its own\ndependencies:\n"
        "  - name: watchbill-lib-compat\n"
        f'    version: "{version(tmp_path, COMPAT)}"  # as it is here\n'
        "    repository: file://../../../charts/watchbill-lib-compat\n"
        "    condition: compat.enabled\n",
    )
    charts_bump.raise_charts(Step.NONE, tmp_path)
    assert charts_bump.complaints(tmp_path) == []
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def edit(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))


def version(tree: Path, chart: str) -> str:
    return charts_tree.read(tree / chart, tree).version


def versions(tree: Path) -> dict[str, str]:
    return {chart: version(tree, chart) for chart in (LIBRARY, COMPAT, SHOP)}


def set_version(tree: Path, chart: str, new: str) -> None:
    edit(tree / chart / "Chart.yaml", f"version: {version(tree, chart)}", f"version: {new}")


def change_library(tree: Path) -> None:
    write(tree / LIBRARY / "templates/_more.tpl", '{{- define "watchbill.v1.more" -}}more{{- end }}\n')


def everything(tree: Path) -> dict[str, bytes]:
    return {str(file.relative_to(tree)): file.read_bytes() for file in tree.rglob("*") if file.is_file()}


def test_a_changed_library_raises_all_that_is_built_on_it(tree: Path) -> None:
    before = versions(tree)
    change_library(tree)
    assert charts_bump.complaints(tree) != []
    charts_bump.raise_charts(Step.PATCH, tree)
    assert versions(tree) == {chart: raised(old, Step.PATCH) for chart, old in before.items()}
    assert charts_bump.complaints(tree) == []


@pytest.mark.parametrize("by", [Step.PATCH, Step.MINOR, Step.MAJOR])
def test_dependents_are_raised_by_the_step_that_a_person_chose_for_the_library(tree: Path, by: Step) -> None:
    before = versions(tree)
    change_library(tree)
    set_version(tree, LIBRARY, raised(before[LIBRARY], by))
    charts_bump.raise_charts(Step.PATCH, tree)
    assert versions(tree) == {chart: raised(old, by) for chart, old in before.items()}
    assert charts_bump.complaints(tree) == []


def test_the_packages_hold_what_the_library_is_now_through_every_level(tree: Path) -> None:
    change_library(tree)
    charts_bump.raise_charts(Step.MINOR, tree)
    [package] = (tree / SHOP / "charts").glob("*.tgz")
    assert package.name == f"watchbill-lib-compat-{version(tree, COMPAT)}.tgz"
    with tarfile.open(package) as archive:
        names = archive.getnames()
    assert "watchbill-lib-compat/charts/watchbill-lib/templates/_more.tpl" in names


def test_helm_takes_every_lock_for_current(tree: Path) -> None:
    change_library(tree)
    charts_bump.raise_charts(Step.PATCH, tree)
    for chart in (COMPAT, SHOP):
        shutil.rmtree(tree / chart / "charts")
        charts_packages.helm("dependency", "build", "--skip-refresh", str(tree / chart))
    assert charts_bump.complaints(tree) == []


def test_only_what_is_built_on_a_chart_follows_it(tree: Path) -> None:
    before = versions(tree)
    write(tree / COMPAT / "templates/_more.tpl", "{{/* more */}}\n")
    charts_bump.raise_charts(Step.MINOR, tree)
    steps = {chart: step(before[chart], now) for chart, now in versions(tree).items()}
    assert steps == {LIBRARY: Step.NONE, COMPAT: Step.MINOR, SHOP: Step.MINOR}
    assert version(tree, BESIDES) == "4.0.0"
    assert BESIDES not in (tree / charts_bump.RECORD).read_text()


def test_a_dependent_that_a_person_raised_further_keeps_its_version(tree: Path) -> None:
    change_library(tree)
    set_version(tree, SHOP, "1.0.0")
    charts_bump.raise_charts(Step.PATCH, tree)
    assert version(tree, SHOP) == "1.0.0"
    assert charts_bump.complaints(tree) == []


def test_a_dependent_that_a_person_raised_too_little_is_raised_further(tree: Path) -> None:
    change_library(tree)
    set_version(tree, SHOP, "0.4.3")
    charts_bump.raise_charts(Step.MINOR, tree)
    assert version(tree, SHOP) == "0.5.0"


def test_where_nothing_changed_nothing_is_written(tree: Path) -> None:
    before = everything(tree)
    done = charts_bump.raise_charts(Step.MAJOR, tree)
    assert everything(tree) == before
    assert all(one.before == one.after and not one.renewed for one in done)


def test_a_version_that_nobody_has_yet_may_be_recorded_again(tree: Path) -> None:
    before = versions(tree)
    change_library(tree)
    charts_bump.raise_charts(Step.NONE, tree)
    assert versions(tree) == before
    assert charts_bump.complaints(tree) == []


def test_only_versions_change_in_a_chart_yaml(tree: Path) -> None:
    before = (tree / SHOP / "Chart.yaml").read_text()
    change_library(tree)
    charts_bump.raise_charts(Step.MINOR, tree)
    after = (tree / SHOP / "Chart.yaml").read_text()
    assert re.sub(r'"?\d+\.\d+\.\d+"?', "V", after) == re.sub(r'"?\d+\.\d+\.\d+"?', "V", before)
    assert "version: 0.5.0 # its own\n" in after


def forget_the_record(tree: Path) -> None:
    change_library(tree)


def raise_and_stop(tree: Path) -> None:
    set_version(tree, LIBRARY, "9.0.0")


def record_without_packing(tree: Path) -> None:
    """The line of the library is put right by hand, those built on it are not looked at."""
    change_library(tree)
    library = charts_tree.read(tree / LIBRARY, tree)
    old = charts_bump.recorded(tree)[LIBRARY].digest
    edit(tree / charts_bump.RECORD, old, charts_bump.digest(library))


def pack_without_raising(tree: Path) -> None:
    edit(tree / SHOP / "Chart.yaml", "condition: compat.enabled", "condition: compat.on")
    charts_packages.helm("dependency", "update", "--skip-refresh", str(tree / SHOP))


def lose_a_package(tree: Path) -> None:
    next((tree / SHOP / "charts").glob("*.tgz")).unlink()


def keep_an_old_package(tree: Path) -> None:
    write(tree / SHOP / "charts/watchbill-lib-compat-0.9.0.tgz", "")


def spoil_a_package(tree: Path) -> None:
    next((tree / SHOP / "charts").glob("*.tgz")).write_bytes(b"")


def lose_the_lock(tree: Path) -> None:
    (tree / COMPAT / "Chart.lock").unlink()


def lose_a_chart(tree: Path) -> None:
    shutil.rmtree(tree / SHOP)


def add_a_chart(tree: Path) -> None:
    write(tree / "charts/new/Chart.yaml", "apiVersion: v2\nname: new\nversion: 1.0.0\n")


FORGOTTEN: dict[Change, str] = {
    forget_the_record: rf"{LIBRARY} changed since it was raised to",
    raise_and_stop: rf"{COMPAT} asks for watchbill-lib \S+, which is 9.0.0 here",
    record_without_packing: rf"{COMPAT}/charts/watchbill-lib-\S+ is not what watchbill-lib is now: \S+/_more.tpl",
    pack_without_raising: rf"{SHOP} changed since it was raised to 0.4.2",
    lose_a_package: rf"{SHOP}/charts holds nothing instead of watchbill-lib-compat-",
    keep_an_old_package: rf"{SHOP}/charts holds watchbill-lib-compat-0.9.0.tgz, watchbill-lib-compat-",
    spoil_a_package: rf"{SHOP}/charts/\S+ is not what watchbill-lib-compat is now",
    lose_the_lock: rf"{COMPAT}/Chart.lock is not of Chart.yaml",
    lose_a_chart: rf"charts/digests.txt has {SHOP}, which is no chart",
    add_a_chart: r"charts/new is not in charts/digests.txt",
}


@pytest.mark.parametrize(
    ("change", "complaint"), FORGOTTEN.items(), ids=lambda one: getattr(one, "__name__", "")
)
def test_what_was_forgotten_is_told_and_put_right(tree: Path, change: Change, complaint: str) -> None:
    change(tree)
    assert re.search(complaint, "\n".join(charts_bump.complaints(tree)))
    charts_bump.raise_charts(Step.PATCH, tree)
    assert charts_bump.complaints(tree) == []


def lower(tree: Path) -> None:
    set_version(tree, LIBRARY, "0.1.0")


def say_a_range(tree: Path) -> None:
    set_version(tree, LIBRARY, "1.x")


def name_no_version(tree: Path) -> None:
    edit(tree / COMPAT / "Chart.yaml", f"version: {version(tree, LIBRARY)}\n    repository", "repository")


def go_in_a_circle(tree: Path) -> None:
    file = tree / LIBRARY / "Chart.yaml"
    circle = "dependencies: [{name: shop, version: 0.4.2, repository: 'file://../../examples/charts/shop'}]\n"
    file.write_text(file.read_text() + circle)


def point_nowhere(tree: Path) -> None:
    edit(tree / COMPAT / "Chart.yaml", "file://../watchbill-lib", "file://../nothing")


def spoil_the_record(tree: Path) -> None:
    write(tree / charts_bump.RECORD, "charts/watchbill-lib 1.0.0\n")


IMPOSSIBLE: dict[Change, str] = {
    lower: rf"{LIBRARY}: the version went down from \S+ to 0.1.0",
    say_a_range: r"the version '1.x' is not of the form 1.2.3",
    name_no_version: r"has no version",
    go_in_a_circle: r"charts depend on each other in a circle: .*shop",
    point_nowhere: r"watchbill-lib is not at file://../nothing",
    spoil_the_record: r"a line is a chart's path, its version and a digest",
}


@pytest.mark.parametrize(("change", "says"), IMPOSSIBLE.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_what_a_person_must_decide_is_said(tree: Path, change: Change, says: str) -> None:
    change(tree)
    with pytest.raises(ChartsError, match=says):
        charts_bump.raise_charts(Step.PATCH, tree)


def test_a_new_part_of_the_schema_reaches_what_is_built_on_the_library(tree: Path) -> None:
    write(
        tree / SHOP / "schema.json",
        '{"properties": {"config": {"properties": {"colour": {"type": "string"}}}}}',
    )
    assert charts_schema.renew(tree) == [f"{SHOP}/values.schema.json"]
    config = json.loads((tree / SHOP / "values.schema.json").read_text())["properties"]["config"][
        "properties"
    ]
    assert {"colour", "migration"} <= config.keys()
    fragment = tree / charts_schema.FRAGMENT
    edit(fragment, '"bundled": { "type": "boolean" }', '"bundled": { "type": "boolean", "default": false }')
    assert charts_schema.complaints(tree) != []
    assert charts_schema.renew(tree) == [f"{SHOP}/values.schema.json"]
    assert charts_schema.complaints(tree) == []


def test_the_command_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert charts.main(["check"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == ""


def test_steps_between_versions() -> None:
    assert [raised("1.2.3", by) for by in Step] == ["1.2.3", "1.2.4", "1.3.0", "2.0.0"]
    assert [step("1.2.3", now) for now in ("1.2.3", "1.2.9", "1.4.0", "3.0.0")] == list(Step)
    assert numbers("1.10.0") > numbers("1.9.0")
