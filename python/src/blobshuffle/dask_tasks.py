"""The tasks of Dask's shuffle method `blobs`, which Dask runs in any process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from dask.dataframe.dispatch import meta_nonempty
from dask.dataframe.multi import merge_chunk

from blobshuffle.arrow import Codec
from blobshuffle.failure import BlobMissing, SchemaMismatch
from blobshuffle.frames import (
    UNKNOWN_CATEGORIES,
    Categories,
    Layout,
    layout_of,
    shared_categories,
)
from blobshuffle.lease import path_of
from blobshuffle.reader import read
from blobshuffle.ref import Ref, select
from blobshuffle.schemas import unified
from blobshuffle.store import Store
from blobshuffle.writer import ShuffleWriter

WRITE = "blobs-write-"
"""How the keys of tasks that write begin; the name of the run follows."""

WHOLE = "blobs-whole-"
"""How the keys of tasks that collect refs begin; the name of the run follows."""


@dataclass(frozen=True)
class Place:
    """Where a session keeps its blobs, and how it writes them. Picklable.

    `shuffle` is the name that all shuffles of the session have in the store. Its lease is there as
    long as the session is open.
    """

    store: Store
    shuffle: str
    codec: Codec
    memory: int

    def __dask_tokenize__(self) -> tuple[str, str, int]:
        return self.shuffle, self.codec, self.memory


@dataclass(frozen=True)
class Plan:
    """What all tasks of one run of a shuffle share. Picklable.

    `column` has each row's partition, and the `dropped` columns are not stored. `wanted` are the
    partitions that are read, or None for all.
    """

    place: Place
    run: str
    maps: int
    partitions: int
    column: Any
    dropped: tuple[Any, ...]
    layout: Layout
    wanted: tuple[int, ...] | None


class Written(NamedTuple):
    """The blob of a map.

    `layout` is that of its rows if these do not fit into the plan's, else None. `missing` are the
    columns that have no value in its rows.
    """

    ref: Ref
    schema: pa.Schema
    categories: Categories
    layout: Layout | None
    missing: frozenset[str]


class Whole(NamedTuple):
    """One ref for each map, and how their rows are read."""

    refs: list[Ref]
    schema: pa.Schema
    categories: Categories
    layout: Layout


class Join(NamedTuple):
    """The options of a merge, and the metadata of its result."""

    options: dict[str, Any]
    meta: pd.DataFrame


Shared = TypeVar("Shared")


def begin(shared: Shared) -> Shared:
    """Return what tasks share: as a task's result, it is not sent with each of them."""
    return shared


def write(part: pd.DataFrame, plan: Plan, number: int) -> Written:
    """Write an input partition.

    Raises `SchemaMismatch` for rows that Arrow cannot hold, and `BlobMissing` if the session has
    ended meanwhile; nothing is left then.
    """
    place = plan.place
    ids = part[plan.column].to_numpy()
    rows: Any = part.drop(columns=list(plan.dropped))
    if plan.wanted is not None:
        is_wanted = np.isin(ids, plan.wanted)
        ids, rows = ids[is_wanted], rows[is_wanted]
    table, categories, layout = _fitted(plan.layout, rows, f"partition {number}")
    with ShuffleWriter(
        place.store,
        shuffle=place.shuffle,
        map=number,
        maps=plan.maps,
        partitions=plan.partitions,
        codec=place.codec,
        memory=place.memory,
        schema=table.schema,
    ) as writer:
        writer.write(table, ids)
        ref = writer.commit()
    _require_session(place, ref)
    _report(plan, ref)
    return Written(ref, table.schema, categories, layout, _missing(table))


def _missing(table: pa.Table) -> frozenset[str]:
    """Return the columns without a value."""
    names = zip(table.column_names, table.columns, strict=True)
    return frozenset(name for name, column in names if column.null_count == table.num_rows)


def whole(plan: Plan, *written: Written) -> Whole:
    """Return one ref for each map, and the schema to which readers cast all rows.

    Partitions without rows have no say in it, as when pandas concatenates frames for Dask. Without
    any row the metadata has.
    """
    refs = select((each.ref for each in written), plan.maps)
    present = [each for each in written if each.ref.rows]
    if not present:
        sample = plan.layout.sample().schema
        return Whole(refs, sample, _without_rows(plan.layout, written), plan.layout)
    named = [(f"partition {each.ref.map}", each) for each in present]
    schema = _unified(named)
    layout = _joined(plan.layout, present)
    categories = shared_categories(layout, [(what, each.categories) for what, each in named])
    return Whole(refs, schema, categories, layout)


def _unified(named: list[tuple[str, Written]]) -> pa.Schema:
    """Return the schema of rows of all maps.

    A column without values has a type by chance: that of the metadata, or what pandas calls it. If
    it does not fit to the values of other maps, theirs counts.
    """
    try:
        return unified((what, each.schema) for what, each in named)
    except SchemaMismatch:
        known = {
            name for _, each in named for name in each.schema.names if name not in each.missing
        }
        return unified(
            (what, _without_types(each.schema, each.missing & known)) for what, each in named
        )


def _without_types(schema: pa.Schema, names: frozenset[str]) -> pa.Schema:
    fields = [field.with_type(pa.null()) if field.name in names else field for field in schema]
    return pa.schema(fields, schema.metadata)


