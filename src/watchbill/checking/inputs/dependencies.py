"""Dependencies that are not in `charts/`: fetched by the user's own helm (`--deps`), in a copy of the chart."""

import os

from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.protocol import Load, Source
from watchbill.checking.inputs import metadata
from watchbill.checking.inputs.discovery import DEPENDENCIES
from watchbill.checking.inputs.fetching import Helm, is_exact, words
from watchbill.checking.inputs.metadata import Dependency, Metadata
from watchbill.checking.inputs.workspace import Workspace, cached, keep, reason
from watchbill.errors import UserError

_URLS = ("http://", "https://")


def complete(
    engine: Engine, path: str, helm: Helm, workspace: Workspace, *, shown: str, follow_symlinks: bool = False
) -> str:
    """Where the chart lies with all it depends on: at its own path if nothing is missing, else in a copy.

    Its directory is never written. What is wrong with it besides is said by whoever loads it. `shown` is what
    the user calls it.
    """
    if not is_missing_some(engine, path, follow_symlinks=follow_symlinks):
        return path
    if not os.path.isdir(path):
        raise UserError(
            f"{shown}: a packaged chart without its dependencies",
            then="package it with them: helm package --dependency-update",
        )
    charts = metadata.local_closure(engine, os.path.abspath(path))
    calls = {chart: os.path.normpath(os.path.join(shown, os.path.relpath(chart, path))) for chart in charts}
    copies = _copied(calls, workspace, follow_symlinks=follow_symlinks)
    for chart in charts:  # those that others need come first
        said = metadata.read(engine, copies[chart])
        if any(
            not dependency.directory(chart) and not _files_of(engine, copies[chart], dependency.name)
            for dependency in said.dependencies
        ):
            _fetch(engine, copies[chart], said, helm, workspace, shown=calls[chart])
    return copies[charts[-1]]


def is_missing_some(engine: Engine, path: str, *, follow_symlinks: bool = False) -> bool:
    try:
        list(engine.ask(Load(source=Source(path=path, follow_symlinks=follow_symlinks))))
    except EngineFailed as failed:
        return failed.error.kind == "dependency" and bool(failed.error.missing)
    return False


def lend(engine: Engine, to: str, of: str) -> None:
    """Puts dependencies that a chart has at hand beside an older version of it, where that wants the same.

    `charts/` is rarely in git, so a version out of git seldom has them. `to` is a folder of ours.
    """
    import shutil

    older, newer = metadata.read(engine, to), metadata.read(engine, of)
    ours, theirs = os.path.join(to, DEPENDENCIES), os.path.join(of, DEPENDENCIES)
    for wanted in older.dependencies:
        if wanted.directory(to) or _wanted(wanted, older) not in [
            _wanted(one, newer) for one in newer.dependencies
        ]:
            continue
        for name in _files_of(engine, of, wanted.name):
            os.makedirs(ours, exist_ok=True)
            there, here = os.path.join(theirs, name), os.path.join(ours, name)
            if os.path.lexists(here):
                continue
            if os.path.isdir(there):
                shutil.copytree(there, here, symlinks=True)
            else:
                shutil.copyfile(there, here)


def _wanted(dependency: Dependency, said: Metadata) -> Dependency:
    """As the lock file has it, where there is one."""
    return next((locked for locked in said.locked if locked.name == dependency.name), dependency)


def _files_of(engine: Engine, chart: str, name: str) -> list[str]:
    """What in `charts/` holds the dependency of that name: directories and packages."""
    folder = os.path.join(chart, DEPENDENCIES)
    return [
        file
        for file in (sorted(os.listdir(folder)) if os.path.isdir(folder) else ())
        if (file == name or file.startswith(f"{name}-"))
        and metadata.read(engine, os.path.join(folder, file)).name == name
    ]


