"""Rendering with the user's own helm binary instead of the engine.

A binary cannot be told what time it is, so we render twice: what differs is volatile. It shows neither the
documents it drops nor the lines they come from.
"""

import subprocess

from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values, Volatile
from watchbill.charts.render import Document, Rendering, parse
from watchbill.errors import UserError


def render_twice(engine: Engine, helm: str, chart: Chart, context: Context, seconds: float) -> Rendering:
    _refuse_what_helm_cannot(context)
    first, second = (
        _documents(engine, context, _helm_template(helm, chart, context, seconds)) for _ in range(2)
    )
    return Rendering.of(context, first, volatile=_differences(first, second))


def _refuse_what_helm_cannot(context: Context) -> None:
    for given, what in (
        (
            context.chart_version or context.app_version or context.subcharts,
            "another chart or app version",
        ),
        (context.edits, "edited templates"),
        (context.cluster, "objects for lookup"),
        (context.values.overlay, "changed values"),
        (context.helm_version or context.order, "another Helm version"),
    ):
        if given:
            raise UserError(f"a helm binary cannot render with {what}", then="leave out --helm")


def _helm_template(helm: str, chart: Chart, context: Context, seconds: float) -> str:
    command = [
        helm,
        "template",
        context.release,
        chart.path,
        "--namespace",
        context.namespace,
        "--include-crds",
    ]
    command += ["--is-upgrade"] if context.upgrade else []
    command += ["--kube-version", context.kube_version] if context.kube_version else []
    for api in context.api_versions:
        command += ["--api-versions", api]
    stdin, flags = _value_flags(context.values)
    try:
        done = subprocess.run(
            command + flags, input=stdin, capture_output=True, text=True, timeout=seconds, check=False
        )
    except OSError as error:
        raise UserError(
            f"{helm} does not run: {error.strerror}", then="name a helm binary with --helm"
        ) from None
    except subprocess.TimeoutExpired:
        raise UserError(
            f"{helm} took longer than {seconds:g} s and was stopped",
            where=chart.path,
            then="allow more with --timeout",
        ) from None
    if done.returncode != 0:
        raise UserError(
            f"{chart.path}: {helm} does not render it",
            where=done.stderr.strip() or f"exit code {done.returncode}, no message",
            then="run it by hand, or leave out --helm",
        )
    if done.stdout.strip() and "\n# Source: " not in done.stdout:
        raise UserError(
            f"{helm} does not print what helm template prints", then="name a helm binary with --helm"
        )
    return done.stdout


def _value_flags(values: Values) -> tuple[str | None, list[str]]:
    stdin = next((file.text for file in values.files if file.text is not None), None)
    flags = [part for file in values.files for part in ("--values", file.path)]
    for flag, given in (
        ("--set-json", values.set_json),
        ("--set", values.set),
        ("--set-string", values.set_string),
        ("--set-file", values.set_file),
        ("--set-literal", values.set_literal),
    ):
        flags += [part for value in given for part in (flag, value)]
    return stdin, flags


def _documents(engine: Engine, context: Context, text: str) -> list[Document]:
    """In the binary's own order, which the line in its output tells; that is no line of a template."""
    documents, template = [], ""
    for document in sorted(parse(engine, "", text, context).documents, key=lambda read: read.line or 0):
        template = document.template or template  # only the first document of a CRD file is labelled
        crd = "/crds/" in template and "/templates/" not in template
        documents.append(
            replace(document, template=template, line=None, role="crd" if crd else document.role)
        )
    return documents


def _differences(first: list[Document], second: list[Document]) -> tuple[Volatile, ...]:
    one, other = ({(d.template, d.text) for d in documents} for documents in (first, second))
    return tuple(Volatile(template, "") for template in sorted({template for template, _ in one ^ other}))
