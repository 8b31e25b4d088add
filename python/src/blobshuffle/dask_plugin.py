"""Watches a distributed scheduler, in its process, for shuffles whose refs it needs no more."""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, SchedulerPlugin

from blobshuffle.dask_tasks import WHOLE


class RefsWatch(SchedulerPlugin):  # type: ignore[misc]
    """Logs an event for a session when all readers of a shuffle's refs have ended.

    If a worker that has refs or results is lost, the scheduler runs the maps again, and they
    write other blobs. Owned by the scheduler's loop.
    """

    def __init__(self, shuffle: str) -> None:
        self.name = f"blobshuffle-{shuffle}"
        self._shuffle = shuffle
        self._scheduler: Any = None

    async def start(self, scheduler: Scheduler) -> None:
        """Keep the scheduler."""
        self._scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Follow a task. A task whose result is released while others wait for it runs again."""
        if finish not in ("released", "forgotten"):
            return
        if not isinstance(key, str) or not key.startswith(WHOLE):
            return
        task = self._scheduler.tasks.get(key)
        if finish == "forgotten" or (start == "memory" and not (task and task.waiters)):
            self._scheduler.log_event(self._shuffle, {"run": key.removeprefix(WHOLE)})
