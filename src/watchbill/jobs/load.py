"""The jobs that the modules of a bill declare; or all that is wrong with them, at once."""

from collections.abc import Iterable

from watchbill.jobs.declare import Collector, Job, collecting
from watchbill.jobs.failures import Failure
from watchbill.jobs.interrupting import Interrupted, interruptible, printing_aside
from watchbill.jobs.modules import Module, Modules
from watchbill.jobs.places import Mistake, Place, refusal
from watchbill.jobs.registry import Registry


def load(modules: Iterable[str], folder: str, components: Iterable[str]) -> Registry:
    """`modules` as the bill names them: .py files, folders and patterns relative to `folder`, or dotted names.
    `components` are all that the bill has, prerequisites too."""
    collector = Collector()
    found = Modules(folder)
    for named in modules:
        found.add(named)
    collector.mistakes += found.mistakes
    token = collecting.set(collector)
    try:
        with interruptible(), printing_aside():
            for module in found:
                if mistake := _imported(module):
                    collector.mistakes.append(mistake)
    finally:
        collecting.reset(token)
    collector.mistakes += _unknown(collector.jobs, list(components))
    collector.mistakes += _twice(collector.jobs)
    if collector.mistakes:
        raise refusal(collector.mistakes)
    return Registry(collector.jobs)


def _imported(module: Module) -> Mistake | None:
    try:
        module.load()
    except SyntaxError as error:
        place = Place(error.filename or module.file, error.lineno or 1)
        return Mistake(place, f"{type(error).__name__}: {error.msg}")
    except Interrupted:
        raise
    except BaseException as error:  # noqa: BLE001  (modules are programs, and may do anything)
        failure = Failure(error, module.file)
        if failure.place is None:
            return Mistake(
                None, f"the jobs of {module.name} cannot be loaded: {failure.said}", module.advice(error)
            )
        return Mistake(failure.place, failure.said, module.advice(error))
    return None


def _unknown(jobs: Iterable[Job], components: list[str]) -> list[Mistake]:
    from difflib import get_close_matches  # for who mistypes alone

    mistakes = []
    for job in jobs:
        if job.component and job.component not in components:
            close = get_close_matches(job.component, components, n=1)
            then = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(components) or 'none'}"
            what = f"{job.name}: the bill has no component {job.component!r}"
            mistakes.append(Mistake(job.place, what, then))
    return mistakes


def _twice(jobs: Iterable[Job]) -> list[Mistake]:
    first: dict[str, Job] = {}
    mistakes = []
    for job in jobs:
        if not job.name or job.component == "":
            continue  # that is told already
        other = first.setdefault(job.identity, job)
        if other is not job:
            what = f"there are two jobs {job.identity}, the other one is at {other.place}"
            mistakes.append(Mistake(job.place, what, 'give one of them another name: name="..."'))
    return mistakes
