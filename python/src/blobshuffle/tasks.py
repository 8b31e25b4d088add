"""The tasks of a shuffle, which an engine runs in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from blobshuffle.arrow import Codec
from blobshuffle.reader import read
from blobshuffle.ref import Ref, select
from blobshuffle.schemas import fitted, unified
from blobshuffle.store import Store, StoreLike, checked_name, open_store
from blobshuffle.writer import DEFAULT_MEMORY, ShuffleWriter

Rows = pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch]
"""Arrow rows: a table, a batch, or an iterable of them, such as a `RecordBatchReader`."""

Input = Rows | Callable[[], Rows]
"""The rows of a map, or a function that its worker calls for them."""

Result = TypeVar("Result")

Reduce = Callable[[pa.RecordBatchReader, int], Result]
"""A function that a worker calls with the rows and the number of a partition."""

MAX_ATTEMPTS = 3
"""Number of runs of a task that loses its worker each time."""

LEASE_SECONDS = 600.0
"""How long blobs outlive a driver that dies."""


@dataclass(frozen=True)
class Plan:
    """The settings that all tasks of a shuffle share. Picklable."""

    store: Store
    shuffle: str
    maps: int
    partitions: int
    keys: tuple[str, ...]
    codec: Codec = "lz4"
    memory: int = DEFAULT_MEMORY
    schema: pa.Schema | None = None
    """The schema to which maps cast rows; None if no input has a schema before it is read."""


class Written(NamedTuple):
    """The blob of a map, and the schema of its rows: without columns if it had no batch."""

    ref: Ref
    schema: pa.Schema


class Whole(NamedTuple):
    """One ref for each map, and the schema that their rows are read with."""

    refs: list[Ref]
    schema: pa.Schema


def plan(
    store: StoreLike,
    shuffle: str,
    maps: int,
    partitions: int,
    keys: str | Sequence[str],
    codec: Codec,
    memory: int,
) -> Plan:
    """Check arguments. Raises `ValueError` for illegal ones."""
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    if not names or maps < 1 or partitions < 1:
        raise ValueError(
            f"Cannot shuffle {maps} inputs into {partitions} partitions by {list(names)}: there "
            "must be at least one of each."
        )
    return Plan(open_store(store), checked_name(shuffle), maps, partitions, names, codec, memory)


def with_schema(made: Plan, schemas: Iterable[tuple[str, pa.Schema]]) -> Plan:
    """Return a plan that casts rows to a common schema of all known ones.

    Raises `SchemaMismatch`, which names the column, if they have nothing in common.
    """
    schema = unified(schemas)
    return replace(made, schema=schema if len(schema) else None)


def schema_of(rows: Any) -> pa.Schema | None:
    """Return the schema of an input, or None if it has none before it is read."""
    if callable(rows):
        return None
    return getattr(rows, "schema", None)


def write_map(plan: Plan, number: int, attempt: int, source: Input) -> Written:
    """Write the rows of one map."""
    rows: Any = source() if callable(source) else source
    batches: Any = [rows] if isinstance(rows, (pa.Table, pa.RecordBatch)) else rows
    what = f"input {number}"
    schema: pa.Schema = plan.schema or getattr(rows, "schema", None) or pa.schema([])
    # A blob needs a column, even if its map has none.
    stored = schema if len(schema) else pa.schema([(key, pa.null()) for key in plan.keys])
    writer = _writer(plan, number, attempt, stored if len(schema) else None)
    try:
        for batch in batches:
            if not batch.num_columns and not batch.num_rows:
                continue
            if not len(schema):
                schema = batch.schema
            for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
                writer.write(fitted(part, schema, what), keys=plan.keys)
        if not len(schema):
            writer.close()
            writer = _writer(plan, number, attempt, stored)
        return Written(writer.commit(), schema)
    finally:
        writer.close()


def _writer(plan: Plan, number: int, attempt: int, schema: pa.Schema | None) -> ShuffleWriter:
    return ShuffleWriter(
        plan.store,
        shuffle=plan.shuffle,
        map=number,
        attempt=attempt,
        maps=plan.maps,
        partitions=plan.partitions,
        codec=plan.codec,
        memory=plan.memory,
        schema=schema,
    )


def whole(plan: Plan, written: Iterable[Written]) -> Whole:
    """Return refs and schema for readers. Raises `IncompleteShuffle` or `SchemaMismatch`."""
    each = list(written)
    schema = unified((f"input {map.ref.map}", map.schema) for map in each)
    return Whole(select((map.ref for map in each), plan.maps), schema)


def reduce_range(
    plan: Plan, maps: Whole, numbers: range, reduce: Callable[..., Any] | None
) -> list[Any]:
    """Return the results of `reduce` for the partitions of a range; without it, their tables."""
    results: list[Any] = []
    for number in numbers:
        with read(maps.refs, number, store=plan.store, schema=maps.schema) as reader:
            results.append(table(reader) if reduce is None else reduce(reader, number))
    return results


def table(rows: pa.RecordBatchReader) -> pa.Table:
    """Return rows as a table, in which each dictionary column has one dictionary."""
    data = rows.read_all()
    try:
        return data.unify_dictionaries()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        # Arrow cannot join dictionaries of this type, or not with so narrow an index.
        return data


def ranges(partitions: int, size: int) -> list[range]:
    """Divide partitions into adjacent ranges of a size."""
    return [range(at, min(at + size, partitions)) for at in range(0, partitions, size)]


def range_size(partitions: int, workers: int, wanted: int | None) -> int:
    """Return how many partitions a task reduces: about four tasks for each worker.

    Raises `ValueError` if fewer than one is wanted.
    """
    if wanted is None:
        return max(1, partitions // (4 * workers))
    if wanted < 1:
        raise ValueError(f"Cannot reduce {wanted} partitions in a task: at least 1.")
    return wanted
