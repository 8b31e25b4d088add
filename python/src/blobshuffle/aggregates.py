"""Aggregates the rows of a partition by keys, within memory.

Rows become *states* a piece at a time, such as a sum and a count for a mean. States of equal keys
are merged. A variance has the count, the mean and the sum of squared distances from it: they merge
without the cancellation that sums of squares have (Chan, Golub and LeVeque, 1983). If the states
of a partition do not fit into memory, they are divided by more bits of the hash, into a shuffle
that is deleted afterwards, and each part is merged alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.keys import division_ids
from blobshuffle.kinds import kind_of
from blobshuffle.moments import merged_moments, spread
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
from blobshuffle.schemas import field_of
from blobshuffle.scratch import Shuffled, scratch
from blobshuffle.store import Store

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

Aggregates = Mapping[str, tuple[str, str] | tuple[str, str, float]]
"""The columns of a result: from which column, and by which function, each is made.

A quantile has its share besides.
"""

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
    "var": ["mean", "count", "variance"],
    "std": ["mean", "count", "variance"],
    "var_pop": ["mean", "count", "variance"],
    "std_pop": ["mean", "count", "variance"],
}
ORDERED = ("median", "quantile", "count_distinct", "list")
"""The functions that have no states: `ordered_aggregates` makes them."""

FUNCTIONS = (*_STATES, *ORDERED)
"""The functions of `aggregate`."""

NUMBERS = "numbers"
"""A function for this package alone: counts the values that are numbers, not null and not NaN."""

_STATES[NUMBERS] = ["count"]

_MERGED_BY = {"count": "sum", "size": "sum", "mean": "sum", "variance": "sum"}
_SPREADS = {"var": 1, "std": 1, "var_pop": 0, "std_pop": 0}
"""Functions of variances, and what each subtracts from the count."""

_SOURCES: dict[tuple[str, str], Literal["rows", "values", "floats", "numbers"]] = {
    ("size", "size"): "rows",
    ("mean", "sum"): "floats",
    (NUMBERS, "count"): "numbers",
    **{(name, state): "floats" for name in _SPREADS for state in ("mean", "variance")},
}


class _State(NamedTuple):
    """A column of states: its source, the function of rows, and that of states."""

    column: str
    source: Literal["rows", "values", "floats", "numbers", "none"]
    function: str
    merge: str


class Argument(NamedTuple):
    """How a column of the result is made; `share` is a quantile's."""

    column: str
    function: str
    share: float


def argument_of(name: str, chosen: Any) -> Argument:
    """Return how a column is made. Raises `ValueError`, which names the column."""
    if isinstance(chosen, str) or len(chosen) not in (2, 3):
        raise ValueError(
            f"Cannot aggregate {name!r} by {chosen!r}: pass a column and a function, such as "
            "('total', 'sum')."
        )
    column, function, *shares = chosen
    if function not in (*FUNCTIONS, NUMBERS):
        raise ValueError(
            f"Cannot aggregate {name!r} by {function!r}: legal are {', '.join(FUNCTIONS)}."
        )
    if len(shares) != (function == "quantile"):
        raise ValueError(
            f"Cannot aggregate {name!r} by {chosen!r}: a quantile needs a share besides, such as "
            "('total', 'quantile', 0.9), and no other function has one."
        )
    share = shares[0] if shares else 0.5
    if not 0 <= share <= 1:
        raise ValueError(f"Cannot aggregate {name!r}: the share {share} is not from 0 to 1.")
    return Argument(column, function, float(share))


def require_names(keys: Sequence[str], aggregates: Aggregates) -> None:
    """Raise `ValueError` unless all columns of a result have names of their own."""
    if not keys:
        raise ValueError("Cannot aggregate by no key: name at least one column.")
    taken = set(keys) & set(aggregates)
    if taken or len(set(keys)) < len(keys):
        raise ValueError(f"Cannot aggregate: columns {sorted(taken or keys)} are named twice.")


