"""Failures, lost clients, rollbacks and uninstalls in every order of three: a repaired migration runs with the next deploy.

A small chart with one Job writes every start of its migration and every success into the database, so runs are counted
where they matter. WATCHBILL_ORDERS=all plays every order with every Helm in both forms; otherwise they share the orders.
"""

import itertools
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from dev.cluster.client import Done, Namespace
from tests.cluster.library.conftest import new_database
from tests.support.membership import LIBRARY, PASSWORD, Database, Values, until

pytestmark = [pytest.mark.cluster, pytest.mark.long]

Move = Literal["fail", "lose client", "deploy version 1", "roll back", "uninstall"]
MOVES: tuple[Move, ...] = ("fail", "lose client", "deploy version 1", "roll back", "uninstall")
ORDERS: list[tuple[Move, ...]] = list(itertools.permutations(MOVES, 3))
WAYS = list(itertools.product(("4.3.1", "4.1.4", "3.19.0", "3.18.0"), ("plain", "hook")))
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
    """One release, the moves that it goes through, and what its database tells."""

    namespace: Namespace
    helm: str
    form: str
    chart: Path
    image: str
    database: Database
    name: str
    order: tuple[Move, ...]
    revisions: int = 0
    told: list[str] = field(default_factory=list)

    def play(self) -> list[str]:
        """Return what is wrong at the end."""
        for move in self.order:
            self.move(move)
        return list(self.problems())

    def problems(self) -> Iterator[str]:
        self.fate("good")
        if self.deploy(2).returncode:
            yield f"version 2 cannot be deployed: {self.told[-1]}"
        if "2" not in self.applied():
            yield "version 2 is deployed, and its migration was never applied"
        runs = self.started()
        if self.deploy(2).returncode:
            yield f"the same version cannot be deployed again: {self.told[-1]}"
        if self.form == "plain" and self.started() != runs:
            yield f"an upgrade that changes nothing ran a migration: {runs}, then {self.started()}"
        self.uninstall()
        if self.deploy(2).returncode:
            yield f"version 2 cannot be installed again: {self.told[-1]}"
        if self.applied() != ["2"]:
            yield f"the new database is not migrated: {self.applied()}"
        self.uninstall()
        if self.form == "plain" and not until(lambda: not self.jobs()):
            yield f"these outlive the release: {self.jobs()}"

    def move(self, move: Move) -> None:
        if move == "fail":
            self.fate("bad")
            self.deploy(2, "--timeout=8s")
            self.fate("good")
        elif move == "lose client":
            self.fate("slow")
            self.deploy(2, "--timeout=4s")
            self.fate("good")
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
        """With its database: the next release begins with an empty one."""
        if self.revisions:
            self.run("uninstall", self.name, "--wait", "--timeout=60s")
        self.revisions = 0
        self.query("drop table fate, started, applied")
        self.query(TABLES)

    def run(self, *words: str) -> Done:
        done = self.namespace.helm(self.helm, *words, check=False)
        self.told.append(f"{words[0]}: {done.returncode} {done.stderr.strip()[-300:]}")
        self.settle()
        return done

    def settle(self) -> None:
        """Wait until no migration runs any more."""
        assert until(lambda: not any(job["status"].get("active") for job in self.found())), (
            "a Job does not end"
        )
        assert until(lambda: all("conditions" in job["status"] for job in self.found())), (
            "a Job has not ended"
        )

    def found(self) -> list[Values]:
        return self.namespace.list("jobs", f"app.kubernetes.io/instance={self.name}")

    def jobs(self) -> list[str]:
        return [job["metadata"]["name"] for job in self.found()]

    def fate(self, name: str) -> None:
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


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_repaired_migration_runs_with_the_next_deploy(
    guarded: Namespace, tally: Path, postgresql: Namespace, membership_images: str, way: tuple[str, str]
) -> None:
    def play(order: tuple[Move, ...]) -> list[str]:
        database = new_database(postgresql)
        database.query(TABLES)
        name = re.sub(r"[^a-z0-9]+", "-", "-".join(order))
        image = f"{membership_images}:1"
        story = Story(guarded, *way, tally, image, database, name, order)
        return [f"{', '.join(order)}: {problem}\n  {story.told}" for problem in story.play()]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = list(itertools.chain.from_iterable(pool.map(play, orders(way))))
    assert not wrong, "\n".join(wrong)
