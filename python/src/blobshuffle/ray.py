"""Shuffles between tasks of Ray. Needs `ray`.

Blobs are in the store, not in Ray's object store. A `Ref` of a committed map stays valid when its
worker dies, and Ray runs a task that loses its worker again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import pyarrow as pa
import ray

from blobshuffle.arrow import Codec
from blobshuffle.lifecycle import releasing
from blobshuffle.ray_datasets import Grouped, groupby, join, repartition, sort
from blobshuffle.store import StoreLike, new_shuffle
from blobshuffle.tasks import (
    LEASE_SECONDS,
    Plan,
    Reduce,
    Result,
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

__all__ = ["Grouped", "groupby", "join", "repartition", "shuffle", "sort"]


@overload
def shuffle(
    inputs: Any,
    keys: str | Sequence[str],
    partitions: int,
    reduce: None = None,
    *,
    store: StoreLike,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    options: Mapping[str, Any] | None = None,
) -> Generator[pa.Table, None, None]: ...


@overload
def shuffle(
    inputs: Any,
    keys: str | Sequence[str],
    partitions: int,
    reduce: Reduce[Result],
    *,
    store: StoreLike,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    options: Mapping[str, Any] | None = None,
) -> Generator[Result, None, None]: ...


def shuffle(
    inputs: Any,
    keys: str | Sequence[str],
    partitions: int,
    reduce: Reduce[Any] | None = None,
    *,
    store: StoreLike,
    partitions_per_task: int | None = None,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float | None = LEASE_SECONDS,
    options: Mapping[str, Any] | None = None,
) -> Generator[Any, None, None]:
    """Shuffle inputs by keys, and return the results of `reduce` for partition 0, 1, and so on.

    Inputs are Arrow tables, `ray.ObjectRef`s of them, functions that return rows, or a
    `ray.data.Dataset`. Without `reduce`, results are tables. All nodes must reach `store`.
    `options` are those of Ray's tasks, such as `num_cpus` or `max_retries`. Twice as many tasks as
    the cluster has CPUs are in flight. Blobs live until the iterator ends, is closed, or fails, and
    if the driver dies, until its `lease` of so many seconds expires.

    Inputs whose schemas differ by nullness, width or emptiness are cast to a common one, before
    they are written if they are tables or refs. Raises `SchemaMismatch`, which names the column, if
    there is none.

    Raises any exception of an input or `reduce`, with `ray.exceptions.RayTaskError` as its type
    too, and Ray's failures if a task loses its worker more than `max_retries` times.
    """
    if hasattr(inputs, "to_arrow_refs"):
        inputs = inputs.to_arrow_refs()
    sources = list(inputs)
    made = plan(store, new_shuffle(), len(sources), partitions, keys, codec, memory)
    cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
    size = range_size(partitions, cpus, partitions_per_task)
    return _shuffle(made, sources, reduce, size, lease, _Tasks(2 * cpus, dict(options or {})))


def _shuffle(
    made: Plan,
    sources: list[Any],
    reduce: Reduce[Any] | None,
    size: int,
    lease: float | None,
    tasks: _Tasks,
) -> Generator[Any, None, None]:
    with releasing(made.store, made.shuffle, lease=lease), tasks:
        made = with_schema(made, _schemas(sources, tasks))
        written = tasks.run(
            write_map, ((made, number, 0, source) for number, source in enumerate(sources))
        )
        shared = ray.put(whole(made, written))
        parts = ((made, shared, part, reduce) for part in ranges(made.partitions, size))
        for results in tasks.run(reduce_range, parts):
            yield from results


def _schemas(sources: list[Any], tasks: _Tasks) -> Iterator[tuple[str, pa.Schema]]:
    """Return the schemas that inputs have before they are read."""
    refs = [number for number, source in enumerate(sources) if isinstance(source, ray.ObjectRef)]
    found = dict(zip(refs, tasks.run(schema_of, ((sources[n],) for n in refs)), strict=True))
    for number, source in enumerate(sources):
        schema = found[number] if number in found else schema_of(source)
        if schema is not None:
            yield f"input {number}", schema


class _Tasks:
    """Tasks in flight, up to a number. Owned by one thread."""

    def __init__(self, limit: int, options: dict[str, Any]) -> None:
        self._limit = limit
        self._options = options
        self._running: list[Any] = []

    def __enter__(self) -> _Tasks:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for running tasks, so that none commits a blob after the release.

        Cancelling tasks would be faster, but a task that ends meanwhile makes Ray 2.60 end the
        driver's process ("Tried to complete task that was not pending").
        """
        if self._running:
            ray.wait(self._running, num_returns=len(self._running), timeout=None)
        self._running = []

    def run(self, function: Any, arguments: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Run a function with each of the arguments, and return the results in order."""
        remote: Any = ray.remote(function)
        if self._options:
            remote = remote.options(**self._options)
        for each in arguments:
            self._running.append(remote.remote(*each))
            if len(self._running) >= self._limit:
                yield self._first()
        while self._running:
            yield self._first()

    def _first(self) -> Any:
        result = ray.get(self._running[0])
        del self._running[0]
        return result
