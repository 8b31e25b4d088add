"""Shuffles of Ray Datasets: each function takes datasets and returns one. Needs `ray`.

The maps run when a function is called: the tasks that make a dataset's blocks also write them to
blobs, so rows stay out of Ray's object store. The dataset that is returned reads the blobs, a
partition at a time, when Ray runs its tasks. Blobs live as long as that dataset, or one that was
made from it, is in the driver's memory.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import ray
import ray.data
from ray.data.block import BlockAccessor, BlockMetadata

from blobshuffle.aggregates import Aggregates, require_names
from blobshuffle.arrow import Codec
from blobshuffle.columns import size_of
from blobshuffle.failure import IncompleteShuffle
from blobshuffle.joins import How, Join, JoinPlan
from blobshuffle.keys import partition_ids
from blobshuffle.lifecycle import releasing
from blobshuffle.ordered_aggregates import AnyPlan, aggregation, aggregation_plan
from blobshuffle.reader import opened
from blobshuffle.ref import Ref
from blobshuffle.rows import BATCH_BYTES, ROW_BYTES, no_batch, prepared
from blobshuffle.schemas import cast, filled, unified, with_all_columns, with_types_of
from blobshuffle.scratch import Shuffled
from blobshuffle.sizes import sizes_of
from blobshuffle.sorts import Direction, NullPlacement, Ranges, Sample, Sort, SortPlan, groups
from blobshuffle.store import Store, StoreLike, new_shuffle, open_store
from blobshuffle.tasks import LEASE_SECONDS, range_size, ranges
from blobshuffle.writer import DEFAULT_MEMORY, ShuffleWriter

__all__ = ["Grouped", "groupby", "join", "repartition", "sort"]

_BLOBS = 1 << 20
"""The numbers of maps that a task has: it needs one for each blob."""

_TABLE_BYTES = 8 * BATCH_BYTES
"""About how many bytes of rows a task returns at a time."""


@dataclass(frozen=True)
class _Spec:
    """How tasks write and read: picklable."""

    store: Store
    codec: Codec
    memory: int
    options: Mapping[str, Any]


class _Map(NamedTuple):
    """A blob of a task, the schema of its rows, and a sample of its keys.

    The first of a task also has the different schemas of its blocks without rows.
    """

    ref: Ref
    schema: pa.Schema
    sample: pa.RecordBatch | None = None
    without_rows: tuple[pa.Schema, ...] = ()


def repartition(
    dataset: Any,
    partitions: int,
    keys: str | Sequence[str] | None = None,
    *,
    store: StoreLike,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Return a dataset of as many partitions: rows of equal keys are in one.

    Without keys, rows are dealt out evenly. Each partition is a task of the dataset that is
    returned, and one block unless it is larger than Ray's largest block. `options` are those of
    Ray's tasks, such as `num_cpus`. Raises what a task raises, with `ray.exceptions.RayTaskError`
    as its type too.
    """
    _require(partitions)
    spec = _spec(store, codec, memory, options)
    names = None if keys is None else _names(keys)
    with contextlib.ExitStack() as stack:
        made = _shuffled(stack, spec, dataset, _Writing(spec, partitions, names))
        if made is None:
            return ray.data.from_items([])
        tasks = [
            _task(made, [number], functools.partial(_rows, made.shared, number))
            for number in range(partitions)
        ]
        return _dataset(stack, spec, tasks)


