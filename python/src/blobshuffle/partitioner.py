"""Gathers the rows of batches by partition, a morsel at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.columns import Weights

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

_ROWS_PER_PARTITION = 512
_MIN_ROWS = 64 << 10
_MAX_ROWS = 1 << 20
_WORDS = {1: pa.uint8(), 2: pa.uint16(), 4: pa.uint32(), 8: pa.uint64()}


class Morsel(NamedTuple):
    """Rows in the order of their partitions; those of `p` are `[ends[p - 1], ends[p])`."""

    batch: pa.RecordBatch
    partitions: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    row_bytes: float


def checked_ids(ids: Any, rows: int, partitions: int) -> pa.Array:
    """Return partition ids as an array of unsigned 32-bit numbers.

    Raises `ValueError` unless there is one of 0 to `partitions` - 1 for each row.
    """
    array: Any = ids if isinstance(ids, pa.Array) else pa.array(ids)
    if len(array) != rows:
        raise ValueError(f"Cannot write a batch: {len(array)} partition ids for {rows} rows.")
    if rows == 0:
        return pa.array([], pa.uint32())
    if array.null_count or not pa.types.is_integer(array.type):
        raise ValueError(
            f"Cannot write a batch: its partition ids are {array.type} with {array.null_count} "
            "nulls. Pass integers without nulls."
        )
    bounds = _compute.min_max(array).as_py()
    if bounds["min"] < 0 or bounds["max"] >= partitions:
        raise ValueError(
            f"Cannot write a batch: partition ids {bounds['min']} to {bounds['max']}, legal are 0 "
            f"to {partitions - 1}."
        )
    return array.cast(pa.uint32())


def _taken(column: Any, order: pa.Array) -> pa.Array:
    """Gather a column.

    Strings of one short length, such as flags and country codes, are gathered as numbers of the
    same bytes: 20 times as fast.
    """
    width = _common_length(column)
    if not width:
        return column.take(order)
    rows, (_, offsets, data) = len(column), column.buffers()
    first = int(np.frombuffer(offsets, np.int32, 1, column.offset * 4)[0])
    words: Any = pa.Array.from_buffers(_WORDS[width], rows, [None, data.slice(first, rows * width)])
    gathered = words.take(order).buffers()[1]
    starts = pa.py_buffer(np.arange(0, (rows + 1) * width, width, dtype=np.int32))
    return pa.Array.from_buffers(column.type, rows, [None, starts, gathered])


def _common_length(column: Any) -> int:
    """Return the length of all strings in bytes, if they have a common one that is a word's."""
    rows = len(column)
    is_text = pa.types.is_string(column.type) or pa.types.is_binary(column.type)
    if not is_text or not rows or column.null_count:
        return 0
    offsets = np.frombuffer(column.buffers()[1], np.int32, rows + 1, column.offset * 4)
    first = int(offsets[0])
    width, left = divmod(int(offsets[-1]) - first, rows)
    if left or width not in _WORDS or first % width or offsets[1] - first != width:
        return 0
    return width if (np.diff(offsets) == width).all() else 0


class Partitioner:
    """Collects batches until they make a morsel, then gathers it. Owned by one thread.

    A morsel has about 512 rows for each partition, within 64 Ki and 1 Mi rows: small enough for
    caches, large enough that each partition gets a run of rows (measured in
    `docs/decisions/0025-python.md`). It has at most `max_bytes` unless one row has more.
    """

    def __init__(self, partitions: int, max_bytes: int, small_dictionary: int) -> None:
        """Begin; dictionaries of up to `small_dictionary` bytes add nothing to a row's size."""
        self._partitions = partitions
        self._small_dictionary = small_dictionary
        self._weights: Weights | None = None
        self._max_bytes = max_bytes
        self._target = min(_MAX_ROWS, max(_MIN_ROWS, _ROWS_PER_PARTITION * partitions))
        self._batches: list[pa.RecordBatch] = []
        self._ids: list[pa.Array] = []
        self._rows = 0
        self.pending_bytes = 0

    def add(self, batch: pa.RecordBatch, ids: pa.Array) -> Iterator[Morsel]:
        """Take a batch and its checked ids; return the morsels that are full."""
        rows = batch.num_rows
        if rows == 0:
            return
        weights = self._weights = self._weights or Weights(batch.schema)
        own, added = weights.of(batch)
        self.pending_bytes += added
        row_bytes = own / rows
        at = 0
        while at < rows:
            room = self._max_bytes - self.pending_bytes
            count = min(rows - at, self._target - self._rows, max(1, int(room / (row_bytes or 1))))
            self._batches.append(batch.slice(at, count))
            self._ids.append(ids.slice(at, count))
            self._rows += count
            self.pending_bytes += int(count * row_bytes)
            at += count
            if self._rows >= self._target or self.pending_bytes + row_bytes >= self._max_bytes:
                yield from self.drain()

    def drain(self) -> Iterator[Morsel]:
        """Return the remaining rows as a morsel."""
        if not self._rows:
            return
        try:
            batch = pa.concat_batches(self._batches) if len(self._batches) > 1 else self._batches[0]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # Dictionaries that do not fit into one: a morsel for each batch.
            parts = list(zip(self._batches, self._ids, strict=True))
        else:
            parts = [(batch, pa.concat_arrays(self._ids))]
        self._batches, self._ids, self._rows, self.pending_bytes = [], [], 0, 0
        assert self._weights is not None
        self._weights.clear()
        for part, ids in parts:
            yield self._gather(part, ids)

    def _gather(self, batch: pa.RecordBatch, ids: pa.Array) -> Morsel:
        numbers = ids.to_numpy(zero_copy_only=False)
        all_counts = np.bincount(numbers, minlength=0)
        present = np.flatnonzero(all_counts)
        counts = all_counts[present]
        if len(present) > 1:
            order: Any = _compute.array_sort_indices(ids)
            columns = [_taken(column, order) for column in batch.columns]
            batch = pa.RecordBatch.from_arrays(columns, schema=batch.schema)
        starts = np.cumsum(counts) - counts
        assert self._weights is not None
        row_bytes = self._weights.row_bytes(batch, self._small_dictionary)
        return Morsel(batch, present, starts, counts, row_bytes)
