"""Rows of one schema in types that Arrow can gather, in pieces of bounded size, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.columns import gathered, gathered_field, is_decodable, restored, size_of
from blobshuffle.failure import SchemaMismatch

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

ROW_BYTES = 48
"""Bytes of memory that an operation needs for a row besides the row: indices, codes, a key."""

BATCH_BYTES = 4 << 20
BATCH_ROWS = 64 << 10
"""The most that a batch of a result has, unless one row has more."""


def memory_of(batch: pa.RecordBatch | pa.Table) -> int:
    """Return the bytes of memory that an operation needs to hold a batch."""
    return size_of(batch) + ROW_BYTES * batch.num_rows


def gathered_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema in which rows are gathered. Raises `TypeError`, which names a column."""
    return pa.schema([gathered_field(field) for field in schema])


def no_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows, also of types that Arrow cannot make of Python objects."""
    return pa.RecordBatch.from_arrays(no_rows(schema, 0), schema=schema)


def prepared(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch in the types in which it can be gathered."""
    if batch.schema.equals(schema):
        return batch
    columns = [
        gathered(column, field.type) for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return batches as one.

    If dictionaries do not fit into one, their columns become plain. Raises `SchemaMismatch` if
    Arrow cannot join a nested or ordered dictionary.
    """
    if len(batches) == 1:
        return batches[0]
    try:
        return pa.concat_batches(batches)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    try:
        return pa.concat_batches([_plain(batch) for batch in batches])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as failure:
        raise SchemaMismatch(
            f"Cannot join batches of {batches[0].schema.names}: {failure}. Cast dictionaries that "
            "are ordered, or inside other types, to their values."
        ) from None


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [plain(column) if is_decodable(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def plain(column: Any) -> Any:
    """Return a dictionary column as its values, other columns as they are."""
    if pa.types.is_dictionary(column.type):
        return column.dictionary.take(column.indices)
    return column


def wide_decimals(column: Any) -> Any:
    """Return decimals of 32 and 64 bits with 128: Arrow does not encode them, nor order them."""
    types = pa.types
    if types.is_decimal32(column.type) or types.is_decimal64(column.type):
        return column.cast(pa.decimal128(column.type.precision, column.type.scale))
    return column


def canonical(column: Any) -> Any:
    """Return a column as plain values, in which zeros are one value and NaNs too."""
    column = plain(column)
    if not pa.types.is_floating(column.type):
        return column
    positive = _compute.add(column, pa.scalar(0.0).cast(column.type))
    not_a_number = pa.scalar(float("nan")).cast(column.type)
    return _compute.if_else(_compute.is_nan(positive), not_a_number, positive)


def pieces(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, max_memory: int
) -> Iterator[pa.RecordBatch]:
    """Return prepared rows in pieces of about `max_memory` bytes, more only if a row has more."""
    group: list[pa.RecordBatch] = []
    size = 0
    for whole in batches:
        for batch in _slices(prepared(whole, schema), max_memory):
            own = memory_of(batch)
            if group and size + own > max_memory:
                yield joined(group)
                group, size = [], 0
            group.append(batch)
            size += own
    if group:
        yield joined(group)


def _slices(batch: pa.RecordBatch, max_memory: int) -> Iterator[pa.RecordBatch]:
    rows = batch.num_rows
    if not rows:
        return
    count = max(1, rows * max_memory // memory_of(batch))
    if count >= rows:
        yield batch
        return
    for at in range(0, rows, count):
        yield batch.slice(at, count)


def rows_of_a_batch(*batches: pa.RecordBatch) -> int:
    """Return how many rows a result's batch may have, if a row has a row of each batch."""
    row_bytes = sum(size_of(batch) / max(1, batch.num_rows) for batch in batches)
    return int(min(BATCH_ROWS, max(1, BATCH_BYTES / max(1.0, row_bytes))))


def taken(batch: pa.RecordBatch, indices: Any) -> list[Any]:
    """Return the columns of rows; a null index makes a null row."""
    return [column.take(indices) for column in batch.columns]


def no_rows(schema: pa.Schema, rows: int) -> list[Any]:
    """Return columns of nulls."""
    return [pa.nulls(rows, field.type) for field in schema]


def returned(columns: list[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Return gathered columns as batches of a schema."""
    rows = len(columns[0])
    try:
        made = [restored(each, field.type) for each, field in zip(columns, schema, strict=True)]
    except pa.ArrowInvalid:
        # Rows have more values than an index of a dictionary can address.
        if rows < 2:
            raise
        half = rows // 2
        yield from returned([column.slice(0, half) for column in columns], schema)
        yield from returned([column.slice(half) for column in columns], schema)
        return
    yield pa.RecordBatch.from_arrays(made, schema=schema)


def by_order(batch: pa.RecordBatch, order: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Return the rows of a gathered batch in an order of indices, as batches of a schema."""
    step = rows_of_a_batch(batch)
    for at in range(0, len(order), step):
        yield from returned(taken(batch, order[at : at + step]), schema)


def numbers_of(column: Any) -> Any:
    """Return an Arrow column of numbers without nulls as a numpy array."""
    return np.asarray(column.to_numpy(zero_copy_only=False))