def _copied(calls: dict[str, str], workspace: Workspace, *, follow_symlinks: bool) -> dict[str, str]:
    """Copies at the same places relative to each other, so that `file://` leads from one to the other."""
    import shutil

    root, top = workspace.folder(), os.path.commonpath(list(calls))
    copies = {chart: os.path.join(root, "copy", os.path.relpath(chart, top)) for chart in calls}
    for chart, copy in sorted(copies.items()):
        try:
            shutil.copytree(
                chart,
                copy,
                symlinks=not follow_symlinks,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns(".git"),
            )
        except (OSError, shutil.Error) as error:
            raise UserError(f"{calls[chart]} cannot be copied", where=reason(error)) from None
    return {chart: os.path.normpath(copy) for chart, copy in copies.items()}


def _fetch(
    engine: Engine, chart: str, said: Metadata, helm: Helm, workspace: Workspace, *, shown: str
) -> None:
    folder = os.path.join(chart, DEPENDENCIES)
    place = _place(chart, said)
    if place and os.path.isdir(place):
        _put(place, folder)
        return
    need = f"to fetch the dependencies of {shown}"
    done = helm.run("dependency", "build", chart, *_repository_flags(said, helm, workspace, need), need=need)
    if done.code:
        raise UserError(
            f"{shown}: helm cannot fetch its dependencies",
            where=words(done).replace(chart, shown),
            then=f"look whether helm itself can: helm dependency build {shown}",
        )
    _forget_local(chart, said, engine)
    if place:
        fetched = workspace.folder()
        _put(folder, fetched)
        keep(fetched, place)


def _repository_flags(said: Metadata, helm: Helm, workspace: Workspace, need: str) -> tuple[str, ...]:
    """`helm dependency build` wants repositories added before it uses a lock file. Those that the user has not
    added are added to a copy of their list."""
    if not said.locked:
        return ()
    known = {repository.url.rstrip("/") for repository in helm.repositories(need=need)}
    wanted = dict.fromkeys(one.repository.rstrip("/") for one in said.locked)
    unknown = [url for url in wanted if url.startswith(_URLS) and url not in known]
    if not unknown:
        return ()
    import shutil

    folder = workspace.folder()
    config = os.path.join(folder, "repositories.yaml")
    theirs = helm.run("env", "HELM_REPOSITORY_CONFIG", need=need).text.strip()
    if os.path.isfile(theirs):
        shutil.copyfile(theirs, config)
    flags = "--repository-config", config, "--repository-cache", os.path.join(folder, "cache")
    for number, url in enumerate(unknown):
        done = helm.run("repo", "add", f"watchbill-{number}", url, *flags, need=need)
        if done.code:
            raise UserError("helm does not reach a repository of dependencies", where=words(done))
    return flags


def _forget_local(chart: str, said: Metadata, engine: Engine) -> None:
    """Helm also packs `file://` dependencies; the engine reads them where they are, complete with their own."""
    folder = os.path.join(chart, DEPENDENCIES)
    for dependency in said.dependencies:
        if dependency.directory(chart):
            for name in _files_of(engine, chart, dependency.name):
                if os.path.isfile(os.path.join(folder, name)):
                    os.remove(os.path.join(folder, name))


def _place(chart: str, said: Metadata) -> str:
    """In the cache; nowhere if the same words may mean another version tomorrow."""
    fixed = said.locked or said.dependencies
    if not all(is_exact(dependency.version) for dependency in fixed):
        return ""
    texts: list[str | bytes] = []
    for name in (metadata.CHART_FILE, metadata.OLD_REQUIREMENTS, *metadata.LOCK_FILES):
        try:
            with open(os.path.join(chart, name), "rb") as file:
                texts.append(file.read())
        except OSError:
            texts.append(b"")
    folder = os.path.join(chart, DEPENDENCIES)
    there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return cached("dependencies", *texts, *there)


def _put(fetched: str, folder: str) -> None:
    """The packages, and no others."""
    import shutil

    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".tgz"):
            os.remove(os.path.join(folder, name))
    for name in sorted(os.listdir(fetched)):
        if name.endswith(".tgz"):
            shutil.copyfile(os.path.join(fetched, name), os.path.join(folder, name))
