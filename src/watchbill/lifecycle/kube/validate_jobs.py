"""Jobs and CronJobs (batch's validation), creation and update."""

from typing import Any

from watchbill.lifecycle.kube import cron, gotypes, names
from watchbill.lifecycle.kube.causes import (
    NEGATIVE,
    Cause,
    duplicate,
    immutable,
    invalid,
    invalid_unshown,
    not_supported,
    required,
    too_long,
    too_many,
)
from watchbill.lifecycle.kube.validate_meta import (
    each,
    has_odd_values,
    is_usable,
    matches,
    metadata,
    selector,
)
from watchbill.lifecycle.kube.validate_pod import pod_template
from watchbill.patterns import regex

Object = dict[str, Any]
Causes = list[Cause]

_UID = "uid"
# Limits of Indexed Jobs, and those of Jobs with more completions than the first.
_MANY, _FEW = 100000, 10000
_NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_TEMPLATE = "core/v1.PodTemplateSpec"
# Fields of the specification that no update may change, with their types, in the server's order.
FROZEN = (
    ("completionMode", "*string"),
    ("podFailurePolicy", "*batch/v1.PodFailurePolicy"),
    ("backoffLimitPerIndex", "*int32"),
    ("managedBy", "*string"),
    ("successPolicy", "*batch/v1.SuccessPolicy"),
)
_SCHEDULING = ("nodeSelector", "tolerations", "schedulingGates")


def job(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    found += _generated_selector(whole)
    found += _spec_with_selector(whole["spec"])
    return found + _index_names(whole)


def _generated_selector(job: Object) -> Causes:
    spec = job["spec"]
    if spec["manualSelector"] or spec.get("selector") is None:
        return []
    found: Causes = []
    name = job["metadata"].get("name", "")
    expected = {
        "controller-uid": _UID,
        "job-name": name,
        "batch.kubernetes.io/controller-uid": _UID,
        "batch.kubernetes.io/job-name": name,
    }
    labels = spec["template"]["metadata"].get("labels") or {}
    for key, value in expected.items():
        path = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            found.append(required(path, f"must be '{value}'"))
        elif labels[key] != value:
            found.append(invalid(path, labels, f"must be '{value}'"))
    if is_usable(spec["selector"]) and not matches(spec["selector"], expected):
        found.append(invalid("spec.selector", spec["selector"], "`selector` not auto-generated"))
    return found


def _index_names(job: Object) -> Causes:
    spec = job["spec"]
    completions = spec.get("completions")
    if spec.get("completionMode") != "Indexed" or not completions or completions < 0:
        return []
    host = f"{job['metadata'].get('name', '')}-{completions - 1}"
    if not names.dns_label(host):
        return []
    words = f"will not able to create pod with invalid DNS label: {host}"
    return [invalid("metadata.name", job["metadata"].get("name", ""), words)]


def _spec_with_selector(spec: Object, *, lenient: bool = False) -> Causes:
    found = job_spec(spec, "spec")
    given = spec.get("selector")
    if given is None:
        # Nothing is selected by it either.
        found.append(required("spec.selector"))
        usable, fits = True, False
    else:
        found += selector(given, "spec.selector", lenient=lenient)
        usable, fits = is_usable(given), matches(given, spec["template"]["metadata"].get("labels"))
    if usable and not fits:
        labels = spec["template"]["metadata"].get("labels")
        words = "`selector` does not match template `labels`"
        found.append(invalid("spec.template.metadata.labels", labels, words))
    return found


def job_spec(spec: Object, path: str) -> Causes:
    found: Causes = []
    for key in _NUMBERS:
        if (number := spec.get(key)) is not None and number < 0:
            found.append(invalid(f"{path}.{key}", number, NEGATIVE))
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        found.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    found += _managed_by(spec.get("managedBy"), f"{path}.managedBy")
    found += _completion_mode(spec, path)
    if (policy := spec.get("podFailurePolicy")) is not None:
        found += _failure_policy(policy, spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        found += _success_policy(spec, f"{path}.successPolicy")
    replacement = spec.get("podReplacementPolicy")
    allowed = ("Failed",) if policy is not None else ("Failed", "TerminatingOrFailed")
    if replacement is not None and replacement not in allowed:
        found.append(not_supported(f"{path}.podReplacementPolicy", replacement, allowed))
    found += pod_template(spec["template"], f"{path}.template")
    restart = spec["template"]["spec"]["restartPolicy"]
    here = f"{path}.template.spec.restartPolicy"
    if restart in ("Always", ""):
        found.append(required(here, 'valid values: "OnFailure", "Never"'))
    elif restart not in ("OnFailure", "Never"):
        found.append(not_supported(here, restart, ("OnFailure", "Never")))
    elif policy is not None and restart != "Never":
        words = 'only "Never" is supported when podFailurePolicy is specified'
        found.append(invalid(here, restart, words))
    return found


def _managed_by(manager: str | None, path: str) -> Causes:
    if manager is None:
        return []
    found: Causes = []
    domain, slash, rest = manager.partition("/")
    if not manager:
        found.append(required(path))
    elif not (slash and domain and rest):
        words = 'must be a domain-prefixed path (such as "acme.io/foo")'
        found.append(invalid(path, manager, words))
    else:
        found += each(path, domain, names.dns_subdomain(domain))
        if not names.is_http_path(rest):
            found.append(invalid(path, rest, names.http_path_words()))
    if len(manager.encode()) > 63:
        found.append(too_long(path, 63))
    return found


def _completion_mode(spec: Object, path: str) -> Causes:
    mode = spec.get("completionMode")
    if mode == "Indexed":
        return _indexed(spec, path)
    if mode not in (None, "NonIndexed"):
        return [not_supported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))]
    return [
        invalid(f"{path}.{key}", spec[key], "requires indexed completion mode")
        for key in ("backoffLimitPerIndex", "maxFailedIndexes")
        if key in spec
    ]


