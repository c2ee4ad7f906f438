"""WB302: hook-succeeded deletes a Job as soon as it is done: nobody can read what it did."""

from collections.abc import Iterator

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.rules.look import Look
from watchbill.rules.mends import with_policies
from watchbill.rules.policies import POLICY, SUCCEEDED, but, is_test, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.words import named


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        key = manifest.key
        if hook is None or key.kind not in RUNS_TO_COMPLETION or SUCCEEDED not in policies(hook):
            continue
        if is_test(hook):  # its verdict is the exit code; for its logs see WB306
            continue
        yield Claim(
            subject=key,
            title=f"when {named(key)} succeeds, Helm deletes it at once and its logs are gone",
            because="its delete policy names hook-succeeded",
            fix="keep it until the next run with before-hook-creation alone, and let ttlSecondsAfterFinished delete it later",
            mends=(with_policies(key, *but(hook, SUCCEEDED)),),
            path=POLICY,
            severity=Severity.NOTE,
        )


RULE = Rule("WB302", "logs-deleted", "a hook that succeeds is deleted with its logs", inspect=_inspect)
