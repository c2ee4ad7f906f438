"""WB215: a hook Pod starts again whenever it ends, and Helm waits for its end."""

from watchbill.lifecycle.objects import at
from watchbill.lifecycle.properties import FAILURES
from watchbill.rules.mends import with_spec
from watchbill.rules.rule import Claim, Path, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

RESTART: Path = ("spec", "restartPolicy")
ENDING = ("Never", "OnFailure")


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind != "Pod" or sighting.broke not in FAILURES or sighting.faults:
        return None
    pod = sighting.manifest(key)
    if pod is None or sighting.hook(key) is None:
        return None
    policy = at(pod.body.object, "spec", "restartPolicy")
    if policy in ENDING:
        return None
    says = f"restartPolicy is {policy}" if policy else "it has no restartPolicy, and the default is Always"
    return Claim(
        subject=key,
        title=f"{sighting.operation} hangs: hook {named(key)} starts again whenever it ends",
        because=f"{says}; Helm waits until the Pod has succeeded",
        fix="set restartPolicy: Never",
        mends=(with_spec(key, restartPolicy="Never"),),
        path=RESTART if policy else ("spec",),
    )


RULE = Rule(
    "WB215",
    "restarting-hook-pod",
    "a hook Pod is restarted whenever it ends, and Helm waits for its end",
    (),
    _claim,
)
