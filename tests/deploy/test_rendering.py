"""Charts that helm cannot render are found before anything begins; what only the cluster can tell is not."""

from pathlib import Path

import pytest

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values, ValuesFile
from watchbill.cli import run
from watchbill.deploy.rendering import find_unrenderable

LOOKUP = '{{ (lookup "v1" "Secret" "shop" "key").data.password | required "no key yet" }}'
SERVED = '{{ if not (.Capabilities.APIVersions.Has "example.org/v1") }}{{ fail "no gates" }}{{ end }}'


@pytest.fixture
def chart(here: Path) -> Path:
    (here / "web" / "templates").mkdir(parents=True)
    (here / "web" / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    return here / "web"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("a: {{ .Values.x", "unclosed action"),
        ('a: {{ required "name a host" .Values.host }}', "name a host"),
        ('{{ fail "never" }}', "never"),
        (f"a: {LOOKUP}\n---\nb: {{{{ .Values.x", "unclosed action"),
        ("a: {{ .Values.present }}", None),
        (f"a: {LOOKUP}", None),
        (SERVED, None),
    ],
)
def test_templates(template: str, told: str | None, engine: Engine, chart: Path) -> None:
    (chart / "templates" / "a.yaml").write_text(template)
    found = find_unrenderable(engine, str(chart), Context())
    assert (told is None) == (found is None)
    assert not told or told in str(found)


def test_values_that_cannot_be_read(engine: Engine, chart: Path) -> None:
    (chart / "values-broken.yaml").write_text("a: [")
    values = Values(files=(ValuesFile(str(chart / "values-broken.yaml")),))
    assert find_unrenderable(engine, str(chart), Context(values=values)) is not None


def test_values_from_afar_are_left_to_helm(engine: Engine, chart: Path) -> None:
    values = Values(files=(ValuesFile("https://example.invalid/values.yaml"),))
    assert find_unrenderable(engine, str(chart), Context(values=values)) is None


def test_links_are_followed_as_helm_does(engine: Engine, chart: Path) -> None:
    outside = chart.parent / "outside.yaml"
    outside.write_text("a: {{ .Release.Name }}")
    (chart / "templates" / "linked.yaml").symlink_to(outside)
    assert find_unrenderable(engine, str(chart), Context()) is None


def test_a_link_to_itself_gets_no_advice_that_deploy_does_not_take(engine: Engine, chart: Path) -> None:
    (chart / "templates" / "linked.yaml").symlink_to("linked.yaml")
    found = str(find_unrenderable(engine, str(chart), Context()))
    assert "linked.yaml" in found
    assert "--follow-symlinks" not in found


def test_a_plan_refuses_them(chart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (chart / "templates" / "a.yaml").write_text('a: {{ required "name a host" .Values.host }}')
    components = "components: [{name: front, chart: web}]"
    Path("bill.yaml").write_text(f"product: shop\nversion: 1.0.0\ndefaultNamespace: shop\n{components}\n")
    assert run(["deploy", "bill.yaml", "--plan", "--offline", "--no-color"]) == 1
    said = capsys.readouterr().out
    assert "refused: a chart cannot be rendered" in said
    assert "name a host" in said