class AggregatePlan:
    """The keys, states and types of an aggregation. Picklable."""

    def __init__(self, schema: pa.Schema, keys: Sequence[str], aggregates: Aggregates) -> None:
        """Plan. Raises `ValueError`, `KeyError` or `TypeError`, which name the column."""
        require_names(keys, aggregates)
        self.keys = list(keys)
        self.rows_schema = gathered_schema(schema)
        self.aggregates = {name: argument_of(name, each) for name, each in aggregates.items()}
        self._states: list[_State] = []
        self._places: dict[str, list[int]] = {}
        self._spreads: list[int] = []
        for name, (column, function, _) in self.aggregates.items():
            self._plan(schema, name, column, function)
        fields = [field_of(schema, key, "group by") for key in keys]
        try:
            empty = self.states([no_batch(self.rows_schema)])
            self.written_schema = empty.schema
            results = self._results(empty)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as failure:
            types = {name: str(schema.field(name).type) for name in self._columns()}
            raise TypeError(
                f"Cannot aggregate columns {types}: {failure}. Cast them to another type."
            ) from None
        self.schema = pa.schema(
            fields + [pa.field(name, column.type) for name, column in results.items()]
        )

    @property
    def written_keys(self) -> list[str]:
        """The columns of states that are the keys."""
        return [f"k{key}" for key in self.keys]

    def _columns(self) -> list[str]:
        sources = [each.column for each in self.aggregates.values() if each.function != "size"]
        return [*self.keys, *sources]

    def _plan(self, schema: pa.Schema, name: str, column: str, function: str) -> None:
        is_size = function == "size"
        data_type = None if is_size else field_of(schema, column, "aggregate").type
        if function == "mean" or function in _SPREADS:
            require_numbers(column, data_type, function)
        if function in _SPREADS:
            self._spreads.append(len(self._states))
        places: list[int] = []
        for state in _STATES[function]:
            places.append(len(self._states))
            merge = _MERGED_BY.get(state, state)
            source = _SOURCES.get((function, state), "values")
            self._states.append(
                _State(column, source, "count" if state == "size" else state, merge)
            )
        if function == "sum":
            # A float beside it says whether a sum of integers has wrapped. Other types have it too,
            # because another map may have integers.
            is_integer = data_type is not None and pa.types.is_integer(data_type)
            places.append(len(self._states))
            self._states.append(_State(column, "floats" if is_integer else "none", "sum", "sum"))
        self._places[name] = places

    def states(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """Return the states of gathered rows."""
        rows = joined(batches)
        columns: dict[str, Any] = {}
        for key in self.keys:
            columns[f"k{key}"] = canonical(rows.column(rows.schema.get_field_index(key)))
        for number, state in enumerate(self._states):
            columns[f"v{number}"] = self._values(rows, state)
        found = self._grouped(columns, [state.function for state in self._states])
        none = pa.nulls(found.num_rows, pa.float64())
        empty = {at: none for at, state in enumerate(self._states) if state.source == "none"}
        return self._replaced(found, {**empty, **self._squares(found)})

    def _squares(self, states: pa.RecordBatch) -> dict[int, Any]:
        """Return means and squared distances where Arrow has returned means and variances."""
        found: dict[int, Any] = {}
        for place, counts, means, variances in self._moments(states):
            found[place], found[place + 2] = means, variances * counts
        return found

    def _moments(self, states: pa.RecordBatch) -> Iterator[tuple[int, Any, Any, Any]]:
        """Return place, counts, means and the third state of each variance, zeros for nulls."""
        first = len(self.keys)
        for place in self._spreads:
            means, counts, thirds = (
                numbers_of(_compute.fill_null(states.column(first + place + at), 0))
                for at in range(3)
            )
            yield place, counts, means, thirds

    def _replaced(self, states: pa.RecordBatch, columns: dict[int, Any]) -> pa.RecordBatch:
        for place, values in columns.items():
            at = len(self.keys) + place
            floats = values if isinstance(values, pa.Array) else pa.array(values, pa.float64())
            states = states.set_column(at, f"v{place}", floats)
        return states

    def _values(self, rows: pa.RecordBatch, state: _State) -> Any:
        if state.source == "rows":
            return pa.array(np.zeros(rows.num_rows, np.int8))
        if state.source == "none":
            # Arrow sums nulls without a type at no cost.
            return pa.nulls(rows.num_rows)
        column = plain(rows.column(rows.schema.get_field_index(state.column)))
        if state.source == "values":
            return column
        floats = column.cast(pa.float64(), safe=False)
        if state.source == "floats":
            return floats
        return _compute.if_else(_compute.is_nan(floats), pa.scalar(None, pa.float64()), floats)

    def merged(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """Return one state for each key."""
        states = joined(batches)
        columns = {name: states.column(at) for at, name in enumerate(states.schema.names)}
        functions = [state.merge for state in self._states]
        if not self._spreads:
            return self._grouped(columns, functions)
        groups = self._grouped(
            {**columns, f"v{len(functions)}": pa.array(np.arange(states.num_rows))},
            [*functions, "list"],
        )
        rows: Any = groups.column(groups.num_columns - 1)
        found: dict[int, Any] = {}
        for place, counts, means, squares in self._moments(states):
            found[place], found[place + 2] = merged_moments(rows, counts, means, squares)
        return self._replaced(groups.remove_column(groups.num_columns - 1), found)

    def _grouped(self, columns: dict[str, Any], functions: list[str]) -> pa.RecordBatch:
        table = pa.table(columns)
        keys = self.written_keys
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
        columns = self.columns(states)
        step = rows_of_a_batch(states)
        for at in range(0, states.num_rows, step):
            yield from returned([column.slice(at, step) for column in columns], self.schema)

    def columns(self, states: pa.RecordBatch) -> list[Any]:
        """Return the columns of the result of merged states, as they are gathered."""
        keys = [states.column(at) for at in range(len(self.keys))]
        return keys + list(self._results(states).values())

    def _results(self, states: pa.RecordBatch) -> dict[str, Any]:
        first = len(self.keys)
        results: dict[str, Any] = {}
        for name, places in self._places.items():
            columns = [states.column(first + place) for place in places]
            function = self.aggregates[name].function
            if function == "mean":
                total, count = columns
                empty = _compute.equal(count, 0)
                some = _compute.if_else(empty, pa.scalar(None, count.type), count)
                results[name] = _compute.divide(total, some.cast(pa.float64()))
                continue
            if function in _SPREADS:
                _, count, squares = columns
                results[name] = spread(count, squares, _SPREADS[function], function[:3] == "std")
                continue
            if len(columns) == 2:
                _require_whole(name, *columns)
            results[name] = columns[0]
        return results


def require_numbers(column: str, data_type: Any, function: str) -> None:
    """Raise `TypeError` for other types: Arrow would parse texts, and fail at a row."""
    values = data_type
    while not isinstance(values, pa.BaseExtensionType) and (
        pa.types.is_dictionary(values) or pa.types.is_run_end_encoded(values)
    ):
        values = values.value_type
    if kind_of(values) not in ("null", "bool", "int", "float", "decimal"):
        raise TypeError(
            f"Cannot aggregate column {column!r} of type {data_type} by {function!r}: it needs "
            "numbers. Cast it to another type."
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

    def written(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return what is shuffled of rows: their states, a piece at a time."""
        for piece in pieces(batches, self._plan.rows_schema, self._memory // 8):
            yield self._plan.states([piece])

    def rows(self, made: Shuffled, partition: int) -> Iterator[pa.RecordBatch]:
        """Return the result of a partition of rows."""
        return self._merged(self.written(made.read(partition)), 0)

    def merged(self, made: Shuffled, partition: int) -> Iterator[pa.RecordBatch]:
        """Return the result of a partition of what `written` has returned."""
        return self._merged(made.read(partition), 0)

    def _merged(self, states: Iterable[pa.RecordBatch], depth: int) -> Iterator[pa.RecordBatch]:
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
        keys = plan.written_keys
        with scratch(
            self._store,
            states,
            plan.written_schema,
            lambda batch: division_ids(batch, keys, _PARTS, depth),
            _PARTS,
            self._memory // 4,
        ) as parts:
            for part in range(_PARTS):
                yield from self._merged(self._read(parts, part), depth + 1)

    def _read(self, parts: Shuffled, part: int) -> Iterator[pa.RecordBatch]:
        return (prepared(batch, self._plan.written_schema) for batch in parts.read(part))


__all__ = ["FUNCTIONS", "NUMBERS", "ORDERED", "AggregatePlan", "Aggregates", "Aggregation"]
