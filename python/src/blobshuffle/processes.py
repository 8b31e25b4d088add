"""Shuffles between processes of one machine, without an engine.

Each input is written by one task, and each task of the reduce side reads several partitions. A
worker that dies costs the tasks that it ran: they run again, and what the others committed stays.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Any

from blobshuffle.arrow import Codec
from blobshuffle.failure import WorkerLost
from blobshuffle.lifecycle import releasing
from blobshuffle.ref import Ref, select
from blobshuffle.store import StoreLike, new_shuffle
from blobshuffle.tasks import (
    LEASE_SECONDS,
    MAX_ATTEMPTS,
    Input,
    Plan,
    Reduce,
    plan,
    range_size,
    ranges,
    reduce_range,
    write_map,
)
from blobshuffle.writer import DEFAULT_MEMORY

__all__ = ["shuffle"]


def shuffle(
    inputs: Iterable[Input],
    keys: str | Sequence[str],
    partitions: int,
    reduce: Reduce | None = None,
    *,
    store: StoreLike,
    workers: int | None = None,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    context: BaseContext | None = None,
) -> Generator[Any, None, None]:
    """Shuffle inputs by keys, and return what `reduce` makes of partition 0, 1, and so on.

    Inputs are Arrow tables, or picklable functions that return rows: use these for rows that are
    more than fit in memory. Without `reduce`, results are tables. `workers` is the number of
    processes, by default the machine's cores; each needs `memory`. At most four results for each
    worker, times `partitions_per_task`, wait for the caller. Blobs live until the iterator ends, is
    closed, or fails, and if this process dies, until its `lease` of so many seconds expires.
    `context` starts processes, by default with `spawn`: a script needs `if __name__ ==
    "__main__":`.

    Raises what an input or `reduce` raises, `WorkerLost` if a task loses its worker
    `MAX_ATTEMPTS` times, and the failures of `ShuffleWriter` and `read`.
    """
    sources = list(inputs)
    count = workers or os.cpu_count() or 1
    made = plan(store, new_shuffle(), len(sources), partitions, keys, codec, memory)
    size = range_size(partitions, count, partitions_per_task)
    return _shuffle(made, sources, reduce, size, lease, _Crew(count, context))


def _shuffle(
    made: Plan,
    sources: list[Input],
    reduce: Reduce | None,
    size: int,
    lease: float | None,
    crew: _Crew,
) -> Generator[Any, None, None]:
    # The crew ends first, so that no worker commits a blob after the release.
    with releasing(made.store, made.shuffle, lease=lease), crew:
        maps = [_MapTask(made, number, source) for number, source in enumerate(sources)]
        refs = select(crew.run(maps), made.maps)
        tasks = [_ReduceTask(made, refs, part, reduce) for part in ranges(made.partitions, size)]
        for results in crew.run(tasks):
            yield from results


class _MapTask:
    def __init__(self, made: Plan, number: int, source: Input) -> None:
        self._arguments = (made, number, source)

    def __call__(self, attempt: int) -> Ref:
        made, number, source = self._arguments
        return write_map(made, number, attempt, source)

    def __str__(self) -> str:
        return f"map {self._arguments[1]}"


class _ReduceTask:
    def __init__(self, made: Plan, refs: list[Ref], numbers: range, reduce: Reduce | None) -> None:
        self._arguments = (made, refs, numbers, reduce)

    def __call__(self, attempt: int) -> list[Any]:
        return reduce_range(*self._arguments)

    def __str__(self) -> str:
        numbers = self._arguments[2]
        return f"the reduction of partitions {numbers[0]} to {numbers[-1]}"


class _Crew:
    """Worker processes, replaced when one dies. Owned by one thread."""

    def __init__(self, workers: int, context: BaseContext | None) -> None:
        if workers < 1:
            raise ValueError(f"Cannot shuffle with {workers} workers: at least 1.")
        self._workers = workers
        self._context = context or multiprocessing.get_context("spawn")
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, tasks: Sequence[Callable[[int], Any]]) -> Iterator[Any]:
        """Run tasks, and return their results in order. Few are ahead of the caller.

        A task gets the number of its attempt.
        """
        attempts = [0] * len(tasks)
        running: dict[int, Future[Any]] = {}
        done: dict[int, Any] = {}
        submitted = 0
        for number in range(len(tasks)):
            while number not in done:
                ahead = min(len(tasks), number + 4 * self._workers)
                for more in range(submitted, ahead):
                    running[more] = self._submit(tasks[more], 0)
                submitted = max(submitted, ahead)
                wait(running.values(), return_when=FIRST_COMPLETED)
                for lost in self._collect(running, done):
                    attempts[lost] += 1
                    if attempts[lost] >= MAX_ATTEMPTS:
                        raise WorkerLost(
                            f"Cannot run {tasks[lost]}: its worker died in {MAX_ATTEMPTS} "
                            "attempts. Look for what killed it, such as too little memory."
                        )
                    running[lost] = self._submit(tasks[lost], attempts[lost])
            yield done.pop(number)

    def _collect(self, running: dict[int, Future[Any]], done: dict[int, Any]) -> list[int]:
        """Take the results that are there; return the tasks that must run again."""
        lost: list[int] = []
        for number, future in list(running.items()):
            if future.done():
                del running[number]
                try:
                    done[number] = future.result()
                except BrokenProcessPool:
                    lost.append(number)
        if lost:
            # A pool that has lost a worker loses all its tasks.
            self._end()
            for number, future in list(running.items()):
                del running[number]
                if future.done() and not future.cancelled() and not future.exception():
                    done[number] = future.result()
                else:
                    lost.append(number)
        return lost

    def _submit(self, task: Callable[[int], Any], attempt: int) -> Future[Any]:
        for _ in range(MAX_ATTEMPTS):
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self._workers, self._context)
            try:
                return self._pool.submit(task, attempt)
            except BrokenProcessPool:
                self._end()
        raise WorkerLost(
            f"Cannot run {task}: worker processes die at their start. Guard your script with "
            'if __name__ == "__main__", and see what they print.'
        )

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
