"""Every error that is known, the more particular ones first: what one has claimed is no other's."""

from watchbill.rules.errors.elsewhere import ELSEWHERE
from watchbill.rules.errors.hooks import HOOKS
from watchbill.rules.errors.immutable import IMMUTABLE
from watchbill.rules.errors.known import KnownError
from watchbill.rules.errors.ownership import OWNERSHIP
from watchbill.rules.errors.pods import PODS
from watchbill.rules.errors.records import RECORDS
from watchbill.rules.errors.refused import REFUSED
from watchbill.rules.errors.waiting import WAITING_FOR_PLAIN

ERRORS: tuple[KnownError, ...] = (
    *RECORDS,
    *IMMUTABLE,
    *OWNERSHIP,
    *HOOKS,
    *WAITING_FOR_PLAIN,
    *PODS,
    *REFUSED,
    *ELSEWHERE,
)
