"""Sorts rows by ranges of their keys, within memory.

Bounds are quantiles of a sample of the keys. Rows go to the range between two bounds, and each
range is sorted alone. A bound that is a quantile twice has a range of its own: its rows are equal,
so they stream in the order in which they came. A range that does not fit into memory is divided
again by a sample of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.columns import PYARROW
from blobshuffle.rows import (
    ROW_BYTES,
    by_order,
    canonical,
    gathered_schema,
    joined,
    no_batch,
    numbers_of,
    pieces,
    plain,
    prepared,
    wide_decimals,
)
from blobshuffle.schemas import cast, field_of
from blobshuffle.scratch import Shuffled, scratch
from blobshuffle.store import Store

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

Numbers = npt.NDArray[np.int64]

Direction = Literal["ascending", "descending"]
NullPlacement = Literal["at_start", "at_end"]

_SAMPLES = 16 << 10

_PLACES_NULLS_BY_KEY = PYARROW >= 25
"""Earlier releases of pyarrow place the nulls of all keys with one option."""


class SortPlan:
    """The keys of a sort. Picklable."""

    def __init__(
        self,
        schema: pa.Schema,
        by: Sequence[tuple[str, Direction]],
        null_placement: NullPlacement,
    ) -> None:
        """Plan. Raises `ValueError`, `KeyError` or `TypeError` for a key that has no order."""
        if not by:
            raise ValueError("Cannot sort by no column: name at least one.")
        if null_placement not in ("at_start", "at_end"):
            raise ValueError(f"Cannot place nulls {null_placement!r}: at_start or at_end.")
        self.schema = schema
        self.gathered = gathered_schema(schema)
        odd = [pair for pair in by if len(pair) != 2]
        if odd:
            raise ValueError(f"Cannot sort by {odd[0]!r}: pass names, or names and directions.")
        self.by = [(name, direction) for name, direction in by]
        self._null_placement = null_placement
        for name, direction in self.by:
            data_type = field_of(schema, name, "sort by").type
            if direction not in ("ascending", "descending"):
                raise ValueError(f"Cannot sort {name!r} {direction!r}: ascending or descending.")
            try:
                self._require_order(name)
            except (pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowInvalid) as failure:
                raise TypeError(
                    f"Cannot sort by {name!r} of type {data_type}: {failure}. Sort by a column "
                    "of numbers, strings, binary or times."
                ) from None

    def _require_order(self, name: str) -> None:
        key = _key(no_batch(self.gathered), name)
        # Twice, because Arrow looks at the types of several keys in another place.
        names = ["0", "1"][: len(self.by)]
        keys = pa.RecordBatch.from_arrays([key for _ in names], names=names)
        _compute.sort_indices(keys, sort_keys=[(each, "ascending") for each in names])

    def keys(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the key columns of a gathered batch, as plain values."""
        names = [str(number) for number in range(len(self.by))]
        columns = [_key(batch, name) for name, _ in self.by]
        return pa.RecordBatch.from_arrays(columns, names=names)

    def order(self, keys: pa.RecordBatch) -> Any:
        """Return the indices that sort keys; equal keys keep their order."""
        chosen = [(str(number), direction) for number, (_, direction) in enumerate(self.by)]
        if _PLACES_NULLS_BY_KEY:
            each = [(*pair, self._null_placement) for pair in chosen]
            return _compute.sort_indices(keys, sort_keys=each)
        return _compute.sort_indices(keys, sort_keys=chosen, null_placement=self._null_placement)


def _key(batch: pa.RecordBatch, name: str) -> Any:
    return wide_decimals(plain(batch.column(batch.schema.get_field_index(name))))


