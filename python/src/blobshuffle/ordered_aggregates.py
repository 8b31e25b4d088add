"""Aggregates that need the rows of a key in an order: quantiles, distinct counts and lists.

Rows are shuffled as they are. Each partition is sorted by the keys, and again by the keys and each
column that has quantiles or distinct counts, within memory. The sorted rows are read as streams, so
the values of a key that fills a partition are never in memory at once; only its list is. All
streams have the same keys in the same order, so their columns are put side by side.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blobshuffle.aggregates import (
    NUMBERS,
    ORDERED,
    AggregatePlan,
    Aggregates,
    Aggregation,
    Argument,
    argument_of,
    require_names,
    require_numbers,
)
from blobshuffle.columns import gathered_field
from blobshuffle.rows import (
    ROW_BYTES,
    joined,
    numbers_of,
    plain,
    prepared,
    returned,
    wide_decimals,
)
from blobshuffle.schemas import field_of
from blobshuffle.scratch import Shuffled
from blobshuffle.sorts import Sort, SortPlan, runs
from blobshuffle.store import Store

# Its functions are made at run time, so type checkers do not know them.
_compute: Any = pc

_Rows = Iterable[pa.RecordBatch]
_Columns = Mapping[str, Any]
_Stream = Generator[_Columns, None, None]


class OrderedPlan:
    """The keys, passes and types of such an aggregation. Picklable."""

    def __init__(self, schema: pa.Schema, keys: Sequence[str], aggregates: Aggregates) -> None:
        """Plan. Raises `ValueError`, `KeyError` or `TypeError`, which name the column."""
        require_names(keys, aggregates)
        self.keys = list(keys)
        self.aggregates = {name: argument_of(name, each) for name, each in aggregates.items()}
        used = {each.column for each in self.aggregates.values() if each.function != "size"}
        fields = [field_of(schema, key, "group by") for key in keys]
        for column in sorted(used):
            field_of(schema, column, "aggregate")
        self.written_schema = pa.schema(
            [field for field in schema if field.name in used or field.name in self.keys]
        )
        self.order = self._sorted_by([])
        self.orders = {
            column: self._sorted_by([column])
            for column in dict.fromkeys(each.column for _, each in self._of(*_BY_COLUMN))
        }
        # Longer than each name, so its columns have names of their own.
        self._prefix = "_" * max(len(name) + 1 for name in [*self.keys, *self.aggregates])
        self.states = self._states()
        self.schema = pa.schema([*fields, *(self._field(name) for name in self.aggregates)])

    def _of(self, *functions: str) -> list[tuple[str, Argument]]:
        """Return the columns of the result that are made by functions."""
        return [
            (name, each) for name, each in self.aggregates.items() if each.function in functions
        ]

    def _sorted_by(self, columns: list[str]) -> SortPlan:
        try:
            by = [*self.keys, *columns]
            return SortPlan(self.written_schema, [(name, "ascending") for name in by], "at_end")
        except TypeError as failure:
            functions = " or ".join(repr(each) for each in ORDERED)
            raise TypeError(f"Cannot aggregate by {functions}: {failure}") from None

    def _states(self) -> AggregatePlan:
        chosen: dict[str, Any] = {f"{self._prefix}size": (self.keys[0], "size")}
        for name, each in self.aggregates.items():
            if each.function in ("median", "quantile"):
                field = self.written_schema.field(each.column)
                require_numbers(each.column, field.type, each.function)
                chosen[self.count_of(each.column)] = (each.column, NUMBERS)
            elif each.function not in ORDERED:
                chosen[self.state_of(name)] = each[:2]
        return AggregatePlan(self.written_schema, self.keys, chosen)

    def state_of(self, name: str) -> str:
        """Return the column of states' results for a column of the result."""
        return f"{self._prefix}of {name}"

    def count_of(self, column: str) -> str:
        """Return the column of states' results that counts the numbers of a column."""
        return f"{self._prefix}numbers of {column}"

    def _field(self, name: str) -> pa.Field:
        column, function, _ = self.aggregates[name]
        if function == "list":
            return pa.field(name, pa.list_(_plain_type(self.written_schema.field(column))))
        if function == "count_distinct":
            return pa.field(name, pa.int64())
        if function in ORDERED:
            return pa.field(name, pa.float64())
        return self.states.schema.field(self.state_of(name)).with_name(name)

    @property
    def written_keys(self) -> list[str]:
        """The columns of the rows that are the keys."""
        return self.keys

    @property
    def lists(self) -> list[tuple[str, str]]:
        """The names of lists, and the columns whose values they have."""
        return [(name, each.column) for name, each in self._of("list")]

    def made_of(self, column: str) -> list[tuple[str, Argument]]:
        """Return the columns of the result that are made of sorted values of a column."""
        return [(name, each) for name, each in self._of(*_BY_COLUMN) if each.column == column]


