"""Shuffles between processes of one machine, without an engine.

Each input is written by one task, and each task of the reduce side reads several partitions. If
a worker dies, its tasks run again. The commits of other tasks stay.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Any, overload

import pyarrow as pa

from blobshuffle.arrow import Codec
from blobshuffle.failure import WorkerLost
from blobshuffle.lifecycle import releasing
from blobshuffle.store import StoreLike, new_shuffle
from blobshuffle.tasks import (
    LEASE_SECONDS,
    MAX_ATTEMPTS,
    Input,
    Plan,
    Reduce,
    Result,
    Whole,
    Written,
    plan,
    range_size,
    ranges,
    reduce_range,
    schema_of,
    whole,
    with_schema,
    write_map,
)
from blobshuffle.writer import DEFAULT_MEMORY

__all__ = ["shuffle"]

_AHEAD = 4
"""Tasks for each worker that may be ahead of the caller."""


@overload
def shuffle(
    inputs: Iterable[Input],
    keys: str | Sequence[str],
    partitions: int,
    reduce: None = None,
    *,
    store: StoreLike,
    workers: int | None = None,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    context: BaseContext | None = None,
) -> Generator[pa.Table, None, None]: ...


@overload
def shuffle(
    inputs: Iterable[Input],
    keys: str | Sequence[str],
    partitions: int,
    reduce: Reduce[Result],
    *,
    store: StoreLike,
    workers: int | None = None,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    context: BaseContext | None = None,
) -> Generator[Result, None, None]: ...


def shuffle(
    inputs: Iterable[Input],
    keys: str | Sequence[str],
    partitions: int,
    reduce: Reduce[Any] | None = None,
    *,
    store: StoreLike,
    workers: int | None = None,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    context: BaseContext | None = None,
) -> Generator[Any, None, None]:
    """Shuffle inputs by keys, and return the results of `reduce` for partition 0, 1, and so on.

    Inputs are Arrow tables, or picklable functions that return rows: use these for rows that are
    more than fit in memory. Without `reduce`, results are tables. `workers` is the number of
    processes, by default the machine's cores; each needs `memory`. At most four results for each
    worker, times `partitions_per_task`, wait for the caller. Blobs live until the iterator ends, is
    closed, or fails, and if this process dies, until its `lease` of so many seconds expires.
    `context` starts processes, by default with `spawn`: a script needs `if __name__ ==
    "__main__":`.

    Inputs whose schemas differ by nullness, width or emptiness are cast to a common one, before
    they are written if they are tables. Raises `SchemaMismatch`, which names the column, if there
    is none, any exception of an input or `reduce`, `WorkerLost` if a task loses its worker
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
    reduce: Reduce[Any] | None,
    size: int,
    lease: float | None,
    crew: _Crew,
) -> Generator[Any, None, None]:
    # The crew ends first, so that no worker commits a blob after the release.
    with releasing(made.store, made.shuffle, lease=lease), crew:
        known = [(f"input {number}", schema_of(source)) for number, source in enumerate(sources)]
        made = with_schema(made, [(what, schema) for what, schema in known if schema is not None])
        maps = [_MapTask(made, number, source) for number, source in enumerate(sources)]
        read = whole(made, crew.run(maps))
        tasks = [_ReduceTask(made, read, part, reduce) for part in ranges(made.partitions, size)]
        for results in crew.run(tasks):
            yield from results


class _MapTask:
    def __init__(self, made: Plan, number: int, source: Input) -> None:
        self._arguments = (made, number, source)

    def __call__(self, attempt: int) -> Written:
        made, number, source = self._arguments
        return write_map(made, number, attempt, source)

    def __str__(self) -> str:
        return f"map {self._arguments[1]}"


class _ReduceTask:
    def __init__(self, made: Plan, maps: Whole, numbers: range, reduce: Reduce[Any] | None) -> None:
        self._arguments = (made, maps, numbers, reduce)

    def __call__(self, attempt: int) -> list[Any]:
        return reduce_range(*self._arguments)

    def __str__(self) -> str:
        numbers = self._arguments[2]
        return f"the reduction of partitions {numbers[0]} to {numbers[-1]}"


class _Crew:
    """Worker processes, each replaced when it dies. Owned by one thread."""

    def __init__(self, workers: int, context: BaseContext | None) -> None:
        if workers < 1:
            raise ValueError(f"Cannot shuffle with {workers} workers: at least 1.")
        self._context = context or multiprocessing.get_context("spawn")
        self._workers = [_Worker() for _ in range(workers)]

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.cancel()
        for worker in self._workers:
            worker.end()

    def run(self, tasks: Sequence[Callable[[int], Any]]) -> Iterator[Any]:
        """Run tasks, and return their results in order. Few are ahead of the caller.

        A task gets the number of its attempt.
        """
        attempts = [0] * len(tasks)
        done: dict[int, Any] = {}
        submitted = 0
        for number in range(len(tasks)):
            while number not in done:
                ahead = min(len(tasks), number + _AHEAD * len(self._workers))
                for more in range(submitted, ahead):
                    self._submit(tasks, more, attempts)
                submitted = max(submitted, ahead)
                running = [future for worker in self._workers for _, future in worker.queue]
                wait(running, return_when=FIRST_COMPLETED)
                for worker in self._workers:
                    self._collect(worker, tasks, attempts, done)
            yield done.pop(number)

    def _collect(
        self,
        worker: _Worker,
        tasks: Sequence[Callable[[int], Any]],
        attempts: list[int],
        done: dict[int, Any],
    ) -> None:
        """Take a worker's results. If it has died, the task that it ran counts an attempt."""
        while worker.queue and worker.queue[0][1].done():
            number, future = worker.queue[0]
            try:
                done[number] = future.result()
                worker.queue.popleft()
            except BrokenProcessPool:
                lost = [number for number, _ in worker.queue]
                worker.end()
                attempts[number] += 1
                if attempts[number] >= MAX_ATTEMPTS:
                    raise WorkerLost(
                        f"Cannot run {tasks[number]}: its worker died in {MAX_ATTEMPTS} attempts. "
                        "Look for what killed it, such as too little memory."
                    ) from None
                for each in lost:
                    self._submit(tasks, each, attempts)

    def _submit(
        self, tasks: Sequence[Callable[[int], Any]], number: int, attempts: list[int]
    ) -> None:
        worker = min(self._workers, key=lambda each: len(each.queue))
        for _ in range(MAX_ATTEMPTS):
            try:
                worker.submit(self._context, tasks[number], number, attempts[number])
                return
            except BrokenProcessPool:
                worker.end()
        raise WorkerLost(
            f"Cannot run {tasks[number]}: worker processes die at their start. Guard your script "
            'with if __name__ == "__main__", and see what they print.'
        )


class _Worker:
    """A process, and the tasks that it has: it runs the first. Owned by one thread."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self.queue: deque[tuple[int, Future[Any]]] = deque()

    def submit(
        self, context: BaseContext, task: Callable[[int], Any], number: int, attempt: int
    ) -> None:
        """Add a task. Raises `BrokenProcessPool` if the process died and had none."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, context)
        try:
            future = self._pool.submit(task, attempt)
        except BrokenProcessPool as failure:
            if not self.queue:
                raise
            # The result of the first task, which the worker ran, raises it too.
            future = Future[Any]()
            future.set_exception(failure)
        self.queue.append((number, future))

    def cancel(self) -> None:
        """Run no more tasks than the one that runs."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        """Wait for the process, and forget its tasks; the next one starts another."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None
        self.queue.clear()