def sort(
    dataset: Any,
    by: str | Sequence[str | tuple[str, Direction]],
    *,
    store: StoreLike,
    null_placement: NullPlacement = "at_end",
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Return a dataset in the order of columns, as `blobshuffle.sort` does.

    The rows are written twice: as they come, with a sample of their keys, then by ranges of the
    keys. Rows with equal keys have the order in which Ray runs the tasks of the dataset. Ray keeps
    the order of blocks of the dataset that is returned.
    """
    spec = _spec(store, codec, memory, options)
    pairs: list[tuple[str, Direction]] = [
        (each, "ascending") if isinstance(each, str) else each
        for each in ([by] if isinstance(by, str) else by)
    ]
    with contextlib.ExitStack() as own, contextlib.ExitStack() as stack:
        staged = _shuffled(own, spec, dataset, _Writing(spec, 1, None, pairs, null_placement))
        if staged is None:
            return ray.data.from_items([])
        plan = SortPlan(staged.rows.schema, pairs, null_placement)
        cost = int(staged.rows.sizes.bytes.sum() + ROW_BYTES * staged.rows.sizes.rows.sum())
        count = Sort(plan, memory, spec.store).range_count(cost)
        cpus = int(ray.cluster_resources().get("CPU", 1))
        bounds = Ranges(plan, staged.samples, max(count, min(cpus, count * cpus)))
        name = stack.enter_context(_leased(spec))
        writing = _Writing(spec, len(bounds), None, shuffle=name)
        maps = range(len(staged.rows.refs))
        written = [
            _remote(_write_ranges, spec).remote(writing, staged.shared, plan, bounds, number)
            for number in maps
        ]
        made = _whole(spec, ray.get(written))
        tasks = [
            _task(made, [n], functools.partial(_sorted, made.shared, spec, plan, bounds, n))
            for n in range(len(bounds))
        ]
        return _dataset(stack, spec, tasks)


def groupby(
    dataset: Any,
    keys: str | Sequence[str],
    *,
    store: StoreLike,
    partitions: int,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    options: Mapping[str, Any] | None = None,
) -> Grouped:
    """Return groups of rows of equal keys, to aggregate or to map. Nothing runs before that."""
    _require(partitions)
    names = _names(keys)
    require_names(names, {})
    return Grouped(dataset, names, partitions, _spec(store, codec, memory, options))


class Grouped:
    """Rows of a dataset, grouped by keys. Null is a key, and NaN another."""

    def __init__(self, dataset: Any, keys: list[str], partitions: int, spec: _Spec) -> None:
        self._dataset = dataset
        self._keys = keys
        self._partitions = partitions
        self._spec = spec

    def aggregate(self, aggregates: Aggregates) -> Any:
        """Return a dataset with a row for each key, as `blobshuffle.aggregate` does.

        Each map aggregates its rows before it writes them, unless a function needs all rows of a
        key, as count_distinct, median, quantile and list do.
        """
        require_names(self._keys, aggregates)
        spec = self._spec
        with contextlib.ExitStack() as stack:
            writing = _Writing(spec, self._partitions, self._keys, aggregates=dict(aggregates))
            made = _shuffled(stack, spec, self._dataset, writing)
            if made is None:
                return ray.data.from_items([])
            plan = aggregation_plan(made.inputs, self._keys, aggregates)
            states = made.with_schema(plan.written_schema)
            tasks = [
                _task(states, part, functools.partial(_merged, states.shared, spec, plan, part))
                for part in _parts(self._partitions)
            ]
            return _dataset(stack, spec, tasks)

    def map_groups(self, function: Callable[[Any], Any], *, batch_format: str = "pyarrow") -> Any:
        """Return a dataset of what a function returns for the rows of each key.

        The function takes and returns a batch of Ray: `pyarrow`, `pandas` or `numpy`. It may yield
        several. A task holds the rows of one key, and `memory` besides.
        """
        spec = self._spec
        with contextlib.ExitStack() as stack:
            made = _shuffled(
                stack, spec, self._dataset, _Writing(spec, self._partitions, self._keys)
            )
            if made is None:
                return ray.data.from_items([])
            plan = SortPlan(made.rows.schema, [(key, "ascending") for key in self._keys], "at_end")
            tasks = [
                _task(
                    made,
                    part,
                    functools.partial(
                        _mapped, made.shared, spec, plan, part, function, batch_format
                    ),
                )
                for part in _parts(self._partitions)
            ]
            return _dataset(stack, spec, tasks)


def join(
    left: Any,
    right: Any,
    on: str | Sequence[str],
    *,
    store: StoreLike,
    partitions: int,
    right_on: str | Sequence[str] | None = None,
    how: How = "inner",
    suffix: str = "_right",
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Return a dataset of the rows of two that have equal keys, as `blobshuffle.join` does.

    A partition whose left side is larger than `memory` is joined by several tasks, of which each
    reads a part of the left side and all of the right; not for right and full joins.
    """
    _require(partitions)
    spec = _spec(store, codec, memory, options)
    names = _names(on)
    others = names if right_on is None else _names(right_on)
    with contextlib.ExitStack() as stack:
        one = _shuffled(stack, spec, left, _Writing(spec, partitions, names))
        other = _shuffled(stack, spec, right, _Writing(spec, partitions, others))
        if one is None or other is None:
            _require_no_rows(one is None, how)
            return ray.data.from_items([])
        plan = JoinPlan(one.rows.schema, other.rows.schema, names, others, how, suffix)
        tasks: list[_Task] = []
        for numbers in _parts(partitions):
            pieces = [(n, part) for n in numbers for part in _split(one, other, plan, n, memory)]
            is_whole = all(part is None for _, part in pieces)
            for some in [pieces] if is_whole else [[piece] for piece in pieces]:
                read = functools.partial(_joined, one.shared, other.shared, spec, plan, some)
                tasks.append(_task(one, [number for number, _ in some], read))
        return _dataset(stack, spec, tasks)


def _require_no_rows(is_left: bool, how: How) -> None:
    """Require that a join with a side without rows and schema has no rows."""
    if how not in (("inner", "left", "semi", "anti") if is_left else ("inner", "right", "semi")):
        side = "left" if is_left else "right"
        raise ValueError(
            f"Cannot join {how!r}: the {side} dataset has no rows, and its schema is unknown. Make "
            "it of blocks with columns, such as ray.data.from_arrow of an empty table."
        )


def _split(
    left: _Made, right: _Made, plan: JoinPlan, number: int, memory: int
) -> list[range] | list[None]:
    """Return the parts of the left side that tasks join; None is all of it."""
    size, other = (int(made.rows.sizes.bytes[number]) for made in (left, right))
    if plan.kind.right_alone or size <= memory or other > size:
        return [None]
    parts = left.rows.parts(number, memory)
    return parts if len(parts) > 1 else [None]


def _require(partitions: int) -> None:
    if partitions < 1:
        raise ValueError(f"Cannot shuffle into {partitions} partitions: at least 1.")


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _spec(store: StoreLike, codec: Codec, memory: int, options: Mapping[str, Any] | None) -> _Spec:
    return _Spec(open_store(store), codec, memory, dict(options or {}))


def _leased(spec: _Spec) -> Any:
    return releasing(spec.store, new_shuffle("ray"), lease=LEASE_SECONDS)


def _remote(function: Any, spec: _Spec) -> Any:
    remote: Any = ray.remote(function)
    return remote.options(**spec.options) if spec.options else remote


def _parts(partitions: int) -> list[range]:
    cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
    return ranges(partitions, range_size(partitions, cpus, None))


# The map side.


@dataclass(frozen=True)
class _Writing:
    """What a map does with its rows: picklable."""

    spec: _Spec
    partitions: int
    keys: list[str] | None
    by: list[tuple[str, Direction]] | None = None
    null_placement: NullPlacement = "at_end"
    aggregates: Aggregates | None = None
    shuffle: str = ""

    def write(self, task: int, batches: Iterable[pa.RecordBatch]) -> list[_Map]:
        """Write the rows of a task: a blob, and one more for each block that widens the schema."""
        found = (self._with_keys(batch, task) for batch in batches if batch.num_columns)
        runs = _runs(found, f"block of map {task}")
        numbers = itertools.count(task * _BLOBS)
        if maps := [self._map(next(numbers), schema, rows) for schema, rows in runs]:
            return maps
        # A blob needs a column, even if its task has none.
        stub = pa.schema([("stub", pa.null())])
        return [_Map(self._written(next(numbers), stub, [], None), pa.schema([]))]

    def _map(self, number: int, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> _Map:
        if self.aggregates is not None:
            return self._states(number, schema, batches)
        sample = None if self.by is None else self._sample(schema)
        ref = self._written(number, schema, _sampled(batches, sample), self.keys)
        return _Map(ref, schema, None if sample is None else sample.keys())

    def _with_keys(self, batch: pa.RecordBatch, task: int) -> pa.RecordBatch:
        for key in [*(self.keys or []), *(name for name, _ in self.by or [])]:
            if key not in batch.schema.names:
                raise KeyError(
                    f"Cannot shuffle by {key!r}: a block of map {task} has the columns "
                    f"{batch.schema.names}."
                )
        return batch

    def _states(self, number: int, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> _Map:
        assert self.aggregates is not None
        assert self.keys is not None
        # A column that this map lacks may be in others.
        inputs = [(name, pa.schema([(name, pa.null())])) for name, *_ in self.aggregates.values()]
        wide = unified(with_all_columns([("the rows", schema), *inputs])[:1])
        plan = aggregation_plan(wide, self.keys, self.aggregates)
        rows = (filled(batch, wide, f"map {number}") for batch in batches)
        states = aggregation(plan, self.spec.memory, self.spec.store).written(rows)
        return _Map(self._written(number, plan.written_schema, states, plan.written_keys), schema)

    def _sample(self, schema: pa.Schema) -> Sample:
        assert self.by is not None
        return Sample(SortPlan(schema, self.by, self.null_placement))

    def _written(
        self,
        number: int,
        schema: pa.Schema,
        batches: Iterable[pa.RecordBatch],
        keys: list[str] | None,
    ) -> Ref:
        with self.writer(number, schema) as writer:
            at = sum(divmod(number, _BLOBS))
            for batch in batches:
                if keys is None:
                    writer.write(batch, (np.arange(batch.num_rows) + at) % self.partitions)
                    at += batch.num_rows
                else:
                    writer.write(batch, partition_ids(batch, keys, self.partitions))
            return writer.commit()

    def writer(self, number: int, schema: pa.Schema) -> ShuffleWriter:
        """Begin the blob of a map."""
        return ShuffleWriter(
            self.spec.store,
            shuffle=self.shuffle,
            map=number,
            partitions=self.partitions,
            schema=schema,
            codec=self.spec.codec,
            memory=self.spec.memory,
        )


def _runs(
    batches: Iterator[pa.RecordBatch], what: str
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """Divide batches into runs of one schema, that of the batches before it or a wider one.

    Read a run to its end before the next. Raises `SchemaMismatch` if no schema holds a batch and
    those before it.
    """
    schema = pa.schema([])
    ahead = next(batches, None)

    def run() -> Iterator[pa.RecordBatch]:
        nonlocal ahead
        while ahead is not None and _wider(schema, ahead.schema, what).equals(schema):
            yield filled(ahead, schema, what)
            ahead = next(batches, None)

    while ahead is not None:
        schema = _wider(schema, ahead.schema, what)
        yield schema, run()


def _wider(schema: pa.Schema, other: pa.Schema, what: str) -> pa.Schema:
    if other.equals(schema):
        return schema
    return unified(with_all_columns([("earlier blocks", schema), (what, other)]))


def _sampled(batches: Iterator[pa.RecordBatch], sample: Sample | None) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if sample is not None:
            sample.add(batch)
        yield batch


class _BlobsDatasink(ray.data.Datasink[Any]):
    """Writes the blocks of tasks as blobs."""

    def __init__(self, writing: _Writing) -> None:
        self._writing = writing
        self.maps: list[_Map] = []
        self.rows = 0

    def write(self, blocks: Iterable[Any], ctx: Any) -> list[_Map]:
        without_rows: list[pa.Schema] = []
        first, *others = self._writing.write(ctx.task_idx, _batches(blocks, without_rows))
        return [first._replace(without_rows=tuple(without_rows)), *others]

    def on_write_complete(self, write_result: Any) -> None:
        self.maps = list(itertools.chain.from_iterable(write_result.write_returns))
        self.rows = write_result.num_rows


def _batches(blocks: Iterable[Any], without_rows: list[pa.Schema]) -> Iterator[pa.RecordBatch]:
    """Return the rows of blocks, and add the schemas of those that have none to a list."""
    for block in blocks:
        rows = BlockAccessor.for_block(block).to_arrow()
        if rows.num_rows:
            yield from rows.to_batches()
        elif rows.num_columns and not any(rows.schema.equals(each) for each in without_rows):
            without_rows.append(rows.schema)


@dataclass(frozen=True)
class _Made:
    """A shuffle that maps have written: where its rows are, and the schema of the maps' inputs."""

    rows: Shuffled
    inputs: pa.Schema
    samples: list[pa.RecordBatch]
    shared: Any

    def with_schema(self, schema: pa.Schema) -> _Made:
        rows = self.rows._replace(schema=schema, convert=cast)
        return _Made(rows, self.inputs, self.samples, ray.put(rows))


def _shuffled(
    stack: contextlib.ExitStack, spec: _Spec, dataset: Any, writing: _Writing
) -> _Made | None:
    """Run the maps; return None for no rows of an unknown schema, as a filter leaves them.

    The stack deletes what they have written.
    """
    name = stack.enter_context(_leased(spec))
    writing = replace(writing, shuffle=name)
    sink = _BlobsDatasink(writing)
    dataset.write_datasink(sink, ray_remote_args=dict(spec.options) or None)
    maps = sink.maps
    found = sum(each.ref.rows for each in maps)
    if writing.aggregates is None and found != sink.rows:
        raise IncompleteShuffle(
            f"Cannot shuffle a dataset: its tasks had {sink.rows} rows, and the blobs of its "
            f"{len(maps)} maps have {found}. Run it again."
        )
    if not any(len(each.schema) for each in maps):
        schema = _schema_without_rows(dataset, maps)
        if schema is None:
            return None
        maps += writing.write(len(maps), [no_batch(schema)])
    return _whole(spec, maps)


def _schema_without_rows(dataset: Any, maps: Sequence[_Map]) -> pa.Schema | None:
    """Return the schema of blocks without rows. If there are none, Ray may know one."""
    found = [schema for each in maps for schema in each.without_rows]
    if found:
        return with_types_of(found[0], found[1:])
    schema = dataset.schema()
    if schema is None or not schema.names:
        return None
    base = schema.base_schema
    if isinstance(base, pa.Schema):
        return base
    return pa.Schema.from_pandas(base.empty, preserve_index=False)


def _whole(spec: _Spec, maps: Sequence[_Map]) -> _Made:
    rows, inputs = _rows_of(spec, maps)
    samples = [each.sample for each in maps if each.sample is not None]
    return _Made(rows, inputs, samples, ray.put(rows))


def _rows_of(spec: _Spec, maps: Sequence[_Map]) -> tuple[Shuffled, pa.Schema]:
    """Return the rows of maps, and the schema of their inputs.

    A column that a map lacks is null in its rows, as Ray has it. One without values has the type
    that blocks without rows name.
    """
    named = ((f"map {each.ref.map // _BLOBS}", each.schema) for each in maps)
    without_rows = (schema for each in maps for schema in each.without_rows)
    inputs = with_types_of(unified(with_all_columns(named)), without_rows)
    refs = sorted((each.ref for each in maps), key=lambda ref: ref.map)
    tasks = sorted({ref.map // _BLOBS for ref in refs})
    if tasks != list(range(len(tasks))):
        raise IncompleteShuffle(f"Cannot shuffle a dataset: of its tasks only {tasks} have ended.")
    sizes = sizes_of(opened(refs, spec.store))
    return Shuffled(refs, inputs, spec.store, sizes, filled), inputs


def _write_ranges(
    writing: _Writing, staged: Shuffled, plan: SortPlan, bounds: Ranges, number: int
) -> _Map:
    """Write the rows of a staged map again, by ranges."""
    with writing.writer(number * _BLOBS, plan.schema) as writer:
        for batch in staged.read(0, range(number, number + 1)):
            writer.write(batch, bounds.ids(prepared(batch, plan.gathered)))
        return _Map(writer.commit(), plan.schema)


# The reduce side.


class _Task(NamedTuple):
    """What a task reads: a function that returns tables, and about how much they are."""

    read: Callable[[], Iterator[pa.Table]]
    rows: int
    bytes: int


def _task(made: _Made, partitions: Sequence[int], read: Callable[[], Iterator[pa.Table]]) -> _Task:
    rows, size = made.rows.sizes
    numbers = list(partitions)
    return _Task(read, int(rows[numbers].sum()), int(size[numbers].sum()))


class _BlobsDatasource(ray.data.Datasource):
    """The tasks that read a shuffle. The blobs are deleted when this is no longer in memory."""

    def __init__(self, tasks: list[_Task]) -> None:
        super().__init__()
        self._tasks = tasks

    def estimate_inmemory_data_size(self) -> int:
        return sum(task.bytes for task in self._tasks)

    def get_read_tasks(self, parallelism: int, *_: Any, **__: Any) -> list[Any]:
        return [
            ray.data.ReadTask(
                task.read,
                BlockMetadata(
                    num_rows=None, size_bytes=task.bytes, input_files=None, exec_stats=None
                ),
            )
            for task in self._tasks
        ]


def _dataset(stack: contextlib.ExitStack, spec: _Spec, tasks: list[_Task]) -> Any:
    source = _BlobsDatasource(tasks)
    dataset = ray.data.read_datasource(
        source,
        override_num_blocks=len(tasks),
        ray_remote_args=dict(spec.options) or None,  # pyright: ignore[reportArgumentType]
    )
    dataset.context.execution_options.preserve_order = True
    weakref.finalize(source, stack.pop_all().close)
    return dataset


def _tables(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Return batches as tables of bounded size, at least one."""
    group: list[pa.RecordBatch] = []
    size = 0
    is_first = True
    for batch in batches:
        group.append(batch)
        size += size_of(batch)
        if size >= _TABLE_BYTES:
            yield pa.Table.from_batches(group, schema)
            group, size, is_first = [], 0, False
    if group or is_first:
        yield pa.Table.from_batches(group, schema)


def _got(shared: Any) -> Shuffled:
    return ray.get(shared)


def _rows(shared: Any, number: int) -> Iterator[pa.Table]:
    rows = _got(shared)
    return _tables(rows.read(number), rows.schema)


def _sorted(
    shared: Any, spec: _Spec, plan: SortPlan, bounds: Ranges, number: int
) -> Iterator[pa.Table]:
    work = Sort(plan, spec.memory, spec.store)
    return _tables(work.range(_got(shared), bounds, number), plan.schema)


def _merged(shared: Any, spec: _Spec, plan: AnyPlan, numbers: Sequence[int]) -> Iterator[pa.Table]:
    states = _got(shared)
    work = aggregation(plan, spec.memory, spec.store)
    rows = (batch for number in numbers for batch in work.merged(states, number))
    return _tables(rows, plan.schema)


def _joined(
    left: Any,
    right: Any,
    spec: _Spec,
    plan: JoinPlan,
    pieces: Sequence[tuple[int, range | None]],
) -> Iterator[pa.Table]:
    work = Join(plan, _got(left), _got(right), spec.memory, spec.store)
    rows = (batch for number, part in pieces for batch in work.partition(number, part))
    return _tables(rows, plan.schema)


def _mapped(
    shared: Any,
    spec: _Spec,
    plan: SortPlan,
    numbers: Sequence[int],
    function: Callable[[Any], Any],
    batch_format: str,
) -> Iterator[Any]:
    rows = _got(shared)
    work = Sort(plan, spec.memory, spec.store)
    for number in numbers:
        cost = int(rows.sizes.bytes[number] + ROW_BYTES * rows.sizes.rows[number])
        ordered = work.rows(functools.partial(rows.read, number), cost)
        for group in groups(plan, ordered):
            made = function(BlockAccessor.for_block(group).to_batch_format(batch_format))
            for batch in made if isinstance(made, Iterator) else [made]:
                yield BlockAccessor.batch_to_block(batch)