_BY_COLUMN = ("median", "quantile", "count_distinct")


def _plain_type(field: pa.Field) -> pa.DataType:
    found = gathered_field(field).type
    return found.value_type if pa.types.is_dictionary(found) else found


class OrderedAggregation:
    """Aggregates partitions. Owned by one thread."""

    def __init__(self, plan: OrderedPlan, memory: int, store: Store) -> None:
        """Begin. `store` takes rows that do not fit into memory."""
        self._plan = plan
        self._memory = memory // (1 + len(plan.orders))
        self._store = store

    def written(self, batches: _Rows) -> Iterator[pa.RecordBatch]:
        """Return what is shuffled of rows: the columns that are needed."""
        names = self._plan.written_schema.names
        return (batch.select(names) for batch in batches)

    def rows(self, made: Shuffled, partition: int) -> Iterator[pa.RecordBatch]:
        """Return the result of a partition of rows."""
        plan, sizes = self._plan, made.sizes
        cost = int(sizes.bytes[partition] + ROW_BYTES * sizes.rows[partition])

        def ordered(order: SortPlan) -> _Rows:
            sort = Sort(order, self._memory, self._store)
            return sort.rows(lambda: self.written(made.read(partition)), cost)

        with contextlib.ExitStack() as stack:
            first = _of_keys(plan, ordered(plan.order))
            stack.callback(first.close)
            copies = itertools.tee(first, 1 + len(plan.orders))
            streams: list[Iterator[_Columns]] = [copies[0]]
            for counts, (column, order) in zip(copies[1:], plan.orders.items(), strict=True):
                sorted_values = _of_column(plan, column, ordered(order), _Counts(counts))
                stack.callback(sorted_values.close)
                streams.append(sorted_values)
            yield from _side_by_side(plan, streams)

    def merged(self, made: Shuffled, partition: int) -> Iterator[pa.RecordBatch]:
        """Return the result of a partition of what `written` has returned."""
        return self.rows(made, partition)


def _side_by_side(plan: OrderedPlan, streams: list[Iterator[_Columns]]) -> Iterator[pa.RecordBatch]:
    """Return batches of the columns of all streams, which have equal numbers of rows in all."""
    heads: list[_Columns] = [{} for _ in streams]
    names = [*plan.keys, *plan.aggregates]
    while True:
        for number in range(len(heads)):
            while not _length(heads[number]):
                found = next(streams[number], None)
                if found is None:
                    return
                heads[number] = found
        rows = min(_length(head) for head in heads)
        every = {name: each for head in heads for name, each in head.items()}
        yield from returned([every[name].slice(0, rows) for name in names], plan.schema)
        heads = [{name: each.slice(rows) for name, each in head.items()} for head in heads]


def _length(columns: _Columns) -> int:
    return len(next(iter(columns.values()), ()))


def _of_keys(plan: OrderedPlan, ordered: _Rows) -> _Stream:
    """Return the keys, the results of states, and the lists, of rows sorted by the keys."""
    for states, lists in _closed(plan, ordered):
        columns = dict(zip(plan.states.schema.names, plan.states.columns(states), strict=True))
        for name, each in plan.aggregates.items():
            if each.function not in ORDERED:
                columns[name] = columns.pop(plan.state_of(name))
        yield {**columns, **lists}


