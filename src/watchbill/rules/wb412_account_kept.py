"""WB412: to leave serviceAccountName out is not to take it away, and the account it still names is deleted."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.rules.fields import get, put
from watchbill.rules.mends import changed
from watchbill.rules.rule import Claim, Path, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import users
from watchbill.rules.wb411_workload_waits import lacked
from watchbill.rules.words import named

POD: Path = ("spec", "template", "spec")
ACCOUNT: Path = (*POD, "serviceAccountName")


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.move.verb not in ("upgrade", "apply"):
        return None
    user, account = _pair(sighting)
    if user is None or account is None or account.kind != "ServiceAccount":
        return None
    manifest = sighting.manifest(user)
    if manifest is None or get(manifest.body.object, ACCOUNT) or sighting.manifest(account) is not None:
        return None
    return Claim(
        subject=user,
        title=f"{sighting.operation} deletes {named(account)}, which {named(user)} still uses",
        because="the chart no longer sets serviceAccountName, and Kubernetes keeps the old name from serviceAccount",
        fix="write serviceAccountName: default",
        mends=(changed(user, lambda thing: put(thing, ACCOUNT, "default")),),
        path=POD,
    )


def _pair(sighting: Sighting) -> tuple[Key | None, Key | None]:
    """The workload, and the account that it names and that goes or is gone."""
    if (account := lacked(sighting)) is not None:
        return sighting.key, account
    key = sighting.key
    if sighting.broke is not Property.SPARES or key is None:
        return None, None
    return next((user for user in users(sighting, key) if sighting.what == f"needed by {user}"), None), key


RULE = Rule(
    "WB412", "account-kept", "a workload keeps the ServiceAccount that an upgrade deletes", (), _claim
)
