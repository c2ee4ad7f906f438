"""A user's command between rendering and the tool: held to what real Helm 3 and Helm 4 do with the same one."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.trees import chart, write
from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import Rendering, parse, render_one
from watchbill.checking.inputs.postrender import PostRenderer, post_render
from watchbill.errors import UserError
from watchbill.lifecycle.lab import ReleaseName, Tool
from watchbill.lifecycle.world import World
from watchbill.rehearsal.versions import FromChart, context_for

HELM3, HELM4, KUBECTL = Tool("helm", "3.19.0"), Tool("helm", "4.3.1"), Tool("kubectl", "1.37.1")
FILES = {
    "templates/a.yaml": """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-install}
---
apiVersion: v1
kind: Service
metadata:
  name: web
""",
    "templates/b.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: api\n  annotations: {a: b}\n",
    "templates/dropped.yaml": """\
apiVersion: v1
kind: Secret
metadata:
  name: lost
  annotations: {helm.sh/hook: pre-instal}
""",
    "crds/crd.yaml": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
""",
}
ANOTHER = "---\\napiVersion: v1\\nkind: ServiceAccount\\nmetadata: {name: added}\\n"
SCRIPTS = {
    "nothing": "cat",
    "another name": "sed s/web/website/",
    "a document more": f"cat; printf '%b' '{ANOTHER}'",
    "a document less": 'sed s/api/v2/ | awk \'BEGIN {RS="---\\n"} !/name: v2/ && NF {printf "---\\n%s", $0}\'',
    "no comments": "sed '/^# Source/d'",
    "a service becomes a hook": "sed 's|{a: b|{helm.sh/hook: pre-install|'",
    "hooks become plain": "sed 's|helm.sh/hook|example.org/no-hook|'",
    "a typo is mended": "sed -E 's/pre-instal([,}])/pre-install\\1/'",
    "the other way round": "tac -s '---\n' | sed '/^$/d'",
}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script"


@pytest.fixture
def shop(engine: Engine, tmp_path: Path) -> Chart:
    return load(engine, str(write(chart(tmp_path / "shop"), FILES)))


def executable(script: Path, text: str) -> str:
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    return str(script)


def ours(engine: Engine, shop: Chart, tool: Tool, command: str, *arguments: str) -> Rendering:
    rendering = render_one(engine, shop, context_for(Context(), tool))
    return PostRenderer(engine, tool, command, arguments)(rendering)


def summary(rendering: Rendering) -> list[tuple[str, ...]]:
    """Plain objects in order; hooks apart."""
    found = [(r.origin.role, str(r)) for r in rendering.resources if r.origin.role in ("manifest", "hook")]
    return [
        *(one for one in found if one[0] == "manifest"),
        *sorted(one for one in found if one[0] == "hook"),
    ]


@pytest.mark.parametrize("what", SCRIPTS)
def test_like_helm_4(engine: Engine, shop: Chart, what: str, script: Path, helms: dict[str, str]) -> None:
    """Which takes plugins alone."""
    command = executable(script, SCRIPTS[what])
    plugin = (
        "apiVersion: v1\nname: post\nversion: 0.1.0\ntype: postrenderer/v1\nruntime: subprocess\n"
        f"runtimeConfig:\n  platformCommand:\n  - command: {command}\n"
    )
    plugins = write(script.parent / "plugins", {"post/plugin.yaml": plugin})
    printed = helm_template(helms["4.3.1"], shop, "post", HELM_PLUGINS=str(plugins))
    assert summary(ours(engine, shop, HELM4, command)) == summary(parse_printed(engine, printed))


@pytest.mark.parametrize("what", SCRIPTS)
def test_like_helm_3(engine: Engine, shop: Chart, what: str, script: Path, helms: dict[str, str]) -> None:
    """`helm template` prints hooks behind what the command printed; by then they cannot be told apart, so the
    number of hooks is compared and not what says so."""
    command = executable(script, SCRIPTS[what])
    printed = parse_printed(engine, helm_template(helms["3.19.0"], shop, command))
    *plain, hook = sorted(printed.documents, key=lambda document: document.index)
    assert hook.object["metadata"]["name"] == "migrate"
    found = ours(engine, shop, HELM3, command)
    assert [r.name for r in found.resources if r.origin.role == "manifest"] == [
        document.object["metadata"]["name"] for document in plain
    ]
    assert [r.name for r in found.resources if r.hook] == ["migrate"]