def _closed(plan: OrderedPlan, ordered: _Rows) -> Iterator[tuple[pa.RecordBatch, dict[str, Any]]]:
    """Return merged states of keys, and their lists, when all rows of the key were read."""
    held: pa.RecordBatch | None = None
    lists = {name: _Lists(name, column) for name, column in plan.lists}
    for batch, (starts,) in runs(plan.order, ordered, [len(plan.keys)]):
        found = plan.states.states([prepared(batch, plan.states.rows_schema)])
        if held is not None:
            found = joined([held, found])
            if not len(starts) or starts[0]:
                found = plan.states.merged([found])
        found = _in_order(plan, found)
        held = found.slice(found.num_rows - 1)
        closed = {name: each.closed(batch, starts) for name, each in lists.items()}
        if found.num_rows > 1:
            yield found.slice(0, found.num_rows - 1), closed
    if held is not None:
        yield held, {name: each.last() for name, each in lists.items()}


def _in_order(plan: OrderedPlan, states: pa.RecordBatch) -> pa.RecordBatch:
    """Return states in the order of their keys. Arrow groups keys with nulls after the others."""
    columns = [wide_decimals(plain(states.column(at))) for at in range(len(plan.keys))]
    keys = pa.RecordBatch.from_arrays(columns, names=[str(at) for at in range(len(columns))])
    return states.take(plan.order.order(keys))


class _Lists:
    """Gathers the lists of one column. Owned by one thread."""

    def __init__(self, name: str, column: str) -> None:
        self._name = name
        self._column = column
        self._open: list[Any] = []

    def closed(self, batch: pa.RecordBatch, starts: Any) -> Any:
        """Add a batch, and return the lists of keys that end in it."""
        values = plain(batch.column(batch.schema.get_field_index(self._column)))
        if not len(starts):
            self._open.append(values)
            return None
        before = sum(map(len, self._open))
        bounds = starts + before
        if self._open:
            bounds = np.append(0, bounds)
        found = self._made([*self._open, values.slice(0, int(starts[-1]))], bounds)
        self._open = [values.slice(int(starts[-1]))]
        return found

    def last(self) -> Any:
        """Return the list of the last key."""
        return self._made(self._open, [0, sum(map(len, self._open))])

    def _made(self, values: list[Any], bounds: Any) -> Any:
        try:
            offsets = pa.array(np.asarray(bounds), pa.int32())
            return pa.ListArray.from_arrays(offsets, pa.concat_arrays(values))
        except pa.ArrowInvalid as failure:
            raise ValueError(
                f"Cannot list {self._name!r}: a key has more values than Arrow's lists hold, "
                f"{failure}. Use another function."
            ) from None


class _Counts:
    """The counts of a column's numbers, key by key. Owned by one thread."""

    def __init__(self, columns: Iterator[_Columns]) -> None:
        self._columns = columns
        self._next = np.zeros(0, np.int64)

    def take(self, name: str, count: int) -> Any:
        """Return the counts of the next keys."""
        while len(self._next) < count:
            more = numbers_of(next(self._columns)[name])
            self._next = np.concatenate([self._next, more])
        taken, self._next = self._next[:count], self._next[count:]
        return taken


class _Open(NamedTuple):
    """What is known of the keys of a batch: arrays with a value for each.

    `start` is the number of a key's first row in the stream, `numbers` how many of its values are
    numbers, `distinct` how many values were seen. `low` and `high` are the values beside each
    quantile.
    """

    start: Any
    numbers: Any
    distinct: Any
    low: list[Any]
    high: list[Any]

    def part(self, begin: int | None, end: int | None) -> _Open:
        some = slice(begin, end)
        return _Open(
            self.start[some],
            self.numbers[some],
            self.distinct[some],
            [each[some] for each in self.low],
            [each[some] for each in self.high],
        )


