"""Aggregates the rows of a partition by keys, within memory.

Rows become *states* a piece at a time, such as a sum and a count for a mean. States of equal keys
are merged. If the states of a partition do not fit into memory, they are divided by more bits of
the hash, into a shuffle that is deleted afterwards, and each part is merged alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.join_keys import field_of
from blobshuffle.keys import division_ids
from blobshuffle.kinds import kind_of
from blobshuffle.rows import (
    canonical,
    gathered_schema,
    joined,
    memory_of,
    no_batch,
    numbers_of,
    pieces,
    plain,
    prepared,
    returned,
    rows_of_a_batch,
)
from blobshuffle.scratch import Shuffled, scratch
from blobshuffle.store import Store

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

Aggregates = Mapping[str, tuple[str, str]]
"""The columns of a result: from which column, and by which function, each is made."""

_PARTS = 16
_MAX_DEPTH = 8

_STATES: dict[str, list[str]] = {
    "sum": ["sum"],
    "mean": ["sum", "count"],
    "count": ["count"],
    "size": ["size"],
    "min": ["min"],
    "max": ["max"],
    "any": ["any"],
    "all": ["all"],
    "first": ["first"],
    "last": ["last"],
}
FUNCTIONS = tuple(_STATES)
"""The functions of `aggregate`."""

_MERGED_BY = {"count": "sum", "size": "sum"}


class _State(NamedTuple):
    """A column of states: its source, the function of rows, and that of states."""

    column: str | None
    as_float: bool
    function: str
    merge: str


class AggregatePlan:
    """The keys, states and types of an aggregation. Picklable."""

    def __init__(self, schema: pa.Schema, keys: Sequence[str], aggregates: Aggregates) -> None:
        """Plan. Raises `ValueError`, `KeyError` or `TypeError`, which name the column."""
        if not keys:
            raise ValueError("Cannot aggregate by no key: name at least one column.")
        taken = set(keys) & set(aggregates)
        if taken or len(set(keys)) < len(keys):
            raise ValueError(f"Cannot aggregate: columns {sorted(taken or keys)} are named twice.")
        self.keys = list(keys)
        self.rows_schema = gathered_schema(schema)
        self.aggregates = dict(aggregates)
        self._states: list[_State] = []
        self._places: dict[str, list[int]] = {}
        for name, chosen in self.aggregates.items():
            if isinstance(chosen, str) or len(chosen) != 2:
                raise ValueError(
                    f"Cannot aggregate {name!r} by {chosen!r}: pass a column and a function, such "
                    "as ('total', 'sum')."
                )
            self._plan(schema, name, *chosen)
        fields = [field_of(schema, key) for key in keys]
        try:
            empty = self.states([no_batch(self.rows_schema)])
            self.state_schema = empty.schema
            results = self._results(empty)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as failure:
            types = {name: str(field_of(schema, name).type) for name in self._columns()}
            raise TypeError(
                f"Cannot aggregate columns {types}: {failure}. Cast them to another type."
            ) from None
        self.schema = pa.schema(
            fields + [pa.field(name, column.type) for name, column in results.items()]
        )

    @property
    def state_keys(self) -> list[str]:
        """The columns of states that are the keys."""
        return [f"k{key}" for key in self.keys]

    def _columns(self) -> list[str]:
        sources = [column for column, function in self.aggregates.values() if function != "size"]
        return [*self.keys, *sources]

    def _plan(self, schema: pa.Schema, name: str, column: str, function: str) -> None:
        if function not in _STATES:
            raise ValueError(
                f"Cannot aggregate {name!r} by {function!r}: legal are {', '.join(FUNCTIONS)}."
            )
        data_type = None if function == "size" else field_of(schema, column).type
        if function == "mean":
            _require_numbers(column, data_type)
        places: list[int] = []
        for state in _STATES[function]:
            places.append(len(self._states))
            source = None if function == "size" else column
            merge = _MERGED_BY.get(state, state)
            as_float = function == "mean" and state == "sum"
            self._states.append(
                _State(source, as_float, "count" if state == "size" else state, merge)
            )
        if function == "sum" and data_type is not None and pa.types.is_integer(data_type):
            # A float beside it says whether the sum of integers has wrapped.
            places.append(len(self._states))
            self._states.append(_State(column, True, "sum", "sum"))
        self._places[name] = places

    def states(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """Return the states of gathered rows."""
        rows = joined(batches)
        columns: dict[str, Any] = {}
        for key in self.keys:
            columns[f"k{key}"] = canonical(rows.column(rows.schema.get_field_index(key)))
        for number, state in enumerate(self._states):
            columns[f"v{number}"] = self._values(rows, state)
        return self._grouped(columns, [state.function for state in self._states])

    def _values(self, rows: pa.RecordBatch, state: _State) -> Any:
        if state.column is None:
            return pa.array(np.zeros(rows.num_rows, np.int8))
        column = plain(rows.column(rows.schema.get_field_index(state.column)))
        return column.cast(pa.float64(), safe=False) if state.as_float else column

    def merged(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """Return one state for each key."""
        states = joined(batches)
        columns = {name: states.column(at) for at, name in enumerate(states.schema.names)}
        return self._grouped(columns, [state.merge for state in self._states])

    def _grouped(self, columns: dict[str, Any], functions: list[str]) -> pa.RecordBatch:
        table = pa.table(columns)
        keys = self.state_keys
        chosen: list[Any] = [(f"v{n}", function) for n, function in enumerate(functions)]
        found = table.group_by(keys, use_threads=False).aggregate(chosen)
        names = [*keys, *(f"v{number}" for number in range(len(functions)))]
        ordered = [
            found.column(f"{name}_{functions[int(name[1:])]}" if name not in keys else name)
            for name in names
        ]
        arrays = [
            column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
            for column in ordered
        ]
        return pa.RecordBatch.from_arrays(arrays, names=names)

    def results(self, states: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Return the result's rows of merged states."""
        columns = [states.column(at) for at in range(len(self.keys))]
        columns += list(self._results(states).values())
        step = rows_of_a_batch(states)
        for at in range(0, states.num_rows, step):
            yield from returned([column.slice(at, step) for column in columns], self.schema)

    def _results(self, states: pa.RecordBatch) -> dict[str, Any]:
        first = len(self.keys)
        results: dict[str, Any] = {}
        for name, places in self._places.items():
            columns = [states.column(first + place) for place in places]
            function = self.aggregates[name][1]
            if function == "mean":
                total, count = columns
                empty = _compute.equal(count, 0)
                some = _compute.if_else(empty, pa.scalar(None, count.type), count)
                results[name] = _compute.divide(total, some.cast(pa.float64()))
                continue
            if len(columns) == 2:
                _require_whole(name, *columns)
            results[name] = columns[0]
        return results