class Sample:
    """About evenly chosen rows of keys, at most some thousands. Owned by one thread."""

    def __init__(self, plan: SortPlan, seed: int = 0) -> None:
        self._plan = plan
        self._random = np.random.default_rng(seed)
        self._share = 1.0
        self._keys: list[pa.RecordBatch] = []
        self._count = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take some rows of a gathered batch."""
        chosen = np.flatnonzero(self._random.random(batch.num_rows) < self._share)
        keys = self._plan.keys(batch)
        self._keys.append(_take(keys, chosen))
        self._count += len(chosen)
        while self._count > _SAMPLES:
            every = joined(self._keys)
            kept = np.flatnonzero(self._random.random(every.num_rows) < 0.5)
            self._keys, self._count = [_take(every, kept)], len(kept)
            self._share /= 2

    def keys(self) -> pa.RecordBatch | None:
        """Return the sample, None if there was no row."""
        found = [keys for keys in self._keys if keys.num_rows]
        return joined(found) if found else None


def _take(batch: pa.RecordBatch, indices: Any) -> pa.RecordBatch:
    columns = [column.take(pa.array(indices)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


class Ranges:
    """Ranges of keys in their order: between two bounds, or equal to one. Picklable."""

    def __init__(self, plan: SortPlan, samples: Iterable[pa.RecordBatch], count: int) -> None:
        """Divide samples into about `count` ranges. Their types may be narrower than the plan's."""
        self._plan = plan
        types = plan.keys(no_batch(plan.gathered)).schema
        found = [cast(each, types, "a sample of keys") for each in samples]
        self._bounds: pa.RecordBatch | None = None
        self._range_of = np.zeros(1, np.int64)
        self.is_single = [False]
        if not found or count < 2:
            return
        sample = joined(found)
        ordered = _take(sample, numbers_of(plan.order(sample)))
        at = (np.arange(1, count) * ordered.num_rows) // count
        chosen = _take(ordered, at)
        starts = _starts(chosen)
        self._bounds = _take(chosen, starts)
        repeats = np.diff(np.append(starts, len(at)))
        self._number(repeats > 1)

    def _number(self, is_hot: Any) -> None:
        """Set the numbers of ranges: below the first bound, equal to it, above it, and so on.

        Rows that equal a bound go to the range above it, unless the bound has a range of its own.
        """
        places = [0]
        for hot in is_hot:
            self.is_single.append(bool(hot))
            places.append(len(self.is_single) - 1)
            if hot:
                self.is_single.append(False)
            places.append(len(self.is_single) - 1)
        self._range_of = np.array(places, np.int64)

    def __len__(self) -> int:
        return len(self.is_single)

    def ids(self, batch: pa.RecordBatch) -> Numbers:
        """Return the range of each row of a gathered batch."""
        if self._bounds is None:
            return np.zeros(batch.num_rows, np.int64)
        keys = self._plan.keys(batch)
        not_above = self._bounds_before(keys, are_first=True)
        below = self._bounds_before(keys, are_first=False)
        return self._range_of[not_above + below]

    def _bounds_before(self, keys: pa.RecordBatch, *, are_first: bool) -> Numbers:
        """Return how many bounds sort before each row; among equals they are first or last."""
        assert self._bounds is not None
        bounds, rows = self._bounds.num_rows, keys.num_rows
        parts = [self._bounds, keys] if are_first else [keys, self._bounds]
        order = numbers_of(self._plan.order(joined(parts))).astype(np.int64)
        is_bound = order < bounds if are_first else order >= rows
        before = np.cumsum(is_bound)
        counts = np.empty(rows, np.int64)
        first = bounds if are_first else 0
        counts[order[~is_bound] - first] = before[~is_bound]
        return counts


def _starts(keys: pa.RecordBatch) -> Any:
    """Return where runs of equal rows begin; nulls are equal, and NaNs too."""
    rows = keys.num_rows
    changes = np.zeros(rows, np.bool_)
    changes[:1] = True
    for column in keys.columns:
        codes = canonical(column).dictionary_encode(null_encoding="encode").indices
        changes[1:] |= np.diff(numbers_of(codes)) != 0
    return np.flatnonzero(changes)


