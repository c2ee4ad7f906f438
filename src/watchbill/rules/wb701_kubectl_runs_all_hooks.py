"""WB701: kubectl knows no hooks: it makes those for tests, rollbacks and uninstalls along with everything else."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.MEANT:
        return None
    events = sighting.what
    return Claim(
        subject=key,
        title=f"kubectl apply runs {named(key)} at once, a hook of {events}",
        because=f"helm.sh/hook: {events} says when Helm runs it; to kubectl it is an annotation like any other",
        fix="apply helm template --no-hooks, and single hooks by hand; or add a value that disables this hook",
        mends=(without(key),),
        path=("metadata", "annotations", "helm.sh/hook"),
        severity=_severity(events),
    )


def _severity(events: str) -> Severity:
    """What cleans up after a release takes away what was just applied; a test only runs too early."""
    if "delete" in events:
        return Severity.ERROR
    return Severity.WARNING if "rollback" in events else Severity.NOTE


RULE = Rule(
    "WB701",
    "kubectl-runs-all-hooks",
    "helm template | kubectl apply runs hooks of tests, rollbacks and uninstalls at once",
    rows=(56,),
    claim=_claim,
)
