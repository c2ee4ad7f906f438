"""Requests as a command line, for Helm 3 and Helm 4. Durations go in milliseconds: both read those exactly."""

from watchbill.helm.requests import RollbackRequest, Target, UninstallRequest, UpgradeRequest
from watchbill.helm.version import Version


def upgrade(asked: UpgradeRequest, target: Target, version: Version) -> list[str]:
    # Without --reset-values a component that lost its last value would silently keep those of before.
    command = ["upgrade", asked.release, asked.chart, "--install", "--reset-values"]
    command += _place(asked.namespace, target)
    command += ["--timeout", _duration(asked.timeout), "--history-max", str(asked.history_max)]
    command += ["--version", asked.version] if asked.version else []
    if asked.labels:
        command += ["--labels", ",".join(f"{key}={value}" for key, value in asked.labels.items())]
    for wanted, flag in (
        (asked.wait, "--wait"),
        (asked.wait_for_jobs, "--wait-for-jobs"),
        (asked.atomic, version.atomic),
        (asked.cleanup_on_fail, "--cleanup-on-fail"),
        (asked.skip_crds, "--skip-crds"),
        (asked.dry_run, "--dry-run=server"),
    ):
        command += [flag] if wanted else []
    for flag, given in (
        ("--values", asked.values),
        ("--values", () if asked.values_text is None else ("-",)),
        ("--set-json", asked.set_json),
        ("--set", asked.set),
        ("--set-string", asked.set_string),
        ("--set-file", asked.set_file),
    ):
        command += [part for value in given for part in (flag, value)]
    return command


def rollback(asked: RollbackRequest, target: Target) -> list[str]:
    command = ["rollback", asked.release, str(asked.revision), *_place(asked.namespace, target)]
    command += ["--timeout", _duration(asked.timeout), "--history-max", str(asked.history_max)]
    return command + (["--wait"] if asked.wait else [])


def uninstall(asked: UninstallRequest, target: Target) -> list[str]:
    command = ["uninstall", asked.release, *_place(asked.namespace, target)]
    command += ["--timeout", _duration(asked.timeout)]
    return command + (["--wait"] if asked.wait else [])


def _place(namespace: str, target: Target) -> list[str]:
    place = ["--namespace", namespace]
    place += ["--kubeconfig", target.kubeconfig] if target.kubeconfig else []
    return place + (["--kube-context", target.context] if target.context else [])


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds * 1000))}ms"
