"""What the command line says when something is wrong, and how it helps."""

from pathlib import Path

import pytest

from tests.conftest import Watchbill
from watchbill.cli import COMMANDS, run
from watchbill.cli.group import SECTIONS

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n"


@pytest.fixture
def charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chart(folder: str, name: str = "", **files: str) -> None:
    """In the current directory; `__` in a file's name stands for `/`."""
    metadata = f"apiVersion: v2\nname: {name or folder}\nversion: 1.0.0\n"
    for file, text in {"Chart.yaml": metadata, "templates__job.yaml": JOB, **files}.items():
        path = Path(folder, file.replace("__", "/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that cannot be done."""
    assert run(list(arguments)) == 2
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_every_command_has_a_summary_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert "..." not in text.replace("[ARGS]...", "").replace("UPGRADE FAILED: ...", "")
    assert {name for names in SECTIONS.values() for name in names} <= set(COMMANDS)
    assert all(f"\n  {name} " in text for name in COMMANDS)


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "check"]) == 0
    text = capsys.readouterr().out
    assert run(["check", "--help"]) == 0
    assert text == capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "meant"), [("chekc", "check"), ("matrx", "matrix"), ("rehearze", "rehearse")]
)
def test_a_mistyped_command(capsys: pytest.CaptureFixture[str], typed: str, meant: str) -> None:
    assert said(capsys, typed).startswith(f"error: unknown command '{typed}'\n  did you mean {meant}?\n")


@pytest.mark.parametrize("command", ["check", "matrix", "show", "rehearse"])
def test_a_namespace_that_cannot_be_one(capsys: pytest.CaptureFixture[str], command: str) -> None:
    moves = ["install"] if command == "rehearse" else []
    text = said(capsys, command, ".", *moves, "-n", "Bad Namespace")
    assert text.startswith("error: 'Bad Namespace' is not a valid namespace\n")


def test_arguments_of_no_post_renderer(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--post-renderer-args needs --post-renderer" in said(
        capsys, "check", ".", "--post-renderer-args", "x"
    )


def test_an_empty_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the path of a chart is empty" in said(capsys, "check", "")


def test_the_flags_a_move_has(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "rehearse", "x/y", "upgrade --bogus")
    assert "known flags: --install, " in text
    assert "--keep-history" not in text


def test_values_are_no_flags_of_a_move(capsys: pytest.CaptureFixture[str]) -> None:
    assert "put --set outside of the move" in said(capsys, "rehearse", "x/y", "install --set a=1")


