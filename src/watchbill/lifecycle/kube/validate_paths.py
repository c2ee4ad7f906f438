"""Paths inside a volume or a container."""

from watchbill.lifecycle.kube.causes import Cause, invalid

Causes = list[Cause]


def no_backsteps(target: str, path: str) -> Causes:
    return [invalid(path, target, "must not contain '..'")] if ".." in target.split("/") else []


def descending_path(target: str, path: str) -> Causes:
    found = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return found + no_backsteps(target, path)


def local_path(target: str, path: str) -> Causes:
    found = descending_path(target, path)
    if target.startswith("..") and not target.startswith("../"):
        found.append(invalid(path, target, "must not start with '..'"))
    return found
