"""What must hold: each property is broken by a small chart, and mended by the change that is known to mend it."""

import pytest

from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle.explore import explore
from watchbill.lifecycle.properties import Property, Violation

TOOLS = ("helm@4.3.1", "helm@3.19.0")
ON_CHANGE = "pre-install,pre-upgrade"


def job(name: str = "work", hook: str = "", policy: str = "", pod: str = "", **spec: object) -> str:
    fields = "".join(f"  {field}: {value}\n" for field, value in spec.items())
    restart = "" if "restartPolicy" in pod else "restartPolicy: Never, "
    return (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, annotations: {marks(hook, policy)}}}\n"
        f"spec:\n{fields}  template: {{spec: {{{restart}{pod} containers: [{{name: c, image: c}}]}}}}\n---\n"
    )


def thing(kind: str, hook: str = "", policy: str = "", weight: int = 0, more: str = "") -> str:
    annotations = marks(hook, policy, weight, more)
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: thing, annotations: {annotations}}}\n---\n"


def marks(hook: str, policy: str, weight: int = 0, more: str = "") -> str:
    found = [f'helm.sh/hook: "{hook}", helm.sh/hook-weight: "{weight}"'] if hook else []
    found += [f'helm.sh/hook-delete-policy: "{policy}"'] if policy else []
    return "{" + ", ".join([*found, more] if more else found) + "}"


def web(uses: str) -> str:
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        f"    spec: {{{uses}, containers: [{{name: c, image: c}}]}}\n---\n"
    )


ACCOUNT = "serviceAccountName: thing"
VOLUME = "volumes: [{name: v, configMap: {name: thing}}]"
BOUNDED = "activeDeadlineSeconds: 120, terminationGracePeriodSeconds: 10,"
KEEP = "helm.sh/resource-policy: keep"
BOTH = "before-hook-creation,hook-succeeded"
FAILING = "before-hook-creation,hook-failed"

