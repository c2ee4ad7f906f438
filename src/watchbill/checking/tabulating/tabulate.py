"""From what a user names to a matrix of each chart; what is wrong with one keeps no other from being shown."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, ValuesFile
from watchbill.checking.findings import claimed
from watchbill.checking.grounds import Ground, of_chart, of_manifests
from watchbill.checking.inputs.subject import Failed, Item, Skipped, Subject
from watchbill.checking.kubernetes import choose_kubernetes, tell_choice
from watchbill.checking.locating import Locator
from watchbill.checking.profiles import LONGEST_RELEASE
from watchbill.checking.tabulating.matrix import Matrix, matrix
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.rules.sighting import Sighting


def rule_of(sighting: Sighting) -> str:
    """The rule that `check` would name; empty if none does."""
    found = claimed(sighting)
    return found[0].id if found else ""


class Tabulated(Struct, frozen=True):
    charts: tuple[Matrix, ...]
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[Failed, ...] = ()


class Tabulator:
    """With these values and tools."""

    def __init__(
        self, engine: Engine, context: Context, tools: Sequence[Tool], *, follow_symlinks: bool = False
    ) -> None:
        self._engine = engine
        self._context = context
        self._tools = tools
        self._follow_symlinks = follow_symlinks

    def tabulate(self, items: Sequence[Item]) -> Tabulated:
        charts, skipped, failed = list[Matrix](), list[Skipped](), list[Failed]()
        for item in items:
            if isinstance(item, Skipped):
                skipped.append(item)
            elif isinstance(item, Failed):
                failed.append(item)
            else:
                try:
                    charts.append(self._of_chart(item) if item.source else self._of_manifests(item))
                except UserError as error:
                    failed.append(Failed(item.path, item.says(error)))
        return Tabulated(tuple(charts), tuple(skipped), tuple(failed))

    def _of_chart(self, subject: Subject) -> Matrix:
        before = self._load(subject.old) if subject.old else None
        grounds = self._grounds(self._load(subject.source), before, subject.values_profiles)
        locator = Locator(self._engine, grounds[0], subject.path)
        made = matrix(grounds, locator, subject.path, before.version if before else "", rule_of=rule_of)
        chosen = tell_choice(grounds[0].chart, self._context, grounds[0].renderings[0].context)
        return replace(made, assumed=(*chosen, *made.assumed))

    def _of_manifests(self, subject: Subject) -> Matrix:
        context = replace(self._context, release=self._context.release or subject.label or "r")
        new = (subject.manifests_name, subject.manifests)
        old = (subject.old_name, subject.old_manifests) if subject.old_manifests else None
        grounds = list(of_manifests(self._engine, new, old, context, self._tools))
        locator = Locator(self._engine, grounds[0], subject.path, subject.manifests)
        return matrix(grounds, locator, subject.path, subject.old_name, rule_of=rule_of)

    def _load(self, path: str) -> Chart:
        return load(self._engine, path, follow_symlinks=self._follow_symlinks)

    def _grounds(self, chart: Chart, before: Chart | None, profiles: Sequence[str]) -> list[Ground]:
        """With the chart's own values, or with the first file of ci/ that is enough where they are not."""
        context = replace(self._context, release=self._context.release or chart.name[:LONGEST_RELEASE])
        context = choose_kubernetes(self._engine, chart, context)
        try:
            return list(of_chart(self._engine, chart, before, context, self._tools))
        except UserError:
            for file in profiles:
                values = replace(context.values, files=(ValuesFile(file), *context.values.files))
                chosen = replace(context, values=values)
                try:
                    return list(of_chart(self._engine, chart, before, chosen, self._tools, profile=file))
                except UserError:
                    continue
            raise
