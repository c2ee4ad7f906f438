"""What can be wrong with a `.watchbill.yaml`: one case a file, with the error a user reads."""

from pathlib import Path

import pytest

from tests.support import txtar
from tests.support.rules import RULES
from watchbill.charts.engine import Engine
from watchbill.checking.settings.reading import Configs, read
from watchbill.checking.settings.typed_file import LARGEST
from watchbill.errors import UserError

CASES = sorted((Path(__file__).parent / "mistakes").glob("*.txtar"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_mistake_is_told(
    engine: Engine, case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    txtar.unpack(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        Configs(engine, RULES).of(".")
    assert f"{caught.value}\n" == (tmp_path / "error.txt").read_text()
    assert caught.value.exit_code == 2


def refused(engine: Engine, file: Path) -> str:
    with pytest.raises(UserError) as caught:
        read(engine, str(file), RULES)
    return str(caught.value).replace(str(file.parent), "")


def test_a_file_that_is_too_large(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_bytes(b"#" * (LARGEST + 1))
    assert refused(engine, file).startswith("/.watchbill.yaml is larger than 1 MiB")


def test_a_file_as_large_as_may_be(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_bytes(b"tools: [helm@4]\n".ljust(LARGEST, b"#"))
    assert [tool.name for tool in read(engine, str(file), RULES).tools] == ["helm"]


def test_a_file_of_nothing_but_mistakes(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_text("".join(f"k{number}: 1\n" for number in range(80_000)))
    assert refused(engine, file).startswith("/.watchbill.yaml has 100 and more mistakes\n")


@pytest.mark.parametrize("deep", [300, 3000])
@pytest.mark.parametrize("inside", ["[", "{a: "])
def test_a_file_that_goes_deep(engine: Engine, tmp_path: Path, deep: int, inside: str) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_text(f"tools: {inside * deep}{('}' if 'a' in inside else ']') * deep}\n")
    assert refused(engine, file).startswith(
        ("/.watchbill.yaml:1: ", "/.watchbill.yaml is nested too deeply")[deep > 1000]
    )


def test_thousands_of_ignores(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    entry = "  - {rule: WB304, reason: r}\n"
    file.write_text("ignores:\n" + entry * 20_000)
    assert read(engine, str(file), RULES).ignores[-1].line == 20_001


def test_a_file_that_is_not_there(engine: Engine, tmp_path: Path) -> None:
    assert refused(engine, tmp_path / "mine.yaml").startswith("/mine.yaml: no such file")


def test_a_link_that_leads_nowhere(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.symlink_to("elsewhere.yaml")
    assert refused(engine, file) == "/.watchbill.yaml: broken link\n  it points to elsewhere.yaml"


def test_a_directory(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / ".watchbill.yaml").mkdir()
    assert refused(engine, tmp_path / ".watchbill.yaml") == "/.watchbill.yaml: Is a directory"


@pytest.mark.parametrize(
    "text",
    [
        "failOn: {0}\n",
        "{0}: 1\n",
        "flags: [--{0}]\n",
        "tools: [{0}]\n",
        "severities: {{{0}: off}}\n",
        "ignores: [{{resource: {0}, reason: r}}]\n",
        "releases: [{{chart: {0}}}]\n",
        "releases: [{{chart: ., name: {0}, namespace: {0}}}]\n",
        "contracts: [{{job: {0}}}]\n",
        "scenarios: [{{name: {0}, moves: [{0}]}}]\n",
    ],
)
def test_a_word_of_64_kilobytes_fills_no_screen(engine: Engine, tmp_path: Path, text: str) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_text(text.format("x" * 65536))
    assert len(refused(engine, file)) < 1000


def test_a_broken_file_is_read_once_and_told_for_every_chart(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / ".watchbill.yaml"
    file.write_text("tool: [helm@4]\n")
    configs = Configs(engine, RULES)
    for _ in range(2):
        with pytest.raises(UserError, match="unknown key 'tool'"):
            configs.of(str(tmp_path))
        file.write_text("tools: [helm@4]\n")