def helm_template(helm: str, shop: Chart, command: str, **environment: str) -> str:
    done = subprocess.run(
        [helm, "template", "release-name", shop.path, "--post-renderer", command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def parse_printed(engine: Engine, text: str) -> Rendering:
    """In the order it was printed."""
    read = parse(engine, "", text)
    return Rendering.of(read.context, sorted(read.documents, key=lambda document: document.index))


def test_documents_keep_where_they_come_from(engine: Engine, shop: Chart, script: Path) -> None:
    context = Context(lines=True)
    before = {
        r.name: (r.origin.template, r.origin.index, r.origin.line)
        for r in render_one(engine, shop, context).resources
    }
    changes = "sed -e '/^# Source/d' -e 's|^  name:.*|&\\n  namespace: prod|'"
    for command in ("cat", changes, f"cat; printf '%b' '{ANOTHER}'"):
        rendering = render_one(engine, shop, context)
        after = PostRenderer(engine, HELM4, executable(script, command))(rendering)
        where = {r.name: (r.origin.template, r.origin.index, r.origin.line) for r in after.resources}
        added = where.pop("added", None)
        assert where == before
        assert added is None or added[0].startswith("generated-by-postrender-")


def test_crds_and_what_helm_3_keeps_to_itself_are_untouched(
    engine: Engine, shop: Chart, script: Path
) -> None:
    rename = executable(script, "sed 's/name: /name: x-/'")
    names = {
        tool: {d.object["metadata"]["name"]: d.role for d in ours(engine, shop, tool, rename).documents}
        for tool in (HELM3, HELM4, KUBECTL)
    }
    common = {
        "things.example.org": "crd",
        "x-shop-1.0.0": "manifest",
        "x-web": "manifest",
        "x-api": "manifest",
    }
    assert names[HELM3] == {**common, "migrate": "hook", "lost": "dropped"}
    assert names[HELM4] == names[KUBECTL] == {**common, "x-migrate": "hook", "x-lost": "dropped"}


def test_arguments_and_the_same_input_once(engine: Engine, shop: Chart, script: Path, tmp_path: Path) -> None:
    command = executable(script, f'echo "$@" >> {tmp_path}/asked; cat')
    rendering = render_one(engine, shop, Context())
    renderer = PostRenderer(engine, HELM4, command, ("--first", "second one"))
    assert renderer(rendering) == renderer(rendering)
    assert (tmp_path / "asked").read_text() == "--first second one\n"


def test_the_model_sees_what_came_of_it(engine: Engine, shop: Chart, script: Path) -> None:
    context = context_for(Context(), HELM4)
    command = executable(script, "sed 's/name: migrate/name: migrated/'")
    source = FromChart(engine, shop, context, PostRenderer(engine, HELM4, command))
    rendered = source.render(ReleaseName("r", "default"), upgrade=False, revision=1, world=World())
    assert [hook.name for hook in rendered.hooks] == ["migrated"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo broken >&2; exit 3", "script failed: exit code 3\n  broken\n"),
        ("kill -9 $$", "script failed: exit code -9\n"),
        ("cat > /dev/null", "script printed nothing\n"),
        ("echo; echo no input >&2", "script printed nothing\n  no input\n"),
        ("printf '\\377'", "printed what is not UTF-8"),
        ("echo 'a: b: c'", "what the post-renderer printed is not what Helm can read\n"),
        ("exec sleep 60", "took longer than 0.5 s and was stopped"),
        ("sleep 60 & sleep 60", "took longer than 0.5 s and was stopped"),
    ],
)
def test_what_goes_wrong(engine: Engine, shop: Chart, script: Path, text: str, words: str) -> None:
    patience = 0.5 if "sleep" in text else 300
    renderer = PostRenderer(engine, HELM4, executable(script, text), seconds=patience)
    with pytest.raises(UserError) as raised:
        renderer(render_one(engine, shop, Context()))
    assert words in str(raised.value)


def test_no_such_command(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    for command in ("/no/such/command", "kustomize build", str(tmp_path / "plain")):
        with pytest.raises(
            UserError, match=r"does not run: .*\n  --post-renderer takes a program; its arguments"
        ):
            post_render([command], "x: 1", 300)
