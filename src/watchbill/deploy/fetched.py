"""Charts that lie elsewhere, brought onto this disk once: what is looked at before a deploy is then what is deployed."""

from msgspec.structs import replace

from watchbill.checking.inputs.fetching import Helm, Package, pull
from watchbill.checking.inputs.workspace import Workspace
from watchbill.deploy.bill import Bill, Component
from watchbill.errors import UserError


def with_local_charts(bill: Bill, helm: str, workspace: Workspace) -> Bill:
    """By the user's own helm, with their repositories and their login."""
    fetched: dict[Package, str] = {}
    client = Helm(helm)

    def local(component: Component) -> Component:
        if component.is_local:
            return component
        package = Package(component.chart, component.chart_version)
        if package not in fetched:
            try:
                fetched[package] = pull(package, client, workspace)
            except UserError as error:
                raise UserError(
                    f"{bill.file}:{component.line}: {error.what}", where=error.where, then=error.then
                ) from None
        return replace(component, chart=fetched[package], chart_version="", is_local=True)

    return replace(
        bill,
        prerequisites=tuple(map(local, bill.prerequisites)),
        components=tuple(map(local, bill.components)),
    )
