"""What pods and their Jobs say when they cannot start, or where their logs are not."""

from msgspec.structs import replace

from watchbill.rules.errors.known import KnownError, Stage
from watchbill.rules.errors.ways import PLAIN_OBJECTS_FIRST

_MADE_LATER = "If it is the pod of a pre-install or pre-upgrade hook: Helm runs these hooks before it creates the chart's plain objects, so {what} of the same chart does not exist yet."
# This text does not say in which operation it was.
_PLAIN_OBJECTS_FIRST = replace(
    PLAIN_OBJECTS_FIRST,
    commands=PLAIN_OBJECTS_FIRST.commands[1:],
    when="it was an install, and the hook runs before upgrades too",
    tools=(),
    operations=(),
)
_MAKE_IT = (
    "make it a hook too, with a lower weight and another name than the plain object; or run the Job later"
)


def _missing(kind: str, *patterns: str) -> KnownError:
    lower = kind.lower()
    return KnownError(
        f"{lower}-missing",
        patterns,
        f'{lower} "{{name}}" not found',
        f'A pod needs {kind} "{{name}}", which does not exist, so the pod does not start. {_MADE_LATER} The Job never fails '
        "by itself; Helm waits for it until its --timeout.",
        (_PLAIN_OBJECTS_FIRST,),
        _MAKE_IT,
        rule="WB203",
        sure=False,
        stage=Stage.ANYWHERE,
        kind=kind,
    )


PODS = (
    _missing(
        "ServiceAccount",
        'error looking up service account <namespace>/[\\w.-]+: serviceaccount "<name>" not found',
        'serviceaccount "<name>" not found',
    ),
    _missing(
        "ConfigMap",
        'Error: configmap "<name>" not found',
        'MountVolume\\.SetUp failed for volume "[^"]{1,253}" : ?configmap "<name>" not found',
    ),
    _missing(
        "Secret",
        'Error: secret "<name>" not found',
        'MountVolume\\.SetUp failed for volume "[^"]{1,253}" : ?secret "<name>" not found',
    ),
    KnownError(
        "test-logs",
        ('unable to get pod logs for <name>: pods "[^"]{1,253}" not found',),
        'unable to get pod logs for "{name}"',
        'The delete policy of the test "{name}" deleted its pod before Helm read the logs; or the test is a Job, whose pod '
        "has another name.",
        (),
        "use Pods as tests, without hook-succeeded and hook-failed",
        rule="WB306",
        kind="Pod",
    ),
)
