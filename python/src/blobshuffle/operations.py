"""Joins, aggregations and sorts of shuffles or of rows, within memory.

Each returns a `pyarrow.RecordBatchReader` and begins when its first batch is read. Rows that are
not refs of a shuffle are written to one first, which is deleted when the reader is exhausted or
dropped.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from blobshuffle.aggregates import Aggregates
from blobshuffle.failure import SchemaMismatch
from blobshuffle.joins import How, Join, JoinPlan
from blobshuffle.keys import partition_ids
from blobshuffle.ordered_aggregates import aggregation, aggregation_plan
from blobshuffle.reader import blobs
from blobshuffle.ref import Ref
from blobshuffle.rows import ROW_BYTES
from blobshuffle.schemas import unified
from blobshuffle.scratch import Shuffled, scratch, shuffled
from blobshuffle.sorts import Direction, NullPlacement, Sort, SortPlan
from blobshuffle.store import Store, StoreLike, open_store
from blobshuffle.tasks import Input
from blobshuffle.writer import DEFAULT_MEMORY

__all__ = ["aggregate", "join", "sort"]

Operand = Input | Sequence[Input] | Sequence[Ref]
"""Refs of a whole shuffle, or rows: a table, batch or reader, a function for them, or several."""

MIN_OPERATION_MEMORY = 16 << 20
DEFAULT_PARTITIONS = 64


def join(
    left: Operand,
    right: Operand,
    on: str | Sequence[str],
    *,
    right_on: str | Sequence[str] | None = None,
    how: How = "inner",
    suffix: str = "_right",
    store: StoreLike | None = None,
    partitions: int | None = None,
    memory: int = DEFAULT_MEMORY,
) -> pa.RecordBatchReader:
    """Join two sides by keys.

    `on` names the keys, on the right `right_on` if they have other names there. `how` is inner,
    left, right, full, semi or anti; semi and anti return left rows. The result has the columns of
    the left side, then those of the right; a key of the same name is there once. A right column
    whose name is taken gets `suffix`. Keys of different types are equal by value, and null and NaN
    match nothing. Rows come in no order.

    A side is refs of a shuffle that was written with `keys=on`, or rows, which are written to
    `store` in as many `partitions`. `memory` are the bytes that the join holds: a partition that
    needs more is divided or read several times. Two sides of refs need equal numbers of
    partitions.

    Raises `SchemaMismatch` at once if keys are not comparable, `ValueError` or `KeyError` for
    illegal arguments, `IncompleteShuffle` if refs were partitioned otherwise, and what `read` and
    `ShuffleWriter` raise.
    """
    _require_memory(memory)
    sides = (_Operand(left, store), _Operand(right, store))
    names = _names(on)
    others = names if right_on is None else _names(right_on)
    plan = JoinPlan(sides[0].schema, sides[1].schema, names, others, how, suffix)
    place = _store_of(sides, store)
    count = _partitions(sides, partitions)

    def batches(stack: contextlib.ExitStack) -> Iterator[pa.RecordBatch]:
        made = [
            stack.enter_context(side.shuffled(place, keys, count, memory))
            for side, keys in zip(sides, (names, others), strict=True)
        ]
        work = Join(plan, made[0], made[1], memory, place)
        for number in range(count):
            yield from work.partition(number, are_keys_verified=not any(s.refs for s in sides))

    return _reader(plan.schema, batches)


def aggregate(
    rows: Operand,
    keys: str | Sequence[str],
    aggregates: Aggregates,
    *,
    store: StoreLike | None = None,
    partitions: int | None = None,
    memory: int = DEFAULT_MEMORY,
) -> pa.RecordBatchReader:
    """Aggregate rows by keys.

    `aggregates` are the columns of the result: `{"total": ("amount", "sum")}`. Functions are sum,
    mean, count (of values), size (of rows, any column), min, max, any, all, first, last, var and
    std (of a sample), var_pop, std_pop, count_distinct, median, quantile (`("amount", "quantile",
    0.9)`) and list; all but size and list skip nulls. The result has the keys, then these, one row
    for each key, in no order. Null is a key, NaN another, and 0.0 and -0.0 are one.

    `rows` are refs of a shuffle that was written with `keys=keys`, or rows, whose partial results
    are written to `store` in as many `partitions`. With count_distinct, median, quantile or list
    the rows themselves are written. `memory` are the bytes that the aggregation holds; groups that
    need more are divided by another shuffle, or sorted by one.

    Raises `ValueError` if a sum of integers is too large for its type, and what `join` raises.
    """
    _require_memory(memory)
    side = _Operand(rows, store)
    names = _names(keys)
    plan = aggregation_plan(side.schema, names, aggregates)
    place = _store_of([side], store)
    work = aggregation(plan, memory, place)

    def batches(stack: contextlib.ExitStack) -> Iterator[pa.RecordBatch]:
        if side.refs:
            own = stack.enter_context(side.shuffled(place, names, side.partitions, memory))
            for number in range(own.partitions):
                yield from work.rows(own, number)
            return
        count = partitions or DEFAULT_PARTITIONS
        written_keys = plan.written_keys
        written = scratch(
            place,
            work.written(side.batches()),
            plan.written_schema,
            lambda batch: partition_ids(batch, written_keys, count),
            count,
            memory // 2,
        )
        made = stack.enter_context(written)
        for number in range(count):
            yield from work.merged(made, number)

    return _reader(plan.schema, batches)


def sort(
    rows: Operand,
    by: str | Sequence[str | tuple[str, Direction]],
    *,
    null_placement: NullPlacement = "at_end",
    store: StoreLike | None = None,
    memory: int = DEFAULT_MEMORY,
) -> pa.RecordBatchReader:
    """Sort rows by columns: names, or pairs of a name and `ascending` or `descending`.

    Rows with equal keys keep their order: that of the rows, or for refs partition by partition and
    map by map. Nulls are at the end, or with `null_placement="at_start"` at the start; NaN is next
    to them, in both directions, and -0.0 equals 0.0. Strings are compared by their bytes.

    `rows` are refs of a shuffle, or rows, which are written to `store` first. `memory` are the
    bytes that the sort holds. If the rows need more, they are written again by ranges of their
    keys, which come from a sample.

    Raises what `join` raises.
    """
    _require_memory(memory)
    side = _Operand(rows, store)
    pairs: list[tuple[str, Direction]] = [
        (each, "ascending") if isinstance(each, str) else each
        for each in ([by] if isinstance(by, str) else by)
    ]
    plan = SortPlan(side.schema, pairs, null_placement)
    place = _store_of([side], store)
    work = Sort(plan, memory, place)

    def batches(stack: contextlib.ExitStack) -> Iterator[pa.RecordBatch]:
        made = stack.enter_context(side.shuffled(place, None, 1, memory))
        cost = int(made.sizes.bytes.sum() + ROW_BYTES * made.sizes.rows.sum())

        def read() -> Iterator[pa.RecordBatch]:
            for number in range(made.partitions):
                yield from made.read(number)

        yield from work.rows(read, cost)

    return _reader(plan.schema, batches)


def _reader(
    schema: pa.Schema, batches: Callable[[contextlib.ExitStack], Iterator[pa.RecordBatch]]
) -> pa.RecordBatchReader:
    """Return batches as a reader. What they have opened is closed when the reader ends."""

    def generate() -> Iterator[pa.RecordBatch]:
        with contextlib.ExitStack() as stack:
            yield from batches(stack)

    return pa.RecordBatchReader.from_batches(schema, generate())


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _require_memory(memory: int) -> None:
    if memory < MIN_OPERATION_MEMORY:
        raise ValueError(
            f"Cannot work with {memory} bytes of memory: at least {MIN_OPERATION_MEMORY}."
        )


def _store_of(sides: Iterable[_Operand], store: StoreLike | None) -> Store:
    if store is not None:
        return open_store(store)
    for side in sides:
        for ref in side.refs:
            if ref.store is not None:
                return open_store(ref.store)
    raise ValueError(
        "Cannot shuffle rows: there is no store. Pass store, a directory or a URI for the blobs."
    )


def _partitions(sides: Sequence[_Operand], wanted: int | None) -> int:
    known = {side.partitions for side in sides if side.refs}
    if len(known) > 1 or (known and wanted not in (None, *known)):
        raise ValueError(
            f"Cannot join shuffles of {sorted(known)} partitions in {wanted or 'as many'}: write "
            "both sides with one number of partitions, or pass rows."
        )
    if wanted is not None and wanted < 1:
        raise ValueError(f"Cannot shuffle into {wanted} partitions: at least 1.")
    return known.pop() if known else wanted or DEFAULT_PARTITIONS


class _Operand:
    """A side of an operation: refs, or rows that are read once. Owned by one thread."""

    def __init__(self, operand: Any, store: StoreLike | None) -> None:
        one = isinstance(operand, (pa.Table, pa.RecordBatch, pa.RecordBatchReader))
        given: list[Any] = [operand] if one or callable(operand) else list(operand)
        self.refs: list[Ref] = [each for each in given if isinstance(each, Ref)]
        self._inputs: list[Any] = []
        self._store: Store | None = None
        if self.refs:
            if len(self.refs) < len(given):
                raise ValueError("Cannot use refs and rows together as one side.")
            if store is not None and self.refs[0].store is None:
                self._store = open_store(store)
            self.schema = blobs(self.refs, None, self._store)[0].index().schema
            return
        self._inputs = [each() if callable(each) else each for each in given]
        schemas = [(f"input {n}", _schema(each)) for n, each in enumerate(self._inputs)]
        self.schema = unified(schemas)
        if not len(self.schema):
            raise SchemaMismatch(
                "Cannot use rows without columns: pass at least one input that has a schema."
            )

    @property
    def partitions(self) -> int:
        """The number of partitions of the refs."""
        return self.refs[0].partitions

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Return the rows, once."""
        for each in self._inputs:
            if isinstance(each, pa.RecordBatch):
                yield each
            elif isinstance(each, pa.Table):
                yield from each.to_batches()
            else:
                for part in each:
                    yield from part.to_batches() if isinstance(part, pa.Table) else [part]

    @contextlib.contextmanager
    def shuffled(
        self, store: Store, keys: list[str] | None, partitions: int, memory: int
    ) -> Iterator[Shuffled]:
        """Return the rows as a shuffle by keys, or of one partition without keys."""
        if self.refs:
            yield shuffled(self.refs, self.schema, self._store)
            return
        with scratch(
            store,
            self.batches(),
            self.schema,
            lambda batch: partition_ids(batch, keys, partitions) if keys else _zeros(batch),
            partitions,
            memory // 2,
        ) as made:
            yield made


def _zeros(batch: pa.RecordBatch) -> Any:
    return pa.array(np.zeros(batch.num_rows, np.uint32))


def _schema(rows: Any) -> pa.Schema:
    schema = getattr(rows, "schema", None)
    if schema is None:
        raise ValueError(
            f"Cannot use {type(rows).__name__} as rows: pass refs, tables, batches, a "
            "RecordBatchReader, or functions that return them."
        )
    return schema
