"""Joins two shuffles partition by partition, within memory.

A partition is joined by hash: the smaller side is held, the *build* side, and the rows of the
other, the *probe* side, stream past it. A build side that does not fit is held in chunks, and the
probe side is read again for each: blobs can be read as often as needed, so nothing is spilled. If
that would take many passes, both sides are first divided by more bits of the hash, into a shuffle
that is deleted afterwards. Rows of one key cannot be divided so; they go in chunks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.failure import IncompleteShuffle
from blobshuffle.join_keys import KeyPair, key_pairs, wider_key
from blobshuffle.keys import division_ids, partition_ids
from blobshuffle.rows import (
    ROW_BYTES,
    gathered_schema,
    joined,
    memory_of,
    no_batch,
    no_rows,
    numbers_of,
    pieces,
    plain,
    returned,
    rows_of_a_batch,
    taken,
)
from blobshuffle.scratch import Shuffled, scratch
from blobshuffle.store import Store

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

How = Literal["inner", "left", "right", "full", "semi", "anti"]
"""The kind of a join; semi and anti return rows of the left side only."""

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_PASSES = 4
"""Most passes over a probe side before both sides are divided."""

_MAX_DEPTH = 8
_PARTS = 16


class _Kind(NamedTuple):
    """The rows that a kind of join returns. `left_alone` and `right_alone` match nothing."""

    pairs: bool
    left_alone: bool = False
    right_alone: bool = False
    left_matched: bool = False


KINDS: dict[str, _Kind] = {
    "inner": _Kind(pairs=True),
    "left": _Kind(pairs=True, left_alone=True),
    "right": _Kind(pairs=True, right_alone=True),
    "full": _Kind(pairs=True, left_alone=True, right_alone=True),
    "semi": _Kind(pairs=False, left_matched=True),
    "anti": _Kind(pairs=False, left_alone=True),
}


class JoinPlan:
    """The keys, columns and types of a join. Picklable: made from two schemas.

    The result has the left columns, and the right ones except keys of the same name. Such a key has
    the value of the side that has a row. A right column whose name is taken gets `suffix`.
    """

    def __init__(
        self,
        left: pa.Schema,
        right: pa.Schema,
        left_on: Sequence[str],
        right_on: Sequence[str],
        how: How,
        suffix: str,
    ) -> None:
        """Plan. Raises `ValueError`, `KeyError` or `SchemaMismatch` if the sides do not fit."""
        if how not in KINDS:
            raise ValueError(f"Cannot join {how!r}: legal are {', '.join(KINDS)}.")
        self.kind = KINDS[how]
        self.left, self.right = left, right
        self.left_on, self.right_on = list(left_on), list(right_on)
        # Functions cannot be pickled, so they are made again where the join runs.
        key_pairs(left, right, left_on, right_on)
        shared = {one for one, other in zip(left_on, right_on, strict=True) if one == other}
        self._keys = {name: self._key_field(name).type for name in shared}
        self._right_columns = [n for n, f in enumerate(right) if f.name not in shared]
        self.schema = self._schema(suffix)

    @property
    def pairs(self) -> list[KeyPair]:
        """The keys, with their conversions."""
        return key_pairs(self.left, self.right, self.left_on, self.right_on)

    def _key_field(self, name: str) -> pa.Field:
        one, other = self.left.field(name), self.right.field(name)
        return one.with_type(wider_key(one, other)) if self.kind.right_alone else one

    def _schema(self, suffix: str) -> pa.Schema:
        kind = self.kind
        fields: list[pa.Field] = []
        for field in self.left:
            made = field.with_type(self._keys.get(field.name, field.type))
            may_be_null = kind.right_alone and (
                field.name not in self._keys or self.right.field(field.name).nullable
            )
            fields.append(made.with_nullable(made.nullable or may_be_null))
        if kind.pairs:
            for number in self._right_columns:
                field = self.right.field(number)
                name = f"{field.name}{suffix}" if field.name in self.left.names else field.name
                is_nullable = field.nullable or kind.left_alone
                fields.append(field.with_name(name).with_nullable(is_nullable))
        names = [field.name for field in fields]
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(
                f"Cannot join: the result would have columns {twice} twice. Rename them, or pass "
                "another suffix."
            )
        return pa.schema(fields)

    def rows(
        self, left: list[Any] | None, right: list[Any] | None, gathered_right: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        """Return rows of the result from gathered columns; None stands for a side without rows."""
        if left is None:
            assert right is not None
            columns = no_rows(gathered_schema(self.left), len(right[0]))
            for name in self._keys:
                at = self.right.get_field_index(name)
                columns[self.left.get_field_index(name)] = right[at]
        else:
            columns = list(left)
        for name, data_type in self._keys.items():
            at = self.left.get_field_index(name)
            if not _values_of(columns[at].type).equals(_values_of(data_type)):
                columns[at] = _as(columns[at], data_type)
        if self.kind.pairs:
            others = right or no_rows(gathered_right, len(columns[0]))
            columns += [others[number] for number in self._right_columns]
        return returned(columns, self.schema)


def _values_of(data_type: Any) -> Any:
    return data_type.value_type if pa.types.is_dictionary(data_type) else data_type


def _as(column: Any, data_type: Any) -> Any:
    """Return a key in the type of the result; views and runs are made later."""
    target = gathered_schema(pa.schema([pa.field("key", _values_of(data_type))])).field(0).type
    column = plain(column)
    return column if column.type.equals(target) else column.cast(target)


class _Index:
    """The rows of a build chunk by key. Null keys are in no entry. Owned by one thread."""

    def __init__(self, batch: pa.RecordBatch, keys: list[Any]) -> None:
        self.batch = batch
        self.is_matched = np.zeros(batch.num_rows, np.bool_)
        self._dictionaries: list[Any] = []
        self._combined: list[Numbers] = []
        codes: Numbers = np.zeros(batch.num_rows, np.int64)
        for key in keys:
            encoded = key.dictionary_encode()
            self._dictionaries.append(encoded.dictionary)
            codes = _combine(codes, _codes(encoded.indices), len(encoded.dictionary))
            if len(keys) > 1:
                used = np.unique(codes[codes >= 0])
                self._combined.append(used)
                codes = _ranks(codes, used)
        valid = np.flatnonzero(codes >= 0)
        self.order = valid[np.argsort(codes[valid], kind="stable")]
        self.counts = np.bincount(codes[valid], minlength=1)
        self.starts = np.cumsum(self.counts) - self.counts

    def codes(self, keys: list[Any]) -> Numbers:
        """Return the entry of each probe row, -1 if there is none."""
        codes: Numbers = np.zeros(len(keys[0]), np.int64)
        for number, (key, dictionary) in enumerate(zip(keys, self._dictionaries, strict=True)):
            found = _compute.index_in(key, value_set=dictionary, skip_nulls=True)
            codes = _combine(codes, _codes(found), len(dictionary))
            if self._combined:
                codes = _ranks(codes, self._combined[number])
        return codes

    def counts_of(self, codes: Numbers) -> Numbers:
        """Return how many build rows match each probe row."""
        return np.where(codes >= 0, self.counts[np.maximum(codes, 0)], 0)

    def pairs(self, codes: Numbers, counts: Numbers, size: int) -> Iterator[tuple[Any, Any]]:
        """Return indices of probe and build rows that match, `size` at a time."""
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        for at in range(0, total, size):
            places = np.arange(at, min(at + size, total))
            probe = np.searchsorted(ends, places, "right")
            within = places - (ends[probe] - counts[probe])
            yield probe, self.order[self.starts[codes[probe]] + within]


def _codes(indices: Any) -> Numbers:
    return numbers_of(_compute.fill_null(indices.cast(pa.int64()), -1))


def _combine(codes: Numbers, more: Numbers, values: int) -> Numbers:
    return np.where((codes < 0) | (more < 0), -1, codes * max(1, values) + more)


def _ranks(codes: Numbers, used: Numbers) -> Numbers:
    """Return the place of each code among those that are used, -1 if it is not there."""
    if not len(used):
        return np.full(len(codes), -1, np.int64)
    at = np.minimum(np.searchsorted(used, codes), len(used) - 1)
    return np.where(used[at] == codes, at, -1)


class _Side:
    """One side of a join: where its rows are, and how its keys are compared."""

    def __init__(self, rows: Shuffled, plan: JoinPlan, *, is_left: bool) -> None:
        self.rows = rows
        self.is_left = is_left
        self.schema = plan.left if is_left else plan.right
        self.gathered = gathered_schema(self.schema)
        self.names = plan.left_on if is_left else plan.right_on
        self._places = [self.schema.get_field_index(name) for name in self.names]
        self._values = [pair.left_values if is_left else pair.right_values for pair in plan.pairs]

    def cost(self, partition: int) -> int:
        """Return the bytes of memory that the rows of a partition need."""
        sizes = self.rows.sizes
        return int(sizes.bytes[partition] + ROW_BYTES * sizes.rows[partition])

    def read(self, partition: int, memory: int, part: range | None) -> Iterator[pa.RecordBatch]:
        return pieces(self.rows.read(partition, part), self.gathered, memory)

    def keys(self, batch: pa.RecordBatch) -> list[Any]:
        return [
            convert(batch.column(place))
            for place, convert in zip(self._places, self._values, strict=True)
        ]


class Join:
    """Joins the partitions of two shuffles. Owned by one thread."""

    def __init__(
        self, plan: JoinPlan, left: Shuffled, right: Shuffled, memory: int, store: Store | None
    ) -> None:
        """Begin. `store` takes the rows of partitions that must be divided; None divides none."""
        self._plan = plan
        self._left = _Side(left, plan, is_left=True)
        self._right = _Side(right, plan, is_left=False)
        self._memory = memory
        self._store = store

    def partition(
        self, number: int, part: range | None = None, *, are_keys_verified: bool = True
    ) -> Iterator[pa.RecordBatch]:
        """Return the rows of the result whose keys are in a partition.

        With `part`, only the rows of these maps of the left side. The right side is held then. Not
        for right and full joins, because rows of the right side might match in another part.
        Raises `IncompleteShuffle` if a side was not partitioned by the keys.
        """
        if not are_keys_verified:
            for side in (self._left, self._right):
                _verify(side, number)
        yield from self._joined(self._left, self._right, number, part, 0)

    def _joined(
        self, left: _Side, right: _Side, number: int, part: range | None, depth: int
    ) -> Iterator[pa.RecordBatch]:
        is_right_built = part is not None or right.cost(number) <= left.cost(number)
        build, probe = (right, left) if is_right_built else (left, right)
        cost = build.cost(number)
        is_divided = cost > _PASSES * self._memory // 4 and depth < _MAX_DEPTH and part is None
        if is_divided and self._store is not None:
            yield from self._divided(left, right, number, depth)
        else:
            yield from _Passes(self._plan, build, probe, self._memory, part).run(number)

    def _divided(
        self, left: _Side, right: _Side, number: int, depth: int
    ) -> Iterator[pa.RecordBatch]:
        assert self._store is not None
        with contextlib.ExitStack() as stack:
            made = [
                _Side(
                    stack.enter_context(
                        scratch(
                            self._store,
                            side.rows.read(number),
                            side.schema,
                            lambda batch, side=side: division_ids(batch, side.names, _PARTS, depth),
                            _PARTS,
                            self._memory // 2,
                        )
                    ),
                    self._plan,
                    is_left=side.is_left,
                )
                for side in (left, right)
            ]
            cost = min(side.cost(number) for side in (left, right))
            for part in range(_PARTS):
                own = min(side.cost(part) for side in made)
                # Rows of one key stay together, however often they are divided.
                again = depth + 1 if 2 * own < cost else _MAX_DEPTH
                yield from self._joined(made[0], made[1], part, None, again)


def _verify(side: _Side, number: int) -> None:
    """Require that the first rows of a partition belong to it by their keys."""
    first = next((batch for batch in side.rows.read(number) if batch.num_rows), None)
    if first is None:
        return
    ids = numbers_of(partition_ids(first, side.names, side.rows.partitions))
    if (ids != number).any():
        ref = side.rows.refs[0]
        raise IncompleteShuffle(
            f"Cannot join shuffle {ref.shuffle} by {side.names}: partition {number} has rows whose "
            f"keys belong to partition {int(ids[ids != number][0])}. Write both sides with "
            "keys=[…], the columns of the join in its order; or pass rows instead of refs."
        )


class _Passes:
    """Joins one partition: a pass over the probe side for each chunk of the build side."""

    def __init__(
        self, plan: JoinPlan, build: _Side, probe: _Side, memory: int, part: range | None
    ) -> None:
        self._plan = plan
        self._build, self._probe = build, probe
        self._memory = memory
        self._part = part
        kind = plan.kind
        self._pairs = kind.pairs
        alone = (kind.left_alone, kind.right_alone)
        self._build_alone, self._probe_alone = alone[::-1] if probe.is_left else alone
        self._build_matched = kind.left_matched and build.is_left
        self._probe_matched = kind.left_matched and probe.is_left
        self._seen: list[npt.NDArray[np.uint8]] | None = None

    def run(self, number: int) -> Iterator[pa.RecordBatch]:
        """Return the result's rows."""
        if not self._probe.rows.sizes.rows[number] and not self._build_alone:
            return
        chunks = self._chunks(number)
        chunk = next(chunks, None) or no_batch(self._build.gathered)
        is_first = True
        while chunk is not None:
            index = _Index(chunk, self._build.keys(chunk))
            following = next(chunks, None)
            yield from self._pass(number, index, is_first, following is None)
            if self._build_alone:
                yield from self._of_build(index, ~index.is_matched)
            if self._build_matched:
                yield from self._of_build(index, index.is_matched)
            chunk, is_first = following, False

    def _chunks(self, number: int) -> Iterator[pa.RecordBatch]:
        # Two chunks are held for a moment: the next is read to know which is the last.
        half = self._memory // 4
        group: list[pa.RecordBatch] = []
        size = 0
        for piece in self._build.read(number, half // 2, None):
            own = memory_of(piece)
            if group and size + own > half:
                yield joined(group)
                group, size = [], 0
            group.append(piece)
            size += own
        if group:
            yield joined(group)

    def _pass(
        self, number: int, index: _Index, is_first: bool, is_last: bool
    ) -> Iterator[pa.RecordBatch]:
        needs_flags = self._probe_alone or self._probe_matched
        if is_first and not is_last and needs_flags:
            self._seen = []
        pieces = self._probe.read(number, self._memory // 8, self._part)
        for place, piece in enumerate(pieces):
            codes = index.codes(self._probe.keys(piece))
            counts = index.counts_of(codes)
            if self._pairs:
                yield from self._matches(index, piece, codes, counts)
            if self._build_alone or self._build_matched:
                index.is_matched[_rows_of(index, codes)] = True
            if needs_flags:
                matched = self._flags(place, counts > 0, is_first)
                if is_last and self._probe_alone:
                    yield from self._of_probe(piece, ~matched)
                if is_last and self._probe_matched:
                    yield from self._of_probe(piece, matched)

    def _flags(self, place: int, matched: Flags, is_first: bool) -> Flags:
        """Return which rows of a piece have matched in this pass or one before."""
        if self._seen is None:
            return matched
        if is_first:
            self._seen.append(np.packbits(matched))
            return matched
        before = np.unpackbits(self._seen[place], count=len(matched)).astype(np.bool_)
        self._seen[place] = np.packbits(before | matched)
        return before | matched

    def _matches(
        self, index: _Index, piece: pa.RecordBatch, codes: Numbers, counts: Numbers
    ) -> Iterator[pa.RecordBatch]:
        size = rows_of_a_batch(piece, index.batch)
        for probe, build in index.pairs(codes, counts, size):
            yield from self._rows(
                taken(piece, pa.array(probe)), taken(index.batch, pa.array(build))
            )

    def _of_build(self, index: _Index, chosen: Flags) -> Iterator[pa.RecordBatch]:
        yield from self._alone(index.batch, chosen, is_probe=False)

    def _of_probe(self, piece: pa.RecordBatch, chosen: Flags) -> Iterator[pa.RecordBatch]:
        yield from self._alone(piece, chosen, is_probe=True)

    def _alone(
        self, batch: pa.RecordBatch, chosen: Flags, *, is_probe: bool
    ) -> Iterator[pa.RecordBatch]:
        rows = np.flatnonzero(chosen)
        size = rows_of_a_batch(batch)
        for at in range(0, len(rows), size):
            columns = taken(batch, pa.array(rows[at : at + size]))
            yield from self._rows(*((columns, None) if is_probe else (None, columns)))

    def _rows(self, probe: list[Any] | None, build: list[Any] | None) -> Iterator[pa.RecordBatch]:
        left, right = (probe, build) if self._probe.is_left else (build, probe)
        gathered = self._build.gathered if self._probe.is_left else self._probe.gathered
        return self._plan.rows(left, right, gathered)


def _rows_of(index: _Index, codes: Numbers) -> Numbers:
    """Return the build rows that a probe row matches."""
    is_used = np.zeros(len(index.counts), np.bool_)
    is_used[codes[codes >= 0]] = True
    return index.order[np.repeat(is_used, index.counts)]