# property, the object, versions that break it, versions that do not.
CASES = {
    "a hook object is left behind": (
        Property.CLEANS_UP,
        "Job/ns/work",
        [job(hook=ON_CHANGE)],
        [job(hook=ON_CHANGE, ttlSecondsAfterFinished=60)],
    ),
    "a hook object that no Job needs is left behind": (
        Property.CLEANS_UP,
        "ConfigMap/ns/thing",
        [thing("ConfigMap", hook=ON_CHANGE)],
        [thing("ConfigMap", hook=ON_CHANGE, policy=BOTH)],
    ),
    "what is kept is kept on purpose": (
        Property.CLEANS_UP,
        "ConfigMap/ns/thing",
        [thing("ConfigMap", hook=ON_CHANGE)],
        [thing("ConfigMap", more=KEEP)],
    ),
    "logs go with hook-failed": (
        Property.LOGS,
        "Job/ns/work",
        [job(hook=ON_CHANGE, policy=FAILING)],
        [job(hook=ON_CHANGE, policy=BOTH)],
    ),
    "logs go with the last restart": (
        Property.LOGS,
        "Job/ns/work",
        [job(hook=ON_CHANGE, pod="restartPolicy: OnFailure,")],
        [job(hook=ON_CHANGE)],
    ),
    "logs go with the deadline of the Job": (
        Property.LOGS,
        "Job/ns/work",
        [job(hook=ON_CHANGE, activeDeadlineSeconds=60)],
        [job(hook=ON_CHANGE, pod="activeDeadlineSeconds: 60,")],
    ),
    "logs go with a deadline of the Job that comes before its pod's": (
        Property.LOGS,
        "Job/ns/work",
        [job(hook=ON_CHANGE, pod=BOUNDED, backoffLimit=1, activeDeadlineSeconds=125)],
        [job(hook=ON_CHANGE, pod=BOUNDED, backoffLimit=1, activeDeadlineSeconds=285)],
    ),
    "logs go with a Job that does not stay": (
        Property.LOGS,
        "Job/ns/work",
        [job(ttlSecondsAfterFinished=0)],
        [job(ttlSecondsAfterFinished=60)],
    ),
    "a hook needs what is not there yet": (
        Property.STARTS,
        "Job/ns/work",
        [thing("ServiceAccount") + job(hook="pre-install", pod=f"{ACCOUNT},")],
        [thing("ServiceAccount", hook="pre-install", weight=-1) + job(hook="pre-install", pod=f"{ACCOUNT},")],
    ),
    "a hook before its account": (
        Property.STARTS,
        "Job/ns/a",
        [thing("ServiceAccount", hook="pre-install") + job("a", hook="pre-install", pod=f"{ACCOUNT},")],
        [thing("ServiceAccount", hook="pre-install") + job("z", hook="pre-install", pod=f"{ACCOUNT},")],
    ),
    "pods need a hook object that is gone before they start": (
        Property.STARTS,
        "Deployment/ns/web",
        [thing("ConfigMap", hook=ON_CHANGE, policy=BOTH) + web(VOLUME)],
        [thing("ConfigMap", hook=ON_CHANGE) + web(VOLUME)],
    ),
    "an account of running pods is made anew": (
        Property.SPARES,
        "ServiceAccount/ns/thing",
        [thing("ServiceAccount", hook=ON_CHANGE) + web(ACCOUNT)],
        [thing("ServiceAccount", hook=ON_CHANGE) + web("serviceAccountName: other")],
    ),
    "a plain object becomes a hook": (
        Property.KEEPS,
        "ConfigMap/ns/thing",
        [thing("ConfigMap"), thing("ConfigMap", hook=ON_CHANGE)],
        [thing("ConfigMap"), thing("ConfigMap", hook=ON_CHANGE, more=KEEP)],
    ),
    "a plain object becomes a hook of no upgrade": (
        Property.KEEPS,
        "ConfigMap/ns/thing",
        [thing("ConfigMap"), thing("ConfigMap", hook="pre-install")],
        [thing("ConfigMap"), thing("ConfigMap", hook="post-upgrade")],
    ),
    "an evicted pod is replaced while it ends": (
        Property.ALONE,
        "Job/ns/work",
        [job()],
        [job(podReplacementPolicy="Failed")],
    ),
    "a Job without a second attempt has no second pod": (
        Property.ALONE,
        "Job/ns/work",
        [job()],
        [job(backoffLimit=0)],
    ),
    "a Job that still runs is deleted and started again": (
        Property.ALONE,
        "Job/ns/work",
        [job(hook=ON_CHANGE, podReplacementPolicy="Failed")],
        [job(hook=ON_CHANGE, podReplacementPolicy="Failed", activeDeadlineSeconds=60)],
    ),
    "a failed install runs its hooks no more": (
        Property.CATCHES_UP,
        "Job/ns/work",
        [job(hook="post-install")],
        [job(hook="post-install,post-upgrade")],
    ),
    "a failed Job is in the way of the next": (
        Property.RETRIES,
        "Job/ns/work",
        [job(hook=ON_CHANGE, policy="hook-succeeded")],
        [job(hook=ON_CHANGE, policy=BOTH)],
    ),
    "a hook becomes plain": (
        Property.WORKS,
        "Job/ns/work",
        [job(hook=ON_CHANGE), job()],
        [job(hook=ON_CHANGE), job("other")],
    ),
    "a Job that runs is deleted": (
        Property.FINISHES,
        "Job/ns/work",
        [job(), job("other")],
        [job(hook="post-install"), job("other", hook="post-upgrade")],
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("case", CASES)
def test_a_property_is_broken_and_mended(engine: Engine, case: str, tool: str) -> None:
    which, thing, broken, mended = CASES[case]
    assert thing in objects(violations(engine, tool, broken), which)
    assert thing not in objects(violations(engine, tool, mended), which)


def violations(engine: Engine, tool: str, versions: list[str]) -> list[Violation]:
    """Two moves after the install, as far as the client lives: what a killed one leaves no chart can help."""
    found = explore(lab_of(engine, tool, versions), 2).violations
    return [known for known in found if not any(move.dies_after for move in known.trace)]


def objects(found: list[Violation], which: Property) -> list[str]:
    return [str(known.cause.key) for known in found if known.property is which]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_chart_that_behaves_violates_nothing(engine: Engine, tool: str) -> None:
    chart = (
        thing("ServiceAccount", hook=ON_CHANGE, policy=BOTH, weight=-1)
        + job(
            hook=ON_CHANGE,
            policy=BOTH,
            pod=f"{ACCOUNT},",
            podReplacementPolicy="Failed",
            ttlSecondsAfterFinished=3600,
        )
        + web("serviceAccountName: default")
    )
    hanging = "hang work"  # a Job that hangs is deleted by whoever tries again
    found = violations(engine, tool, [chart, chart.replace("image: c", "image: d")])
    assert [known for known in found if all(move.text != hanging for move in known.trace)] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_what_fails_without_a_fault_is_no_news_after_one(engine: Engine, tool: str) -> None:
    changed = [
        job(hook="post-install") + job("fixed"),
        job(hook="post-install") + job("fixed").replace("c}", "d}"),
    ]
    found = violations(engine, tool, changed)
    immutable = [known for known in found if "immutable" in known.cause.what]
    assert [known.property for known in immutable] == [Property.WORKS]
    assert [move.text for move in immutable[0].trace] == ["install", "upgrade"]
