"""WB306: Helm 3 deletes a test's pod before `helm test --logs` asks for its logs."""

from collections.abc import Iterator

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.rules.look import Look
from watchbill.rules.mends import with_policies
from watchbill.rules.policies import BEFORE, FAILED, POLICY, SUCCEEDED, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.words import named


def _inspect(look: Look) -> Iterator[Claim]:
    if look.lab.tool.name != "helm" or not look.lab.tool.version.startswith("3."):
        return  # Helm 4 reads them first
    for manifest, hook in look.manifests():
        key = manifest.key
        if hook is None or "test" not in hook.events or key.kind not in RUNS_TO_COMPLETION:
            continue
        if {SUCCEEDED, FAILED}.isdisjoint(policies(hook)):
            continue
        yield Claim(
            subject=key,
            title=f"helm test --logs fails: {named(key)} is deleted before its logs are read",
            because=f'its delete policy is "{",".join(policies(hook))}"',
            fix="keep the test until its next run with before-hook-creation alone",
            mends=(with_policies(key, BEFORE),),
            path=POLICY,
            severity=Severity.NOTE,
        )


RULE = Rule("WB306", "test-logs", "a test is deleted before its logs are read", (46,), inspect=_inspect)