def _indexed(spec: Object, path: str) -> Causes:
    found: Causes = []
    completions, failed = spec.get("completions"), spec.get("maxFailedIndexes")
    parallelism = spec.get("parallelism", 0)
    if completions is None:
        found.append(required(f"{path}.completions", "when completion mode is Indexed"))
    if parallelism > _MANY:
        words = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        found.append(invalid(f"{path}.parallelism", parallelism, words))
    if completions is not None and failed is not None and failed > completions:
        words = "must be less than or equal to completions"
        found.append(invalid(f"{path}.maxFailedIndexes", failed, words))
    if failed is not None and failed > _MANY:
        found.append(invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to {_MANY}"))
    if completions is not None and completions > _MANY and "backoffLimitPerIndex" in spec:
        high = f"when completions are above {_MANY} and used with backoff limit per index"
        words = f"must be less than or equal to {_FEW} {high}"
        if failed is None:
            missing = f"must be specified when completions is above {_MANY}"
            found.append(required(f"{path}.maxFailedIndexes", missing))
        if parallelism > _FEW:
            found.append(invalid(f"{path}.parallelism", parallelism, words))
        if failed is not None and failed > _FEW:
            found.append(invalid(f"{path}.maxFailedIndexes", failed, words))
    return found


_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES = ("False", "True", "Unknown")


def _quoted(values: tuple[str, ...]) -> str:
    return "valid values: [" + " ".join(f'"{value}"' for value in values) + "]"


def _failure_policy(policy: Object, spec: Object, path: str) -> Causes:
    found: Causes = []
    rules = policy.get("rules") or []
    if len(rules) > 20:
        found.append(too_many(f"{path}.rules", len(rules), 20))
    pod = spec["template"]["spec"]
    known = {
        container["name"] for key in ("containers", "initContainers") for container in pod.get(key) or ()
    }
    for index, rule in enumerate(rules):
        here = f"{path}.rules[{index}]"
        action = rule.get("action", "")
        if not action:
            found.append(required(f"{here}.action", _quoted(_ACTIONS)))
        elif action == "FailIndex":
            if "backoffLimitPerIndex" not in spec:
                words = "requires the backoffLimitPerIndex to be set"
                found.append(invalid(f"{here}.action", action, words))
        elif action not in _ACTIONS:
            found.append(not_supported(f"{here}.action", action, _ACTIONS))
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
        if codes is not None:
            found += _exit_codes(codes, f"{here}.onExitCodes", known)
        found += _conditions(conditions, f"{here}.onPodConditions")
        if codes is not None and conditions:
            words = "specifying both OnExitCodes and OnPodConditions is not supported"
            found.append(invalid_unshown(here, words))
        if codes is None and not conditions:
            words = "specifying one of OnExitCodes and OnPodConditions is required"
            found.append(invalid_unshown(here, words))
    return found


def _conditions(conditions: list[Object], path: str) -> Causes:
    found: Causes = []
    if len(conditions) > 20:
        found.append(too_many(path, len(conditions), 20))
    for index, pattern in enumerate(conditions):
        here = f"{path}[{index}]"
        found += each(f"{here}.type", pattern["type"], names.label_key(pattern["type"]))
        if pattern["status"] not in _STATUSES:
            found.append(not_supported(f"{here}.status", pattern["status"], _STATUSES))
    return found


def _exit_codes(codes: Object, path: str, known: set[str]) -> Causes:
    found: Causes = []
    operator, values = codes.get("operator", ""), codes.get("values") or []
    if not operator:
        found.append(required(f"{path}.operator", _quoted(("In", "NotIn"))))
    elif operator not in ("In", "NotIn"):
        found.append(not_supported(f"{path}.operator", operator, ("In", "NotIn")))
    name = codes.get("containerName")
    if name is not None and name not in known:
        words = "must be one of the container or initContainer names in the pod template"
        found.append(invalid(f"{path}.containerName", name, words))
    if not values:
        found.append(invalid(f"{path}.values", values, "at least one value is required"))
    elif len(values) > 255:
        found.append(too_many(f"{path}.values", len(values), 255))
    seen: set[int] = set()
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            found.append(invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator"))
        if value in seen:
            found.append(duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    if values != sorted(values):
        found.append(invalid(f"{path}.values", values, "must be ordered"))
    return found


def _success_policy(spec: Object, path: str) -> Causes:
    if spec.get("completionMode") != "Indexed":
        return [invalid(path, spec["successPolicy"], "requires indexed completion mode")]
    found: Causes = []
    rules = spec["successPolicy"].get("rules") or []
    if not rules:
        words = "at least one rules must be specified when the successPolicy is specified"
        found.append(required(f"{path}.rules", words))
    if len(rules) > 20:
        found.append(too_many(f"{path}.rules", len(rules), 20))
    for index, rule in enumerate(rules):
        here = f"{path}.rules[{index}]"
        if "succeededCount" not in rule and "succeededIndexes" not in rule:
            words = "at least one of succeededCount or succeededIndexes must be specified"
            found.append(required(here, words))
        count, completions = rule.get("succeededCount"), spec.get("completions", 0)
        if count is not None:
            if count < 0:
                found.append(invalid(f"{here}.succeededCount", count, NEGATIVE))
            if count > completions:
                words = f"must be less than or equal to {completions} (the number of specified completions)"
                found.append(invalid(f"{here}.succeededCount", count, words))
    return found


def job_update(new: Object, old: Object) -> Causes:
    spec, before = new["spec"], old["spec"]
    found = _spec_with_selector(spec, lenient=has_odd_values(before.get("selector")))
    found += _completions_update(spec, before)
    if not gotypes.same("*meta/v1.LabelSelector", spec.get("selector"), before.get("selector")):
        found.append(immutable("spec.selector", spec.get("selector")))
    found += _template_update(new, old)
    for key, kind in FROZEN:
        if not gotypes.same(kind, spec.get(key), before.get(key)):
            found.append(immutable(f"spec.{key}", spec.get(key)))
    return found + _index_names(new)


def _completions_update(spec: Object, before: Object) -> Causes:
    completions = spec.get("completions")
    if completions == before.get("completions"):
        return []
    if spec.get("completionMode") != "Indexed":
        return [immutable("spec.completions", completions)]
    if completions is None or completions == spec["parallelism"]:
        return []
    return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")]


def is_template_open(job: Object) -> bool:
    """A suspended Job without pods may be changed: where it is scheduled, and what its containers ask for."""
    status = job.get("status") or {}
    is_suspended = any(
        condition["type"] == "Suspended" and condition["status"] == "True"
        for condition in status.get("conditions") or ()
    )
    started = status.get("startTime") is not None
    return bool(job["spec"].get("suspend")) and (not started or is_suspended) and not status.get("active")


def _template_update(new: Object, old: Object) -> Causes:
    template, before = new["spec"]["template"], old["spec"]["template"]
    if not is_template_open(old):
        if gotypes.same(_TEMPLATE, template, before):
            return []
        return [immutable("spec.template", template)]
    pod, allowed = template["spec"], dict(before["spec"])
    for key in _SCHEDULING:
        _follow(allowed, pod, key)
    _follow_node_affinity(allowed, pod)
    for group in ("containers", "initContainers"):
        mine, theirs = pod.get(group) or [], allowed.get(group) or []
        if len(mine) == len(theirs) and mine:
            allowed[group] = [
                {**other, "resources": one["resources"]} if one["name"] == other["name"] else other
                for one, other in zip(mine, theirs, strict=True)
            ]
    if gotypes.same("core/v1.PodSpec", pod, allowed):
        return []
    return [immutable("spec.template.spec", pod)]


def _follow(allowed: Object, pod: Object, key: str) -> None:
    allowed.pop(key, None)
    if key in pod:
        allowed[key] = pod[key]


def _follow_node_affinity(allowed: Object, pod: Object) -> None:
    affinity, before = pod.get("affinity"), allowed.get("affinity")
    if affinity is None and before is not None:
        rest = {key: value for key, value in before.items() if key != "nodeAffinity"}
        if rest:
            allowed["affinity"] = rest
        else:
            allowed.pop("affinity")
    elif affinity is not None:
        followed = dict(before or {})
        _follow(followed, affinity, "nodeAffinity")
        allowed["affinity"] = followed


def cron_job(whole: Object) -> Causes:
    name = whole["metadata"].get("name", "")
    found = metadata(whole, names.dns_subdomain) + _cron_spec(whole["spec"], None)
    if len(name.encode()) > 52:
        found.append(invalid("metadata.name", name, "must be no more than 52 characters"))
    if not whole["spec"]["schedule"]:
        found.append(required("spec.schedule"))
    return found


def cron_job_update(new: Object, old: Object) -> Causes:
    found = _cron_spec(new["spec"], old["spec"])
    if not new["spec"]["schedule"]:
        found.append(required("spec.schedule"))
    return found


_ZONE_PART = regex(r"[A-Za-z.\-_0-9+]{1,14}")


def _cron_spec(spec: Object, before: Object | None) -> Causes:
    found: Causes = []
    schedule = spec["schedule"]
    if schedule:
        if problem := cron.problem(schedule):
            found.append(invalid("spec.schedule", schedule, problem))
        tolerated = before is not None and "TZ" in before["schedule"]
        if "TZ" in schedule:
            if tolerated and spec.get("timeZone") is not None:
                words = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
                found.append(invalid("spec.schedule", schedule, words))
            elif not tolerated:
                words = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
                found.append(invalid("spec.schedule", schedule, words))
    if (deadline := spec.get("startingDeadlineSeconds")) is not None and deadline < 0:
        found.append(invalid("spec.startingDeadlineSeconds", deadline, NEGATIVE))
    if before is None or before.get("timeZone") != spec.get("timeZone"):
        found += _time_zone(spec.get("timeZone"))
    policies = ("Allow", "Forbid", "Replace")
    if spec["concurrencyPolicy"] not in policies:
        found.append(not_supported("spec.concurrencyPolicy", spec["concurrencyPolicy"], policies))
    template = spec["jobTemplate"]["spec"]
    found += job_spec(template, "spec.jobTemplate.spec")
    if template.get("selector") is not None:
        words = "`selector` will be auto-generated"
        found.append(invalid("spec.jobTemplate.spec.selector", template["selector"], words))
    if template.get("manualSelector"):
        found.append(not_supported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false")))
    for key in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        if (limit := spec.get(key)) is not None and limit < 0:
            found.append(invalid(f"spec.{key}", limit, NEGATIVE))
    return found


def _time_zone(zone: str | None) -> Causes:
    if zone is None:
        return []
    if not zone:
        return [invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string")]
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not _ZONE_PART.fullmatch(part):
            return [invalid("spec.timeZone", zone, f"unknown time zone {zone}")]
    if zone.lower() == "local":
        words = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        return [invalid("spec.timeZone", zone, words)]
    return []
