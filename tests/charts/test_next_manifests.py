"""Manifests get a next version too: other image tags and version labels, while names that follow them change along."""

import pytest

from tests.support.checks import found, told
from watchbill.charts.engine import Engine
from watchbill.charts.next_manifests import next_manifests
from watchbill.charts.render import Rendering, parse


def job(name: str, image: str, *, labels: str = "", pod_labels: str = "", hook: str = "") -> str:
    return f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  labels: {{{labels}}}
  annotations: {{{hook}}}
spec:
  template:
    metadata: {{labels: {{app: shop{pod_labels and f", {pod_labels}"}}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: "{image}"}}]
"""


def images(rendering: Rendering) -> list[str]:
    found = []
    for resource in rendering.resources:
        found += [one["image"] for one in resource.object["spec"]["template"]["spec"]["containers"]]
    return found


@pytest.mark.parametrize(
    ("image", "following"),
    [
        ("app:1.2", "app:1.3"),
        ("host:5000/app:v1", "host:5000/app:v2"),
        ("app:1.2@sha256:00f0", "app:1.3"),
        ("app@sha256:00f1", "app@sha256:00f2"),
    ],
)
def test_an_image_gets_another_tag(image: str, following: str, engine: Engine) -> None:
    [together, alone] = next_manifests(parse(engine, "m", job("a", image)))
    assert images(together.rendering) == images(alone.rendering) == [following]
    assert together.kinds == alone.kinds == ("image",)


@pytest.mark.parametrize("image", ["app", "host:5000/app"])
def test_an_image_without_a_tag_stays(image: str, engine: Engine) -> None:
    assert next_manifests(parse(engine, "m", job("a", image))) == []


def test_everything_changes_at_once_then_each_kind_then_each_image(engine: Engine) -> None:
    labels = "helm.sh/chart: shop-1.0.0, app.kubernetes.io/version: v9"
    text = f"{job('a', 'app:1', labels=labels)}---\n{job('b', 'tools:5')}---\n{job('c', 'app:1')}"
    made_up = next_manifests(parse(engine, "m", text))
    assert [(one.kinds, images(one.rendering)) for one in made_up] == [
        (("chart version", "app version", "image"), ["app:2", "tools:6", "app:2"]),
        (("chart version",), ["app:1", "tools:5", "app:1"]),
        (("app version",), ["app:1", "tools:5", "app:1"]),
        (("image",), ["app:2", "tools:6", "app:2"]),
        (("image",), ["app:2", "tools:5", "app:2"]),
        (("image",), ["app:1", "tools:6", "app:1"]),
    ]
    changed = made_up[0].rendering.resources[0].object["metadata"]["labels"]
    assert changed == {"helm.sh/chart": "shop-1.0.1", "app.kubernetes.io/version": "v10"}


@pytest.mark.parametrize(
    "name",
    ["migrate-1f3c9ab2", "migrate-00412377", "shop-x7kq2-migrate", "migrate-1-2-3", "migrate-v1.2.3"],
)
def test_a_name_that_follows_what_the_job_runs_changes_with_it(name: str, engine: Engine) -> None:
    waiting = f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{do: kubectl wait job/{name}}}\n"
    [together, _] = next_manifests(parse(engine, "m", job(name, "app:1.2.3") + waiting))
    config, migration = sorted(together.rendering.resources, key=lambda one: one.kind)
    assert migration.name == f"{name}-next"
    assert config.object["data"]["do"] == f"kubectl wait job/{name}-next"


@pytest.mark.parametrize(
    "name", ["migrate", "migrate-postgres14", "k8s-setup", "oauth2", "deadbeef", "step-1"]
)
def test_another_name_stays(name: str, engine: Engine) -> None:
    [together, _] = next_manifests(parse(engine, "m", job(name, "app:1")))
    assert together.rendering.resources[0].name == name


def test_a_version_that_is_only_a_label_does_not_rename_a_job_named_by_a_hash(engine: Engine) -> None:
    text = job("migrate-1f3c9ab2", "app", labels="helm.sh/chart: shop-1.0.0")
    [together, _] = next_manifests(parse(engine, "m", text))
    assert together.rendering.resources[0].name == "migrate-1f3c9ab2"


def test_the_first_image_bump_of_a_plain_job_is_found_without_a_version_before(engine: Engine) -> None:
    [finding] = [one for one in found(engine, job("migrate", "app:1")) if one.rule == "WB101"]
    assert (finding.level, finding.changes) == ("error", ("image",))


def test_a_chart_label_in_the_pod_template_is_found(engine: Engine) -> None:
    text = job("migrate", "app", pod_labels="helm.sh/chart: shop-1.0.0")
    [finding] = [one for one in found(engine, text) if one.rule == "WB101"]
    assert finding.changes == ("chart version",)
    assert "helm.sh/chart" in finding.fix


def test_jobs_of_a_list_are_found_too(engine: Engine) -> None:
    items = "".join(f"  {line}\n" for line in job("migrate", "app:1").splitlines())
    text = f"apiVersion: v1\nkind: List\nitems:\n- {items.lstrip()}"
    assert told(found(engine, text), "WB101") == ["error Job/migrate"]


@pytest.mark.parametrize(
    ("name", "hook"),
    [
        ("migrate-1f3c9ab2", ""),
        ("migrate", "helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: before-hook-creation"),
    ],
)
def test_what_survives_an_image_bump_is_not_blamed(name: str, hook: str, engine: Engine) -> None:
    assert not [one for one in found(engine, job(name, "app:1", hook=hook)) if one.level == "error"]
