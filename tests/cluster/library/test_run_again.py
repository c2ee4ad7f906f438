"""A repaired migration runs with the next deploy, after failures, lost clients, rollbacks and uninstalls in every order.

A small chart with one Job writes every start of its migration and every success into the database, so the test counts
runs where they matter. By default the Helm versions and forms share the orders; with WATCHBILL_ORDERS=all each plays all.
"""

import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import pytest

from dev.cluster.client import Done, Namespace
from tests.cluster.library.conftest import new_database
from tests.support.membership import LIBRARY, MADE, PASSWORD, Database, Values, until

pytestmark = pytest.mark.cluster

Move = Literal["fail", "lose client", "deploy version 1", "roll back", "uninstall"]
MOVES: tuple[Move, ...] = ("fail", "lose client", "deploy version 1", "roll back", "uninstall")
ORDERS: list[tuple[Move, ...]] = list(itertools.permutations(MOVES, 3))
WAYS: list[tuple[str, str]] = list(
    itertools.product(("4.3.1", "4.1.4", "3.19.0", "3.18.0"), ("plain", "hook"))
)
# They wait more than they work.
AT_ONCE = 3
TABLES = """
create table fate (name text); insert into fate values ('good');
create table started (version int); create table applied (version int)
"""
SCRIPT = """
ask() { psql -v ON_ERROR_STOP=1 -qAt "$POSTGRES_URI" -c "$1"; }
fate=$(ask "with new as (insert into started values ($VERSION)) select name from fate") || exit 1
case "$fate" in
  slow) sleep 10;;
  bad) exit 1;;
esac
ask "insert into applied values ($VERSION)"
"""
DECLARATION = """
{{- define "tally.migrate" }}
fullname: {{ .Release.Name }}
name: migrate
settings: {{ .Values.config.migration | toJson }}
containers:
  - name: migrate
    image: {{ .Values.image }}
    imagePullPolicy: Never
    command: [sh, -c, {{ .Values.script | quote }}]
    env:
      - {name: VERSION, value: {{ .Values.version | quote }}}
      {{- include "watchbill.v1.database.env" (dict "root" . "job" "tally.migrate") | nindent 6 }}
{{- end }}
{{ include "watchbill.v1.job" (dict "root" . "job" "tally.migrate") }}
"""


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart with one Job and nothing else."""
    chart = tmp_path_factory.mktemp("charts") / "tally"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: tally\nversion: 1.0.0\n")
    (chart / "templates/migrate.yaml").write_text(DECLARATION)
    shutil.copytree(LIBRARY, chart / "charts/watchbill-lib")
    return chart


@dataclass
class Story:
    """One release, the moves that it goes through, and its database."""

    namespace: Namespace
    helm: str
    form: str
    chart: Path
    image: str
    database: Database
    name: str
    order: tuple[Move, ...]
    revisions: int = 0
    outputs: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)

    def play(self) -> list[str]:
        """Return the problems of the whole story."""
        for move in self.order:
            self.move(move)
        problems = [*self.find_problems(), *self.leftovers]
        return [f"{', '.join(self.order)}: {problem}\n  {self.outputs}" for problem in problems]

    def find_problems(self) -> Iterator[str]:
        self.set_fate("good")
        if self.deploy(2).returncode:
            yield f"version 2 cannot be deployed: {self.outputs[-1]}"
        if "2" not in self.applied():
            yield "version 2 is deployed, and its migration was never applied"
        runs = self.started()
        if self.deploy(2).returncode:
            yield f"the same version cannot be deployed again: {self.outputs[-1]}"
        if self.form == "plain" and self.started() != runs:
            yield f"an upgrade that changes nothing ran a migration: {runs}, then {self.started()}"
        self.uninstall()
        if self.deploy(2).returncode:
            yield f"version 2 cannot be installed again: {self.outputs[-1]}"
        if self.applied() != ["2"]:
            yield f"the new database is not migrated: {self.applied()}"
        self.uninstall()

    def move(self, move: Move) -> None:
        if move == "fail":
            self.set_fate("bad")
            self.deploy(2, "--timeout=8s")
            self.set_fate("good")
        elif move == "lose client":
            self.set_fate("slow")
            self.deploy(2, "--timeout=4s")
            self.set_fate("good")
        elif move == "deploy version 1":
            self.deploy(1)
        elif move == "roll back":
            self.roll_back()
        else:
            self.uninstall()

    def deploy(self, version: int, *flags: str) -> Done:
        verb = "upgrade" if self.revisions else "install"
        values: Values = {
            "version": version,
            "image": self.image,
            "script": SCRIPT,
            "feature.migrationHooks": str(self.form == "hook").lower(),
            "config.migration.backoffLimit": 0,
            "config.migration.attemptSeconds": 60,
            "config.postgresql.host": f"postgresql.{self.database.namespace.name}",
            "config.postgresql.port": 5432,
            "config.postgresql.database": self.database.name,
            "config.postgresql.auth.username": "membership",
            "config.postgresql.auth.password": PASSWORD,
        }
        literal = {"script"}
        given = [
            f"--set-literal={key}={value}" if key in literal else f"--set={key}={value}"
            for key, value in values.items()
        ]
        waits = ["--wait", "--wait-for-jobs", *(flags or ["--timeout=180s"])]
        done = self.run(verb, self.name, str(self.chart), *given, *waits)
        self.revisions += 1
        return done

    def roll_back(self) -> None:
        if self.revisions > 1:
            self.run("rollback", self.name, "--timeout=60s")
            self.revisions += 1

    def uninstall(self) -> None:
        """Uninstall the release and empty its database."""
        if self.revisions:
            self.run("uninstall", self.name, "--wait", "--timeout=60s")
            if not until(lambda: not self.find_leftovers()):
                self.leftovers.append(f"these outlive the release: {self.find_leftovers()}")
        self.revisions = 0
        self.query("drop table fate, started, applied")
        self.query(TABLES)

    def run(self, *words: str) -> Done:
        done = self.namespace.helm(self.helm, *words, check=False)
        self.outputs.append(f"{words[0]}: {done.returncode} {done.stderr.strip()[-300:]}")
        self.settle()
        return done

    def settle(self) -> None:
        """Wait until no migration is running."""
        assert until(lambda: not any(job["status"].get("active") for job in self.found())), (
            "a Job does not end"
        )
        assert until(lambda: all("conditions" in job["status"] for job in self.found())), (
            "a Job has not ended"
        )

    def found(self) -> list[Values]:
        return self.namespace.list("jobs", f"app.kubernetes.io/instance={self.name}")

    def find_leftovers(self) -> set[str]:
        """Return the objects of the release that never expire."""
        selector = f"--selector=app.kubernetes.io/instance={self.name}"
        there = set(self.namespace.kubectl("get", MADE, selector, "--output=name").stdout.split())
        expiring = {
            job["metadata"]["name"] for job in self.found() if "ttlSecondsAfterFinished" in job["spec"]
        }
        return there - {f"job.batch/{name}" for name in expiring}

    def set_fate(self, name: str) -> None:
        self.query(f"update fate set name = '{name}'")

    def started(self) -> list[str]:
        return self.query("select version from started")

    def applied(self) -> list[str]:
        return sorted(set(self.query("select version from applied")))

    def query(self, sql: str) -> list[str]:
        return self.database.query(sql)


def orders(way: tuple[str, str]) -> list[tuple[Move, ...]]:
    """Return the share of one Helm and form; only all of them together play every order."""
    if os.environ.get("WATCHBILL_ORDERS") == "all":
        return ORDERS
    return ORDERS[WAYS.index(way) :: len(WAYS)]


@pytest.fixture
def play(
    guarded: Namespace, tally: Path, postgresql: Namespace, membership_images: str
) -> Callable[[tuple[str, str], tuple[Move, ...]], list[str]]:
    """Play one order of moves with one Helm version in one form; return the problems."""

    def play(way: tuple[str, str], order: tuple[Move, ...]) -> list[str]:
        database = new_database(postgresql)
        database.query(TABLES)
        name = re.sub(r"[^a-z0-9]+", "-", "-".join(order))
        return Story(guarded, *way, tally, f"{membership_images}:1", database, name, order).play()

    return play


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_repaired_migration_runs_with_the_next_deploy_in_every_order(
    play: Callable[[tuple[str, str], tuple[Move, ...]], list[str]], way: tuple[str, str]
) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        problems = list(itertools.chain.from_iterable(pool.map(partial(play, way), orders(way))))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    ("way", "order"),
    [
        (("4.3.1", "plain"), ("fail", "lose client", "deploy version 1")),
        (("3.18.0", "hook"), ("fail", "uninstall", "lose client")),
    ],
)
def test_a_repaired_migration_runs_with_the_next_deploy(
    play: Callable[[tuple[str, str], tuple[Move, ...]], list[str]],
    way: tuple[str, str],
    order: tuple[Move, ...],
) -> None:
    problems = play(way, order)
    assert not problems, "\n".join(problems)