@pytest.mark.usefixtures("charts")
def test_history_of_a_product_asks_for_its_namespace(capsys: pytest.CaptureFixture[str]) -> None:
    assert "add -n NAMESPACE" in said(capsys, "history", "--product", "shop")


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.yaml"], "nowhere.yaml: no such file"),
        (["--through", "nowhere"], "nowhere: no such folder"),
        (["bill.yaml", "--accept", "WB999"], "unknown rule 'WB999'"),
        (["bill.yaml", "--rerun", "nope"], "unknown job 'nope'"),
        (["bill.yaml", "--rerun", "nope", "--plan", "--offline"], "unknown job 'nope'"),
    ],
)
def test_mistakes_of_a_deploy_come_before_the_cluster(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    chart("web")
    Path("bill.yaml").write_text(
        "product: shop\nversion: 2.0.0\ndefaultNamespace: shop\ncomponents: [{name: web, chart: web}]\n"
    )
    assert says in said(capsys, "deploy", *arguments, "--kubeconfig", "/nowhere/config")


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize(
    ("files", "then"),
    [
        ({"Chart.yaml": "apiVersion: v2\nname: x\nversion: banana\n"}, "correct c/Chart.yaml"),
        ({"Chart.yaml": "apiVersion: v9\nname: x\nversion: 1.0.0\n"}, "correct c/Chart.yaml:1"),
        ({"values.yaml": "x: 1\na: b: c\n"}, "correct c/values.yaml:2"),
        ({".helmignore": "a[\n"}, "correct c/.helmignore"),
        ({"values.schema.json": '{"type": "obj'}, "correct values.schema.json"),
        ({"ci__x-values.yaml": "x: 1\na: b: c\n"}, "correct c/ci/x-values.yaml:2"),
        ({"templates__b.yaml": "{{ if }}\n"}, "correct the template\n"),
        ({"templates__b.yaml": "a: {{ .Values.b }}: c\n"}, "rendered: a: : c\n"),
    ],
)
def test_the_file_to_correct_is_named(
    capsys: pytest.CaptureFixture[str], files: dict[str, str], then: str
) -> None:
    chart("c", **files)
    text = said(capsys, "check", "c")
    assert f"  {then}" in text
    assert "name a directory" not in text


@pytest.mark.usefixtures("charts")
def test_places_in_templates_are_paths(capsys: pytest.CaptureFixture[str]) -> None:
    chart("folder", "shop", templates__b__c="a: {{ .Values.a.b.c }}\n")
    text = said(capsys, "check", "folder")
    assert "  folder/templates/b/c:1:13\n" in text
    assert "shop/" not in text


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize("options", [[], ["--follow-symlinks"]])
def test_what_no_option_allows_is_not_advised(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    chart("c")
    Path("c/templates/x.yaml").symlink_to("nowhere")
    text = said(capsys, "check", "c", *options)
    assert "points to nothing" in text
    assert "--follow-symlinks" not in text


def test_a_version_that_yaml_takes_for_a_number(watchbill: Watchbill, tmp_path: Path) -> None:
    bill = tmp_path / "bill.yaml"
    bill.write_text(
        "product: shop\nversion: 2.6\ndefaultNamespace: shop\ncomponents: [{name: a, chart: a}]\n"
    )
    assert "write it like 2.6.0 or 2.6.0-rc.1" in watchbill("jobs", "list", "--bill", str(bill)).stderr


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize("command", [["check"], ["compare", "helm@3.19", "helm@4"], ["matrix"]])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "nowhere.yaml"], "open nowhere.yaml: no such file or directory\n  name a file that exists\n"),
        (["--set-file", "a=nowhere"], "failed parsing --set-file data: open nowhere: no such file"),
        (["--set-json", "a={"], "failed parsing --set-json data of a"),
        (["--kube-version", "banana"], "invalid kube version 'banana'"),
    ],
)
def test_an_argument_that_is_wrong_for_all_charts_is_reported_once(
    capsys: pytest.CaptureFixture[str], command: list[str], arguments: list[str], message: str
) -> None:
    chart("one")
    chart("two")
    assert run([*command, ".", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {message}")
    assert printed.err.count("error:") == 1


@pytest.mark.usefixtures("charts")
def test_a_baseline_that_is_missing_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    chart("one")
    chart("two")
    assert run(["check", ".", "--baseline", "nowhere.json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: nowhere.json: no such file\n")


@pytest.mark.usefixtures("charts")
def test_values_of_a_release_that_are_missing_are_named_with_their_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chart("one", **{"prod.yaml": "a: 1\n"})
    Path(".watchbill.yaml").write_text("releases:\n- chart: one\n  values: [one/prod.yaml, one/prd.yaml]\n")
    printed = said(capsys, "check", "one")
    assert ".watchbill.yaml:3: no file at 'one/prd.yaml'\n  did you mean 'prod.yaml'?" in printed


@pytest.mark.usefixtures("charts")
def test_a_release_name_of_rehearse(capsys: pytest.CaptureFixture[str]) -> None:
    chart("one")
    assert "--release NAME" in said(capsys, "rehearse", "one", "install", "--release", "Bad_")


@pytest.mark.usefixtures("charts")
def test_a_library_chart_as_the_version_before(capsys: pytest.CaptureFixture[str]) -> None:
    chart("one")
    chart("lib", **{"Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n"})
    printed = said(capsys, "check", "one", "--from", "lib")
    assert "library charts are not installable\n  name a chart that uses the library" in printed


@pytest.mark.usefixtures("charts")
def test_a_line_of_yaml_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    chart("one", **{"values.yaml": "a: [1\nb: 2\n"})
    printed = said(capsys, "check", "one")
    assert "yaml: line" not in printed
    assert "correct one/values.yaml:2" in printed


@pytest.mark.usefixtures("charts")
def test_a_line_break_in_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    chart("new\nline", "one", **{"Chart.yaml": "apiVersion: v2\nname: one\nversion: 1.0.0\ntype: x\n"})
    assert said(capsys, "show", "new\nline") == (
        "error: new\\nline is not a chart that Helm can load: validation: chart.metadata.type must be application or"
        " library\n  correct new\\nline/Chart.yaml\n"
    )


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize(
    ("allowed", "chosen"),
    [("< 1.37.0-0", "1.36.0"), (">= 1.30.2 < 1.31.0", "1.30.4"), ("<=1.28.0", "1.28.0")],
)
@pytest.mark.parametrize("command", ["check", "matrix"])
def test_a_chart_that_does_not_allow_the_newest_kubernetes(
    capsys: pytest.CaptureFixture[str], command: str, allowed: str, chosen: str
) -> None:
    """The newest version that it allows is taken, and named as assumed."""
    metadata = f'apiVersion: v2\nname: one\nversion: 1.0.0\nkubeVersion: "{allowed}"\n'
    version = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v}\ndata: {v: {{ .Capabilities.KubeVersion.Version }}}\n"
    chart("one", **{"Chart.yaml": metadata, "templates__v.yaml": version})
    assert run([command, "one", "-o", "json"]) < 2
    assert f"Kubernetes {chosen}, because the chart allows only {allowed}" in capsys.readouterr().out.replace(
        "\\u003c", "<"
    )


@pytest.mark.usefixtures("charts")
def test_no_kubernetes_that_a_chart_allows(capsys: pytest.CaptureFixture[str]) -> None:
    chart("one", **{"Chart.yaml": 'apiVersion: v2\nname: one\nversion: 1.0.0\nkubeVersion: ">= 1.99"\n'})
    assert "--kube-version" in said(capsys, "check", "one")


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=" ".join)
def test_help_fits_the_terminal(watchbill: Watchbill, command: tuple[str, ...], columns: int) -> None:
    lines = watchbill(*command, "--help", env={"COLUMNS": str(columns)}).stdout.splitlines()
    too_wide = [line for line in lines if len(line) > columns]
    # Examples are copied as a whole, and some names are long; all else is wrapped.
    assert [
        line for line in too_wide if not line.startswith(("  watchbill ", "  helm ")) and " " in line.strip()
    ] == []


@pytest.mark.parametrize("there", [True, False])
def test_a_line_break_in_a_name_does_not_break_the_message(
    watchbill: Watchbill, tmp_path: Path, there: bool
) -> None:
    folder = tmp_path / "two\nlines"
    if there:
        folder.mkdir()
    first, *_ = watchbill("check", str(folder), "-o", "concise").stdout.splitlines()
    why = "the directory is empty" if there else "no such file or directory"
    assert f"two\\nlines: {why}" in first
