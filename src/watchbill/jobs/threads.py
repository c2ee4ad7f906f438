"""A job's function at work, in a thread of its own. Nobody can stop a thread: this one does not keep anybody from going.

An async function gets an event loop of its own in there. So one that blocks, or does not let itself be cancelled, holds
up neither the other jobs, nor the deploy (which must renew its Lease), nor the exit.
"""

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar, cast

from watchbill.jobs.context import Context, SyncContext

T = TypeVar("T")


class Work:
    """`ended` holds what the function raised, or None; `gone` comes when nothing of it is left. Both belong to the event
    loop that made this."""

    def __init__(self, name: str, function: Callable[[Any], object], context: Context | SyncContext) -> None:
        self._function = function
        self._context = context
        self._outside = asyncio.get_running_loop()
        self.ended: asyncio.Future[BaseException | None] = self._outside.create_future()
        self.gone: asyncio.Future[None] = self._outside.create_future()
        self._inside: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[object] | None = None
        here = contextvars.copy_context()
        self._thread = threading.Thread(target=here.run, args=(self._main,), name=f"job {name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Tells the function to stop."""
        self._context.cancelled.set()
        inside, task = self._inside, self._task
        if inside is not None and task is not None:
            _call(inside, task.cancel)

    def _main(self) -> None:
        try:
            if isinstance(self._context, SyncContext):
                self._in_thread(self._context)
            else:
                self._in_loop(self._context)
        except BaseException as error:  # noqa: BLE001  (what is left of it after its end is for the log)
            self._context.log.warning("while tidying up: %s: %s", type(error).__name__, error)
        _call(self._outside, _settle, self.gone, None)

    def _in_thread(self, context: SyncContext) -> None:
        error: BaseException | None = None
        try:
            returned = self._function(context)
            if inspect.isawaitable(returned):
                if inspect.iscoroutine(returned):
                    returned.close()
                error = TypeError("it returned something to be awaited: declare it with `async def`")
        except BaseException as raised:  # noqa: BLE001  (also SystemExit: it ends the job, not the deploy)
            error = raised
        _call(self._outside, _settle, self.ended, error)
        if (kube := context.connected) is not None:
            kube.close()

    def _in_loop(self, context: Context) -> None:
        loop = asyncio.new_event_loop()
        executor = _Threads()
        loop.set_default_executor(executor)
        loop.set_exception_handler(lambda _, about: context.log.warning("%s", _unhandled(about)))
        error: BaseException | None = None
        try:
            coroutine = cast("Coroutine[Any, Any, object]", self._function(context))
            self._task = loop.create_task(coroutine)
            self._inside = loop
            if context.cancelled.is_set():
                self._task.cancel()
            loop.run_until_complete(self._task)
        except BaseException as raised:  # noqa: BLE001  (as above)
            error = raised
        left = asyncio.all_tasks(loop)
        if left:
            context.log.warning("it left tasks behind, which were cancelled: %d", len(left))
        _call(self._outside, _settle, self.ended, error)
        try:
            loop.run_until_complete(_tidy_up(left, context))
            executor.join()
        finally:
            loop.close()


class _Threads(ThreadPoolExecutor):
    """For `asyncio.to_thread`: threads that nobody has to wait for at exit, unlike those of the standard one."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._running: list[threading.Thread] = []

    def submit(self, function: Callable[..., T], /, *args: Any, **named: Any) -> "Future[T]":
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(*args, **named))
            except BaseException as error:  # noqa: BLE001  (whoever awaits it gets it)
                future.set_exception(error)

        self._running = [thread for thread in self._running if thread.is_alive()]
        thread = threading.Thread(target=work, daemon=True)
        self._running.append(thread)
        thread.start()
        return future

    def join(self) -> None:
        for thread in self._running:
            thread.join()


async def _tidy_up(left: set[asyncio.Task[Any]], context: Context) -> None:
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if (kube := context.connected) is not None:
        await kube.close()
    await asyncio.get_running_loop().shutdown_asyncgens()


def _settle(future: "asyncio.Future[T]", value: T) -> None:
    if not future.done():
        future.set_result(value)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: Any) -> None:
    """Nothing happens if that event loop has ended: nobody is there to be told."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *args)


def _unhandled(about: dict[str, Any]) -> str:
    error = about.get("exception")
    return f"{about.get('message')}: {type(error).__name__}: {error}" if error else str(about.get("message"))