def runs(
    plan: SortPlan, ordered: Iterable[pa.RecordBatch], widths: Sequence[int]
) -> Iterator[tuple[pa.RecordBatch, list[Any]]]:
    """Return batches of sorted rows, and the rows of each where another run begins.

    A run has equal first keys, as many as a width says: a list of rows for each width.
    """
    last: pa.RecordBatch | None = None
    for batch in ordered:
        if not batch.num_rows:
            continue
        keys = plan.keys(prepared(batch, plan.gathered))
        after = keys if last is None else joined([last, keys])
        found = [_starts(after.select(range(width))) for width in widths]
        # With the last row before it, row 0 of a batch is number 1.
        yield batch, found if last is None else [starts[1:] - 1 for starts in found]
        last = keys.slice(batch.num_rows - 1)


def groups(plan: SortPlan, ordered: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Return sorted rows in tables of equal keys."""
    held: list[pa.RecordBatch] = []
    for batch, (starts,) in runs(plan, ordered, [len(plan.by)]):
        cuts = starts.tolist()
        for begin, end in itertools.pairwise([0, *cuts, batch.num_rows]):
            if begin in cuts and held:
                yield pa.Table.from_batches(held, plan.schema)
                held = []
            if end > begin:
                held.append(batch.slice(begin, end - begin))
    if held:
        yield pa.Table.from_batches(held, plan.schema)


class Sort:
    """Sorts the partitions of a shuffle one after the other. Owned by one thread."""

    def __init__(self, plan: SortPlan, memory: int, store: Store) -> None:
        """Begin. `store` takes the rows of what does not fit into memory."""
        self._plan = plan
        self._memory = memory
        self._store = store

    @property
    def _limit(self) -> int:
        return self._memory // 3

    def range_count(self, cost: int) -> int:
        """Return how many ranges rows that need so many bytes of memory are divided into."""
        return 1 if cost <= self._limit else min(4096, -(-2 * cost // self._limit))

    def rows(
        self, read: Callable[[], Iterator[pa.RecordBatch]], cost: int
    ) -> Iterator[pa.RecordBatch]:
        """Return rows that can be read several times, sorted; they need `cost` bytes of memory."""
        if cost <= self._limit:
            yield from self._in_memory(read())
            return
        sample = Sample(self._plan)
        for piece in self._pieces(read()):
            sample.add(piece)
        keys = sample.keys()
        ranges = Ranges(self._plan, [] if keys is None else [keys], self.range_count(cost))
        with scratch(
            self._store,
            read(),
            self._plan.schema,
            lambda batch: ranges.ids(prepared(batch, self._plan.gathered)),
            len(ranges),
            self._memory // 2,
        ) as divided:
            yield from self.ranges(divided, ranges)

    def ranges(self, divided: Shuffled, ranges: Ranges) -> Iterator[pa.RecordBatch]:
        """Return the rows of a shuffle by ranges, sorted."""
        for number in range(len(ranges)):
            yield from self.range(divided, ranges, number)

    def range(self, divided: Shuffled, ranges: Ranges, number: int) -> Iterator[pa.RecordBatch]:
        """Return the rows of a range, sorted."""
        if ranges.is_single[number]:
            yield from divided.read(number)
            return
        sizes = divided.sizes
        cost = int(sizes.bytes[number] + ROW_BYTES * sizes.rows[number])
        yield from self.rows(lambda: divided.read(number), cost)

    def _pieces(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return pieces(batches, self._plan.gathered, self._memory // 8)

    def _in_memory(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = list(self._pieces(batches))
        if not held:
            return
        batch = joined(held)
        del held
        order = self._plan.order(self._plan.keys(batch))
        yield from by_order(batch, order, self._plan.schema)


__all__ = ["Direction", "NullPlacement", "Ranges", "Sample", "Sort", "SortPlan", "groups", "runs"]