def _require_numbers(column: str, data_type: Any) -> None:
    """Raise `TypeError` for other types: Arrow would parse texts, and fail at a row."""
    values = data_type
    while not isinstance(values, pa.BaseExtensionType) and (
        pa.types.is_dictionary(values) or pa.types.is_run_end_encoded(values)
    ):
        values = values.value_type
    if kind_of(values) not in ("null", "bool", "int", "float", "decimal"):
        raise TypeError(
            f"Cannot aggregate column {column!r} of type {data_type} by a mean: it needs numbers. "
            "Cast it to another type."
        )


def _require_whole(name: str, total: Any, near: Any) -> None:
    """Raise `ValueError` if a sum of integers has wrapped."""
    limit = 2.0**64 if pa.types.is_uint64(total.type) else 2.0**63
    values = np.abs(numbers_of(_compute.fill_null(near, 0.0)))
    if (values > limit * (1 - 1e-9)).any():
        raise ValueError(
            f"Cannot sum {name!r}: a sum is about {values.max():.3g}, more than {total.type} "
            "holds. Cast the column to float64 or a decimal first."
        )


class Aggregation:
    """Aggregates partitions. Owned by one thread."""

    def __init__(self, plan: AggregatePlan, memory: int, store: Store) -> None:
        """Begin. `store` takes states that do not fit into memory."""
        self._plan = plan
        self._memory = memory
        self._store = store

    def states_of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the states of rows, a piece at a time."""
        for piece in pieces(batches, self._plan.rows_schema, self._memory // 8):
            yield self._plan.states([piece])

    def rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the result of the rows of one partition."""
        return self.merged(self.states_of(batches))

    def merged(self, states: Iterable[pa.RecordBatch], depth: int = 0) -> Iterator[pa.RecordBatch]:
        """Return the result of the states of one partition."""
        limit = self._memory // 4
        rest = iter(states)
        held: list[pa.RecordBatch] = []
        size = 0
        for each in rest:
            held.append(each)
            size += memory_of(each)
            if size <= limit:
                continue
            held = [self._plan.merged(held)]
            size = memory_of(held[0])
            if size > limit // 2 and depth < _MAX_DEPTH:
                yield from self._divided(itertools.chain(held, rest), depth)
                return
        if held:
            yield from self._plan.results(self._plan.merged(held))

    def _divided(self, states: Iterable[pa.RecordBatch], depth: int) -> Iterator[pa.RecordBatch]:
        plan = self._plan
        keys = plan.state_keys
        with scratch(
            self._store,
            states,
            plan.state_schema,
            lambda batch: division_ids(batch, keys, _PARTS, depth),
            _PARTS,
            self._memory // 4,
        ) as parts:
            for part in range(_PARTS):
                yield from self.merged(self._read(parts, part), depth + 1)

    def _read(self, parts: Shuffled, part: int) -> Iterator[pa.RecordBatch]:
        return (prepared(batch, self._plan.state_schema) for batch in parts.read(part))


__all__ = ["FUNCTIONS", "AggregatePlan", "Aggregates", "Aggregation"]
