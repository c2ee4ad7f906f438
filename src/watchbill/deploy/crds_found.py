"""CustomResourceDefinitions of a bill: those it names, and those in crds/ of its charts, as Helm sees them."""

import os
from collections.abc import Iterator, Mapping

from watchbill.charts import chart as charts
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Edit, Values, ValuesFile
from watchbill.charts.render import Document, Rendering, parse, render_one
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.crds import GROUP, KIND, VERSION, Definition, Definitions
from watchbill.deploy.named_files import ARCHIVES
from watchbill.errors import UserError

ENDINGS = (".yaml", ".yml", ".json")
LARGEST = 16 << 20
ONLY = f"crds are files of {KIND}s"


def collect(engine: Engine, bill: Bill, local: Mapping[str, str], kube_version: str = "") -> Definitions:
    """`local` says where the charts of components are on this disk: components that are not in it are left out.

    `kube_version` is the cluster's, as charts may ask for one.
    """
    return Definitions([*_named(engine, bill), *_of_charts(engine, bill, local, kube_version)])


def _named(engine: Engine, bill: Bill) -> Iterator[Definition]:
    for path in bill.crds:
        files = _files(path)
        if not files:
            raise UserError(f"{_told(path, bill)}: no YAML found", where=f"{bill.file}: crds")
        for file in files:
            name = _told(file, bill)
            rendering = _parsed(engine, file, name)
            for document in rendering.documents:
                _check(document, name)
            for resource in rendering.resources:
                yield _definition(
                    resource.object, resource.kind, name, f"leave it out of crds in {bill.file}"
                )


def _parsed(engine: Engine, file: str, name: str) -> Rendering:
    text = _text(file, name)
    try:
        return parse(engine, name, text)
    except UserError as error:
        raise UserError(error.what, where=error.where, then=ONLY) from None


def _of_charts(
    engine: Engine, bill: Bill, local: Mapping[str, str], kube_version: str
) -> Iterator[Definition]:
    for component in bill.everything:
        path = local.get(component.name)
        if path is None or component.skip_crds or not _may_have_some(path):
            continue
        for resource in _without_templates(engine, component, path, kube_version).resources:
            if resource.origin.role == "crd" and resource.kind == KIND:  # others are left to Helm
                origin = f"{resource.origin.template} of component {component.name}"
                then = f"say skipCrds: true for component {component.name}, if it should be the other one"
                yield _definition(resource.object, resource.kind, origin, then)


def _without_templates(engine: Engine, component: Component, path: str, kube_version: str) -> Rendering:
    """Helm knows which dependencies are in, by the values. What templates do is not asked here: they may want a cluster."""
    chart = charts.load(engine, path, follow_symlinks=True)  # as helm does
    context = Context(
        release=component.release,
        namespace=component.namespace,
        values=Values(
            files=tuple(ValuesFile(file) for file in component.values if "://" not in file),
            set=component.set,
            set_string=component.set_string,
        ),
        kube_version=kube_version,
        edits=tuple(Edit(one.path, 0, len(one.text.encode()), "") for one in chart.templates),
    )
    return render_one(engine, chart, context)


def _may_have_some(path: str) -> bool:
    """Most charts have none: to see that is cheaper than to load them."""
    if not os.path.isdir(path):
        return True
    for at, folders, files in os.walk(path):
        is_linked = any(
            os.path.islink(os.path.join(at, folder)) for folder in folders
        )  # these are not walked
        if is_linked or "crds" in folders or any(file.endswith(ARCHIVES) for file in files):
            return True
    return False


def _definition(found: dict[str, object], kind: str, origin: str, then: str) -> Definition:
    metadata = found.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if kind != KIND:
        raise UserError(f"{origin}: a {kind} is not a {KIND}", then="put other objects into a chart")
    if not isinstance(name, str) or not name:
        raise UserError(f"{origin}: a {KIND} has no name")
    if found.get("apiVersion") != f"{GROUP}/{VERSION}":
        raise UserError(
            f"{origin}: {name} is of {found.get('apiVersion')}, which Kubernetes no longer serves",
            then=f"write it as {GROUP}/{VERSION}",
        )
    return Definition(name, found, origin, then)


def _check(document: Document, name: str) -> None:
    known = document.object
    if known is not None and not (isinstance(known, dict) and isinstance(known.get("kind"), str)):
        raise UserError(f"{name}: not a Kubernetes object", then=ONLY)


def _files(path: str) -> list[str]:
    """In a folder all of them, below it too, in the order of their names."""
    if not os.path.isdir(path):
        return [path]
    found = (os.path.join(at, name) for at, _, names in os.walk(path) for name in names)
    return sorted(file for file in found if file.endswith(ENDINGS))


def _told(path: str, bill: Bill) -> str:
    """As the user would name it from here."""
    return os.path.normpath(os.path.join(os.path.dirname(bill.file), os.path.relpath(path, bill.folder)))


def _text(file: str, name: str) -> str:
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read(LARGEST + 1)
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8", then="save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"{name} cannot be read: {error.strerror}") from None
    if len(text) > LARGEST:
        raise UserError(f"{name} is larger than {LARGEST >> 20} MiB", then="split it")
    return text