def _without_rows(layout: Layout, written: Sequence[Written]) -> Categories:
    """Return the categories that the metadata knows, and the types of the others."""
    found: Categories = {}
    for each in written:
        for name, own in each.categories.items():
            before = found.get(name)
            if before is None or (before.dtype == object and not len(before)):
                found[name] = own
    return found | shared_categories(layout, [])


def load(found: Whole, plan: Plan, partition: int) -> pd.DataFrame:
    """Read an output partition."""
    with read(found.refs, partition, store=plan.place.store, schema=found.schema) as rows:
        return found.layout.frame(rows.read_all(), found.categories)


def merge(
    join: Join, left: Whole, left_plan: Plan, right: Whole, right_plan: Plan, partition: int
) -> pd.DataFrame:
    """Read a partition of both sides, and merge it as Dask does."""
    sides = load(left, left_plan, partition), load(right, right_plan, partition)
    columns = join.meta.columns
    if columns.is_unique:
        return merge_chunk(*sides, result_meta=join.meta, **join.options)
    # Dask selects the columns by their names if the left side has no rows.
    once = join.meta.loc[:, ~columns.duplicated()]
    return _arranged(merge_chunk(*sides, result_meta=once, **join.options), columns)


def _arranged(frame: pd.DataFrame, columns: pd.Index) -> pd.DataFrame:
    """Return a frame with its columns in another order; those of one name stay in theirs."""
    places = {label: iter(np.flatnonzero(frame.columns == label)) for label in columns}
    return frame.iloc[:, [next(places[label]) for label in columns]]


def _fitted(
    layout: Layout, rows: pd.DataFrame, what: str
) -> tuple[pa.Table, Categories, Layout | None]:
    """Return rows, and the layout that they have if it is not the metadata's.

    Dask's metadata may be wrong, as after a left join: a column of integers has fractions in the
    partitions where a row has no match. Dask's own methods keep the types of the rows.
    """
    types = _types(rows, len(layout.levels))
    expected = _types(layout.meta, len(layout.levels))
    joined = [_joined_type(*each) for each in zip(expected, types, strict=False)]
    if joined == expected or list(rows.columns) != list(layout.meta.columns):
        return *layout.table(rows, what), None
    own = layout_of(_empty(layout.meta, joined), has_index=bool(layout.levels))
    return *own.table(rows, what), own


def _types(frame: pd.DataFrame, levels: int) -> list[Any]:
    """Return the types of the levels of the index, and of the columns."""
    index = [frame.index.get_level_values(number).dtype for number in range(levels)]
    return [*index, *frame.dtypes]


def _joined_type(expected: Any, own: Any) -> Any:
    """Return the type of rows; categories are the metadata's, which readers complete.

    Whether they are ordered, the rows say: a program's own metadata may be wrong about it.
    """
    if not isinstance(own, pd.CategoricalDtype):
        return own
    known = expected if isinstance(expected, pd.CategoricalDtype) else UNKNOWN_CATEGORIES
    return pd.CategoricalDtype(known.categories, own.ordered)


def _empty(meta: pd.DataFrame, types: list[Any]) -> pd.DataFrame:
    """Return an empty frame like another, with other types."""
    levels = [pd.Index([], dtype=each) for each in types[: len(types) - meta.shape[1]]]
    index: Any = pd.MultiIndex.from_arrays(levels) if len(levels) > 1 else (levels or [None])[0]
    if levels:
        index.names = meta.index.names
    columns = {
        number: pd.Series([], index, dtype=each) for number, each in enumerate(types[len(levels) :])
    }
    found = pd.DataFrame(columns, index)
    found.columns = meta.columns
    return found


def _joined(layout: Layout, written: Sequence[Written]) -> Layout:
    """Return the layout that rows of all maps have when they meet."""
    if not any(each.layout for each in written):
        return layout
    count = len(layout.levels)
    types = [_types((each.layout or layout).meta, count) for each in written]
    common = [_common(list(each)) for each in zip(*types, strict=True)]
    return layout_of(_empty(layout.meta, common), has_index=bool(count))


def _common(dtypes: list[Any]) -> Any:
    """Return the type that pandas takes for rows of several."""
    distinct = [each for number, each in enumerate(dtypes) if each not in dtypes[:number]]
    if len(distinct) == 1:
        return distinct[0]
    return pd.concat([meta_nonempty(pd.Series(dtype=each)) for each in distinct]).dtype


def _require_session(place: Place, ref: Ref) -> None:
    """Delete a blob that was committed after its session had ended: nothing else would."""
    try:
        place.store.open(path_of(place.shuffle)).close()
    except BlobMissing:
        place.store.at(ref.store).delete(ref.path)
        raise BlobMissing(
            f"Cannot write partition {ref.map} of shuffle {ref.shuffle}: its session has ended, or "
            "its lease has expired. Compute results, and wait for persisted ones, before you "
            "close it."
        ) from None


def _report(plan: Plan, ref: Ref) -> None:
    """Let the session know of a blob. Without distributed workers it sees the result."""
    if "distributed" not in sys.modules:
        return
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return
    worker.log_event(plan.place.shuffle, {"run": plan.run, "store": ref.store, "path": ref.path})
