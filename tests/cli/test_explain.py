"""`watchbill explain`: rules by id and name, errors from anywhere, and how it ends."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Watchbill
from watchbill.cli import run
from watchbill.report.rule_pages import read_page
from watchbill.rules import wb000_unclaimed
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Rule

EXISTS = """\
Error: UPGRADE FAILED: pre-upgrade hooks failed: warning: Hook pre-upgrade shop/templates/migrate.yaml failed: 1 error occurred:
\t* jobs.batch "shop-migrate" already exists
"""
SECTIONS = ["What happens", "Why", "Example", "Fixed", "Live with it today"]


def piped(root: Path, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "watchbill", "explain", "--error", "-", *arguments]
    return subprocess.run(command, input=text, capture_output=True, cwd=root, check=False)


@pytest.mark.parametrize("name", ["WB101", "wb101", "immutable-job", "Immutable_Job"])
def test_a_rule_goes_by_its_id_and_by_its_name(watchbill: Watchbill, name: str) -> None:
    done = watchbill("explain", name)
    assert done.returncode == 0
    assert done.stdout.startswith("WB101 immutable-job\n")


@pytest.mark.parametrize("rule", [*RULES, wb000_unclaimed.RULE], ids=lambda rule: rule.id)
def test_every_rule_has_a_page_that_tells_the_same_things(
    capsys: pytest.CaptureFixture[str], rule: Rule
) -> None:
    assert run(["explain", rule.id, "-o", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["id"], told["name"], told["summary"]) == (rule.id, rule.name, rule.summary)
    titles = [section["title"] for section in told["sections"]]
    if rule.id != "WB000":
        assert [title for title in titles if title in SECTIONS] == SECTIONS
    assert all(section["text"] for section in told["sections"])


def test_without_a_rule_all_are_listed(watchbill: Watchbill) -> None:
    lines = watchbill("explain").stdout
    for rule in RULES:
        assert f"{rule.id}  {rule.name}" in lines
    assert len(json.loads(watchbill("explain", "-o", "json").stdout)["rules"]) == len(RULES)


def test_markdown_is_the_page_without_links_into_the_repository(root: Path, watchbill: Watchbill) -> None:
    page = (root / "src/watchbill/rules/wb101_immutable_job.md").read_text()
    page = page.replace("[.watchbill.yaml](../../../docs/configuration.md)", ".watchbill.yaml")
    assert watchbill("explain", "WB101", "-o", "markdown").stdout == page


@pytest.mark.parametrize("rule", [*RULES, wb000_unclaimed.RULE])
def test_no_page_has_a_link_that_leads_nowhere(rule: Rule) -> None:
    links = re.findall(r"\]\(([^)]*)\)", read_page(rule))
    assert [link for link in links if not link.startswith("https://")] == []
    assert "configuration.md" not in read_page(rule)


def test_a_page_is_plain_when_piped(watchbill: Watchbill) -> None:
    page = watchbill("explain", "WB101").stdout
    assert "\x1b" not in page
    assert "## " not in page
    assert "```" not in page
    assert "](" not in page
    prose = [line for line in page.splitlines() if not line.startswith("    ")]
    assert max(map(len, prose)) <= 110


@pytest.mark.parametrize(
    ("arguments", "what", "then"),
    [
        (["WB1O1"], "unknown rule 'WB1O1'", "did you mean WB101, immutable-job?"),
        (["hook-exists"], "unknown rule 'hook-exists'", "did you mean WB201, hook-already-exists?"),
        (["xyzzy"], "unknown rule 'xyzzy'", "all rules: watchbill explain"),
        (["--error", "  \n"], "the error is empty", "paste it"),
        (["WB101", "--error", "x"], "a rule and --error cannot be combined", "remove 'WB101' or --error"),
        (["--error", "x", "-o", "markdown"], "only text and json", "remove -o markdown"),
        (["WB101", "-n", "prod"], "only apply to --error", "--error TEXT"),
        (["--error", "x", "-n", "a;b"], "'a;b' is not a valid name", "lower-case letters"),
    ],
)
def test_bad_input_is_one_clear_error(
    watchbill: Watchbill, arguments: list[str], what: str, then: str
) -> None:
    done = watchbill("explain", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert what in done.stderr
    assert then in done.stderr


def test_an_error_is_explained_with_its_rule_and_the_way_out(watchbill: Watchbill) -> None:
    done = watchbill("explain", "--error", EXISTS, "-n", "prod", "--release", "shop")
    assert done.returncode == 0
    assert done.stdout.startswith("WB201 hook-already-exists")
    assert "kubectl delete job shop-migrate -n prod\n" in done.stdout
    assert "helm upgrade shop CHART -n prod\n" in done.stdout
    assert "costs: its pods are stopped and their logs are lost" in done.stdout
    assert "watchbill explain WB201" in done.stdout


def test_what_is_not_recognised_is_said_and_is_exit_code_1(watchbill: Watchbill) -> None:
    done = watchbill("explain", "--error", "the coffee machine is out of order")
    assert done.returncode == 1
    assert done.stdout.startswith("not recognised")
    assert "coffee" not in done.stdout
    assert "watchbill check" in done.stdout
    done = watchbill("explain", "--error", "the coffee machine is out of order", "-o", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"schema": 1, "recognised": []}


def test_scripts_get_the_same(watchbill: Watchbill) -> None:
    [told] = json.loads(watchbill("explain", "--error", EXISTS, "-o", "json").stdout)["recognised"]
    assert told["rule"]["id"] == "WB201"
    assert told["objects"] == ["shop-migrate"]
    assert told["ways"][0] == {
        "does": "delete it, then retry",
        "when": "",
        "commands": [
            "kubectl delete job shop-migrate -n NAMESPACE",
            "helm upgrade RELEASE CHART -n NAMESPACE",
        ],
        "costs": "its pods are stopped and their logs are lost; after it is created again, it runs again",
        "mended": False,
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_log_is_read_whatever_wrote_it(root: Path, encoding: str) -> None:
    done = piped(root, EXISTS.encode(encoding))
    assert done.returncode == 0
    assert done.stdout.startswith(b"WB201")


def test_bytes_that_are_no_text_do_not_hinder(root: Path) -> None:
    assert piped(root, b"\xff\xfe\x00progress \x9f\n" + EXISTS.encode()).returncode in (0, 1)
    assert piped(root, b"progress \xff\x9f\n" + EXISTS.encode()).returncode == 0


def test_a_secret_in_a_log_is_not_repeated(root: Path) -> None:
    dump = 'core.PodTemplateSpec{Env:[]core.EnvVar{Name:"PASSWORD", Value:"hunter2"}}'
    log = (
        'export TOKEN=hunter2\nError: UPGRADE FAILED: cannot patch "a" with kind Job: Job.batch "a" is invalid: '
        f"spec.template: Invalid value: {dump}: field is immutable\n"
    )
    for arguments in ([], ["-o", "json"]):
        done = piped(root, log.encode(), *arguments)
        assert done.returncode == 0
        assert b"hunter2" not in done.stdout + done.stderr
