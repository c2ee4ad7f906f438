"""What is told while a deploy runs: events for machines, lines for people, and never a secret."""

import contextlib
import json
import os
import pty
import signal
import threading
import time
from pathlib import Path
from typing import get_args

import pytest

from dev.cluster.client import Namespace
from tests.support.products import CONFIG, FAILING, HELM_3, HELM_4, Product, ended
from watchbill.deploy.events import Kind

pytestmark = pytest.mark.cluster

SECRET = "hunter2-of-the-tests"
NOTES = "The password is {{ .Values.password }}."
SECRET_TEMPLATE = """
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-login}
stringData: {password: {{ .Values.password | quote }}}
"""


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


def test_events_are_json_lines_of_six_kinds(product: Product) -> None:
    product.job("global", "pre", "look", "ctx.log.info('looks around')")
    product.job("web", "pre", "slow", "await asyncio.sleep(60)", timeout="1s")
    product.job("shop", "pre", "deaf", "time.sleep(60)", sync=True, timeout="1s", grace="1s")
    product.chart("mail", CONFIG, FAILING)
    product.bill("web", "shop", "mail", "good")
    ran = product.deploy()
    assert ran.code == 1
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert {event["event"] for event in events} == set(get_args(Kind))
    assert {frozenset(event) - {"component", "stage", "step", "text", "seconds"} for event in events} == {
        frozenset({"event", "time", "status"})
    }
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    first, last = events[0], events[-1]
    assert (first["event"], first["status"]) == ("ProcessStart", "started")
    assert last["status"] == "abandoned"
    assert last["seconds"] > 0
    assert any(event.get("text") == "looks around" and event["step"] == "look" for event in events)
    # All else is for people, and elsewhere.
    for text in ("looks around", "web", "abandoned", "total", "watchbill history show --logs"):
        assert text in ran.err


@pytest.mark.parametrize("arguments", [(), ("--events=jsonl",)], ids=["lines", "events"])
def test_who_reads_along_may_go_away(arguments: tuple[str, ...], product: Product) -> None:
    """As `watchbill deploy bill.yaml | head -1` does: the deploy is not left in the middle."""
    product.job("web", "post", "after", "await asyncio.sleep(0.5)")
    product.bill("web", "shop")
    process = product.start("bill.yaml", *arguments)
    assert process.stdout
    assert process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    assert ended(process).code == 0
    assert product.journal[-1] == "web/after ends"
    assert product.record["installed"] == "1.0.0"


def test_a_deploy_needs_no_stdout(product: Product) -> None:
    product.job("web", "pre", "close", "import sys; sys.stdout.close()", sync=True)
    product.bill("web")
    process = product.start("bill.yaml", launcher=("sh", "-c", 'exec "$@" >&-', "sh"))
    assert ended(process).code == 0
    assert product.record["installed"] == "1.0.0"


def test_on_a_terminal(product: Product) -> None:
    """What runs is drawn with its age, failures stay; whoever is abandoned may go on talking."""
    talks = "for at in range(600):\n    ctx.log.info('line %s', at)\n    time.sleep(0.05)"
    product.job("web", "pre", "deaf", talks, sync=True, timeout="1s", grace="1s")
    product.job("shop", "post", "slow", "await asyncio.sleep(4)")
    product.bill("web", "shop")
    ours, theirs = pty.openpty()
    process = product.start("bill.yaml", stdout=theirs)
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # that is how it ends
        while part := os.read(ours, 65536):
            seen += part
    os.close(ours)
    ran = ended(process)
    text = seen.decode()
    assert ran.code == 1, text
    assert "Traceback" not in (ran.err or "")
    assert "abandoned" in text
    assert "shop slow" in text
    assert "total" in text
    assert "Traceback" not in text


def test_printed_lines_are_in_the_log_and_not_between_the_events(product: Product) -> None:
    product.job("web", "pre", "prints", "print('printed'); os.system('echo by a program')", sync=True)
    product.bill("web")
    ran = product.deployed()
    texts = [event.get("text") for event in ran.events]
    assert {"printed", "by a program"} <= set(texts)
    [job] = product.shown()["jobs"]
    assert [line.partition(" ")[2] for line in job["log"]] == ["printed", "by a program"]


def test_a_module_that_hangs_can_be_cancelled(product: Product) -> None:
    product.bill("web")
    (product.folder / "jobs.py").write_text(
        "import pathlib, time\npathlib.Path(__file__).with_name('journal').write_text('hangs')\ntime.sleep(600)\n"
    )
    process = product.start("bill.yaml")
    product.wait_for("hangs")
    process.send_signal(signal.SIGINT)
    ran = ended(process)
    assert (ran.code, ran.err.strip()) == (130, "interrupted")


def test_a_terminal_that_goes_away_cancels_in_order(product: Product) -> None:
    product.job("web", "pre", "slow", "await asyncio.sleep(600)")
    product.bill("web")
    ours, theirs = pty.openpty()
    # Under nohup these tests ignore it, and so would the deploy.
    process = product.start("bill.yaml", stdout=theirs, launcher=("env", "--default-signal=HUP"))
    os.close(theirs)
    product.wait_for("web/slow begins")
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    ran = ended(process)
    assert (ran.code, "Traceback" in ran.err) == (1, False)
    assert product.shown()["status"] == "cancelled"
    assert product.shown()["reason"] == "cancelled by SIGHUP"


@pytest.mark.parametrize("helm", [HELM_4, HELM_3])
def test_a_secret_is_nowhere_to_be_seen(helm: str, product: Product) -> None:
    product.namespace.kubectl("create", "secret", "generic", "token", f"--from-literal=token={SECRET}")
    product.chart("web", CONFIG, SECRET_TEMPLATE, files={"templates/NOTES.txt": NOTES})
    product.chart("bad", FAILING, SECRET_TEMPLATE, files={"templates/NOTES.txt": NOTES})
    (product.folder / "login.yaml").write_text(f"password: {SECRET}\n")
    product.job(
        "web",
        "pre",
        "uses-it",
        """
        found = await ctx.kube.get(Secret, 'token', namespace=ctx.namespace)
        ctx.log.info('the token is there: %s', bool(found.data['token']))
        """,
    )
    product.bill(*({"name": name, "values": ["login.yaml"]} for name in ("web", "bad")))
    with Watcher(SECRET) as watcher:
        ran = ended(product.start("bill.yaml", "--verbose", helm=helm))
    assert ran.code == 1, ran.said
    assert "the token is there: True" in ran.out
    assert SECRET not in ran.said
    assert watcher.looks > 10
    assert watcher.found == set()
    shown = product.run("--bill", "bill.yaml", "--logs", command="history show")
    assert "the token is there: True" in shown.out
    assert SECRET not in shown.said
    assert SECRET not in json.dumps(product.shown())
    assert product.namespace.find("secret", "web-login"), "it was used"


class Watcher:
    """Looks at the command lines and environments of all processes, again and again."""

    def __init__(self, text: str) -> None:
        self.found: set[str] = set()
        self.looks = 0
        self._text = text.encode()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Watcher":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.is_set():
            for folder in Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    try:
                        content = (folder / name).read_bytes()
                    except OSError:
                        continue
                    if self._text in content:
                        self.found.add(content.replace(b"\\0", b" ").decode(errors="replace"))
            self.looks += 1
            time.sleep(0.05)