def _of_column(plan: OrderedPlan, column: str, ordered: _Rows, counts: _Counts) -> _Stream:
    """Return the quantiles and distinct counts of a column, of rows sorted by the keys and it."""
    made = plan.made_of(column)
    shares = [each.share for _, each in made if each.function != "count_distinct"]
    width, first = len(plan.keys), 0
    none = np.zeros(0)
    held = _Open(none, none, none, [none] * len(shares), [none] * len(shares))
    for batch, (starts, changes) in runs(plan.orders[column], ordered, [width, width + 1]):
        values = plain(batch.column(batch.schema.get_field_index(column)))
        number = (
            counts.take(plan.count_of(column), len(starts)) if shares else np.zeros(len(starts))
        )
        fresh = np.zeros(len(starts))
        every = _Open(
            np.append(held.start, starts + first),
            np.append(held.numbers, number),
            np.append(held.distinct, fresh) + _new_values(values, starts, changes, len(held.start)),
            [np.append(each, fresh) for each in held.low],
            [np.append(each, fresh) for each in held.high],
        )
        if shares:
            _find(every, shares, _floats(values), first)
        first += batch.num_rows
        held = every.part(-1, None)
        if len(every.start) > 1:
            yield _results(made, shares, every.part(None, -1))
    if len(held.start):
        yield _results(made, shares, held)


def _floats(values: Any) -> Any:
    return numbers_of(_compute.fill_null(values.cast(pa.float64(), safe=False), np.nan))


def _new_values(values: Any, starts: Any, changes: Any, held: int) -> Any:
    """Return how many values that are not null appear for each key of a batch."""
    known = changes[numbers_of(values.is_valid())[changes]]
    key = np.searchsorted(starts, known, side="right") - 1 + held
    return np.bincount(key, minlength=len(starts) + held)


def _find(keys: _Open, shares: Sequence[float], values: Any, first: int) -> None:
    """Note the values beside each quantile, where a batch that begins at row `first` has them."""
    for number, share in enumerate(shares):
        position = (keys.numbers - 1) * share
        for side, at in ((keys.low, np.floor(position)), (keys.high, np.ceil(position))):
            row = (keys.start + at).astype(np.int64) - first
            is_here = (at >= 0) & (row >= 0) & (row < len(values))
            side[number][is_here] = values[row[is_here]]


def _results(
    made: list[tuple[str, Argument]], shares: Sequence[float], keys: _Open
) -> dict[str, Any]:
    quantiles = zip(shares, keys.low, keys.high, strict=True)
    found: dict[str, Any] = {}
    for name, each in made:
        if each.function == "count_distinct":
            found[name] = pa.array(keys.distinct.astype(np.int64))
            continue
        share, low, high = next(quantiles)
        rest = ((keys.numbers - 1) * share) % 1
        with np.errstate(invalid="ignore"):
            values = np.where(low == high, low, low + (high - low) * rest)
        found[name] = pa.array(values, pa.float64(), mask=keys.numbers == 0)
    return found


AnyPlan = AggregatePlan | OrderedPlan


def aggregation_plan(schema: pa.Schema, keys: Sequence[str], aggregates: Aggregates) -> AnyPlan:
    """Plan an aggregation. Raises `ValueError`, `KeyError` or `TypeError`: they name the column."""
    functions = {argument_of(name, each).function for name, each in aggregates.items()}
    return (OrderedPlan if functions & set(ORDERED) else AggregatePlan)(schema, keys, aggregates)


def aggregation(plan: AnyPlan, memory: int, store: Store) -> Aggregation | OrderedAggregation:
    """Return what carries out a plan."""
    if isinstance(plan, OrderedPlan):
        return OrderedAggregation(plan, memory, store)
    return Aggregation(plan, memory, store)


__all__ = ["AnyPlan", "OrderedAggregation", "OrderedPlan", "aggregation", "aggregation_plan"]
