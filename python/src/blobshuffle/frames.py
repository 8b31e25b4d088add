"""Pandas frames as Arrow rows, and back with the types that they had."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from blobshuffle.failure import SchemaMismatch
from blobshuffle.nested import (
    Collection,
    collected,
    collection_of,
    common,
    flattened,
    missing_of,
)

Categories = dict[str, Any]
"""What readers must know of columns besides their Arrow types.

For each categorical column, an index of the type of its categories; of ordered ones, whole. For
columns of lists, sets and arrays, a `Collection`.
"""

_MAX_BLOCKS = 64

_UNKNOWN = "__UNKNOWN_CATEGORIES__"

UNKNOWN_CATEGORIES = pd.CategoricalDtype([_UNKNOWN])
"""The type by which Dask's metadata says that it does not know the categories."""

_OBJECTS: tuple[type, ...] = (
    str,
    bytes,
    bool,
    int,
    float,
    decimal.Decimal,
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
)
"""Types of Python objects that come back as they were. The first that fits a value counts."""

_NUMPY = {
    np.integer: int,
    np.float64: float,
    np.float32: float,
    np.float16: float,
    np.bool_: bool,
}
"""NumPy's numbers, which come back as Python's."""

_EXACT = {str, bytes, bool, int, float}
"""Types of which Arrow keeps every value. Of the others it may drop zones and nanoseconds."""


@dataclass(frozen=True)
class Column:
    """A column of a frame, or a level of its index.

    `type` is its Arrow type; None if it depends on the values. `has_codes` says that a categorical
    column is stored as the codes of the categories in `dtype`.
    """

    name: str
    dtype: Any
    type: pa.DataType | None
    has_codes: bool = False


@dataclass(frozen=True)
class Layout:
    """The columns of all partitions: first the levels of the index, then the others. Picklable.

    Without levels the index is not stored, and rows come back numbered from 0.
    """

    meta: pd.DataFrame
    levels: tuple[Column, ...]
    columns: tuple[Column, ...]

    def names_of(self, labels: Sequence[Any]) -> list[str]:
        """Return the names that columns have in Arrow."""
        places = list(self.meta.columns)
        return [self.columns[places.index(label)].name for label in labels]

    def sample(self) -> pa.RecordBatch:
        """Return no rows, with a stand-in for types that depend on values."""
        columns = [*self.levels, *self.columns]
        arrays = [pa.nulls(0, column.type or pa.null()) for column in columns]
        return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in columns])

    def table(self, part: pd.DataFrame, what: str) -> tuple[pa.Table, Categories]:
        """Return a partition's rows. Raises `SchemaMismatch`, which names the column."""
        if list(part.columns) != list(self.meta.columns) or (
            self.levels and part.index.nlevels != len(self.levels)
        ):
            raise SchemaMismatch(
                f"Cannot shuffle {what}: its columns are {list(part.columns)}, and the metadata of "
                f"its frame says {list(self.meta.columns)}. Correct the metadata."
            )
        values: list[Any] = [part.index.get_level_values(i) for i in range(len(self.levels))]
        values += [part.iloc[:, i] for i in range(part.shape[1])]
        categories: Categories = {}
        arrays: list[Any] = []
        for column, data in zip([*self.levels, *self.columns], values, strict=True):
            arrays.append(_array(column, pd.Series(data), what, categories))
        names = [column.name for column in [*self.levels, *self.columns]]
        return pa.Table.from_arrays(arrays, names=names), categories

    def frame(self, rows: pa.Table, categories: Categories) -> pd.DataFrame:
        """Return rows as they were in their partitions."""
        found = [
            _values(column, _in_chunks(rows.column(number)), categories)
            for number, column in enumerate([*self.levels, *self.columns])
        ]
        index = self._index(found[: len(self.levels)], rows.num_rows)
        # Without its type, an array of strings as objects would become one of strings.
        columns = {
            number: pd.Series(each, index=index, dtype=each.dtype)
            for number, each in enumerate(found[len(self.levels) :])
        }
        # To copy the columns joins them, without which pandas warns of frames of many columns.
        frame = pd.DataFrame(columns, index=index, copy=len(columns) > _MAX_BLOCKS)
        frame.columns = self.meta.columns
        return frame

    def _index(self, levels: list[Any], rows: int) -> pd.Index:
        if not levels:
            return pd.RangeIndex(rows)
        found = [pd.Index(each, dtype=each.dtype) for each in levels]
        index: Any = found[0] if len(found) == 1 else pd.MultiIndex.from_arrays(found)
        index.names = self.meta.index.names
        return index


def layout_of(meta: pd.DataFrame, *, has_index: bool = True) -> Layout:
    """Return how frames like an empty one are stored, with their index or without.

    Raises `TypeError`, which names the column, for one that Arrow has no type for.
    """
    labels = [str(label) for label in meta.columns]
    if len(set(labels)) < len(labels):
        labels = [f"{number}: {label}" for number, label in enumerate(labels)]
    levels = [
        _column(f"__index_level_{i}__", pd.Series(meta.index.get_level_values(i)))
        for i in range(meta.index.nlevels if has_index else 0)
    ]
    columns = [_column(label, meta.iloc[:, i]) for i, label in enumerate(labels)]
    return Layout(meta, tuple(levels), tuple(columns))


def _column(name: str, empty: Any) -> Column:
    dtype = empty.dtype
    if _is_object(dtype):
        return Column(name, dtype, None)
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(name, dtype)
    try:
        data_type = _plain(empty).type
    except (pa.ArrowException, TypeError) as failure:
        raise TypeError(
            f"Cannot shuffle column {name!r} of type {dtype}: {failure}. Convert it to numbers, "
            "strings, times or an Arrow type."
        ) from None
    return Column(name, dtype, data_type)


def _categorical(name: str, dtype: Any) -> Column:
    if not _is_known(dtype):
        return Column(name, dtype, None)
    try:
        value_type: Any = pa.array(dtype.categories, from_pandas=True).type
    except (pa.ArrowException, TypeError):
        value_type = None
    if value_type is None or _is_compound(value_type):
        return Column(name, dtype, pa.int32(), has_codes=True)
    return Column(name, dtype, pa.dictionary(pa.int32(), value_type, bool(dtype.ordered)))


def _is_compound(data_type: pa.DataType) -> bool:
    """Return whether Arrow cannot join dictionaries of a type."""
    return isinstance(data_type, pa.BaseExtensionType) or pa.types.is_nested(data_type)


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _is_known(dtype: Any) -> bool:
    """Return whether metadata has the categories."""
    return len(dtype.categories) > 0 and _UNKNOWN not in dtype.categories


def _plain(values: Any) -> Any:
    if isinstance(values.dtype, pd.SparseDtype):
        values = values.astype(values.dtype.subtype)
    found: Any = pa.array(values, from_pandas=True)
    return found


def _array(column: Column, values: Any, what: str, categories: Categories) -> Any:
    try:
        if isinstance(column.dtype, pd.CategoricalDtype):
            return _encoded(column, values, what, categories)
        if _is_object(column.dtype):
            return _objects(column, values.astype(object), what, categories)
        found = _plain(values)
        assert column.type is not None
        found = found if found.type.equals(column.type) else found.cast(column.type)
    except SchemaMismatch:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as failure:
        # A ValueError is a string that UTF-8 cannot encode.
        raise _refused(column, what, str(failure)) from None
    if found.null_count and _has_no_null(column.dtype):
        raise _refused(column, what, f"it has {found.null_count} missing values")
    return found


def _has_no_null(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biu"


def _refused(column: Column, what: str, reason: str) -> SchemaMismatch:
    return SchemaMismatch(
        f"Cannot shuffle column {column.name!r} of {what}: the metadata of its frame says "
        f"{column.dtype}, and {reason}. Correct the metadata, or cast the column with astype."
    )


def _objects(column: Column, values: Any, what: str, categories: Categories) -> Any:
    """Return Python objects as Arrow values. They must be of one type, or missing."""
    present = values[~_missing(values)]
    collection = collection_of(present)
    if collection is not None:
        found, categories[column.name] = _collections(column, values, collection, what)
        return found
    types = set(map(type, present))
    kinds = {_kind(each) for each in types}
    if None in kinds or len(kinds) > 1:
        names = sorted({each.__name__ for each in types})
        raise SchemaMismatch(
            f"Cannot shuffle column {column.name!r} of {what}: its Python objects are "
            f"{', '.join(names)}. Convert it to one type with astype, such as pd.ArrowDtype."
        )
    found: Any = _inferred(values, types)
    if not kinds <= _EXACT:
        _require_same(column, values, found, what)
    return found


def _collections(
    column: Column, values: Any, collection: Collection, what: str
) -> tuple[Any, Collection]:
    """Return lists, sets or arrays as Arrow lists. Their items follow the rules of objects."""
    items, offsets = flattened(list(values), _missing(values), collection)
    if collection.dtype is not None:
        plain = _plain(items)
        plain = plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
        return pa.ListArray.from_arrays(offsets, plain), collection
    objects = np.empty(len(items), object)
    objects[:] = items
    types = {type(each) for each in items if not _is_missing(each)}
    kinds = {_kind(each) for each in types}
    if kinds == {float}:
        # Arrow keeps NaN and None apart.
        known = [None if each is pd.NA or each is pd.NaT else each for each in items]
        return pa.ListArray.from_arrays(offsets, pa.array(known, pa.float64())), collection
    if kinds == {int, float}:
        found: Any = pa.array(objects, pa.float64(), from_pandas=True)
        _require_same(column, objects, found, what)
    elif kinds & {None}:
        raise SchemaMismatch(
            f"Cannot shuffle column {column.name!r} of {what}: its Python objects are "
            f"{collection.type.__name__}s of {', '.join(sorted(each.__name__ for each in types))}. "
            "Convert it with astype(pd.ArrowDtype(...))."
        )
    else:
        found = _objects(column, objects, what, {})
    missing = missing_of(each for each in items if _is_missing(each))
    return pa.ListArray.from_arrays(offsets, found), replace(collection, missing=missing)


def _inferred(values: Any, types: set[type]) -> Any:
    """Return objects as Arrow values, with the nanoseconds of pandas' own times."""
    found: Any = pa.array(values, from_pandas=True)
    exact: Any = None
    if types and all(issubclass(each, pd.Timestamp) for each in types):
        exact = pa.timestamp("ns", found.type.tz)
    elif types and all(issubclass(each, pd.Timedelta) for each in types):
        exact = pa.duration("ns")
    if exact is None:
        return found
    try:
        return pa.array(values, exact, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        # Nanoseconds count up to the year 2262.
        return found


def _require_same(column: Column, values: Any, found: Any, what: str) -> None:
    """Require that objects come back equal."""
    for value, other in zip(values, found.to_pylist(), strict=True):
        if not _is_same(value, other):
            raise SchemaMismatch(
                f"Cannot shuffle column {column.name!r} of {what}: its Python objects have no "
                f"common {found.type}, because zones or units differ. Convert it to one type with "
                "astype, such as pd.ArrowDtype."
            )


def _is_same(value: Any, other: Any) -> bool:
    if _is_missing(value):
        return other is None
    if isinstance(value, (datetime.datetime, datetime.time)):
        if (value.tzinfo is None) != (other.tzinfo is None):
            return False
        return value == other and value.utcoffset() == other.utcoffset()
    return bool(value == other)


def _missing(values: Any) -> Any:
    return np.array([_is_missing(each) for each in values], bool)


def _is_missing(value: object) -> bool:
    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, float) and value != value)
    )


def _kind(data_type: type) -> type | None:
    found = next((each for each in _OBJECTS if issubclass(data_type, each)), None)
    return found or next(
        (kind for each, kind in _NUMPY.items() if issubclass(data_type, each)), None
    )


def _encoded(column: Column, values: Any, what: str, categories: Categories) -> Any:
    data = values if isinstance(values.dtype, pd.CategoricalDtype) else values.astype("category")
    found = data.cat.categories
    ordered = bool(column.dtype.ordered)
    if not len(found) and column.type is None and not ordered:
        # Missing values alone have no type, whatever pandas calls it.
        categories[column.name] = pd.Index([], dtype=object)
        return pa.nulls(len(data))
    categories[column.name] = found if ordered else found[:0]
    if column.has_codes:
        places = column.dtype.categories.get_indexer(found)
        if (places < 0).any():
            odd = list(found[places < 0])[:3]
            raise _refused(column, what, f"its categories have {odd} besides")
        codes = np.append(places, -1)[data.cat.codes.to_numpy()].astype(np.int32)
        return pa.array(codes)
    known: Any = column.type
    values_type = None if known is None else known.value_type
    dictionary: Any = pa.array(found, from_pandas=True)
    if _is_compound(dictionary.type):
        raise _refused(column, what, f"its categories are {dictionary.type}: call cat.as_known()")
    if values_type is not None and not dictionary.type.equals(values_type):
        dictionary = dictionary.cast(values_type)
    codes = data.cat.codes.to_numpy().astype(np.int32)
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=ordered)


def shared_categories(layout: Layout, written: Sequence[tuple[str, Categories]]) -> Categories:
    """Return the common categories of all maps.

    Raises `SchemaMismatch` for ordered ones that differ: two orders have no common one.
    """
    shared: Categories = {}
    for column in [*layout.levels, *layout.columns]:
        if not isinstance(column.dtype, pd.CategoricalDtype):
            _share_collections(column, written, shared)
            continue
        if _is_known(column.dtype):
            shared[column.name] = column.dtype.categories
            continue
        for what, each in written:
            found = each[column.name]
            before = shared.get(column.name)
            if before is None or (before.dtype == object and not len(before)):
                shared[column.name] = found
            elif column.dtype.ordered and len(found) and not found.equals(before):
                raise _refused(column, what, "its ordered categories differ from those before")
    return shared


def _share_collections(
    column: Column, written: Sequence[tuple[str, Categories]], shared: Categories
) -> None:
    found = [(what, each[column.name]) for what, each in written if column.name in each]
    if not found:
        return
    collection = common([each for _, each in found])
    if collection is None:
        odd = next(what for what, each in found if common([found[0][1], each]) is None)
        raise _refused(column, odd, f"its {found[-1][1]} is none of {found[0][0]}")
    shared[column.name] = collection


def _in_chunks(rows: Any) -> Any:
    """Return a column that has a chunk: pandas fails on some operations without one."""
    return rows if rows.num_chunks else pa.chunked_array([pa.nulls(0, rows.type)])


def _values(column: Column, rows: Any, categories: Categories) -> Any:
    """Return a column as pandas had it."""
    dtype = column.dtype
    if column.has_codes:
        return pd.Categorical.from_codes(rows.to_numpy(), dtype=dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        return _decoded(rows, dtype, categories[column.name])
    if _is_object(dtype):
        collection = categories.get(column.name)
        if collection is not None and pa.types.is_list(rows.type):
            items = Column(column.name, collection.dtype or dtype, None)
            return collected(rows, collection, lambda each: _values(items, each, {}))
        values = np.empty(len(rows), object)
        values[:] = rows.to_pylist()
        return values
    if isinstance(dtype, pd.SparseDtype):
        return pd.arrays.SparseArray(rows.to_numpy(), dtype=dtype)
    if hasattr(dtype, "__from_arrow__"):
        return dtype.__from_arrow__(rows)
    values = rows.to_pandas().array
    values = values if values.dtype == dtype else values.astype(dtype)
    # One chunk is Arrow's own memory, which programs must not change.
    return values if rows.num_chunks > 1 else values.copy()


def _decoded(rows: Any, dtype: Any, like: Any) -> Any:
    """Return a categorical column; known categories come first, in their order."""
    if pa.types.is_null(rows.type):
        return pd.Categorical.from_codes(np.full(len(rows), -1), like)
    joined = rows.unify_dictionaries()
    if not pa.types.is_dictionary(joined.type):
        joined = joined.dictionary_encode()
    chunks = joined.chunks
    found = _index(chunks[0].dictionary if chunks else pa.array([], joined.type.value_type), like)
    codes = [np.asarray(chunk.indices.fill_null(-1)) for chunk in chunks]
    places = np.concatenate([np.zeros(0, np.int64), *codes]).astype(np.int64)
    if _is_known(dtype) or dtype.ordered:
        known = like
        extra = found[known.get_indexer(found) < 0]
        whole = known.append(extra) if len(extra) else known
        recoded = np.append(whole.get_indexer(found), -1)
        return pd.Categorical.from_codes(recoded[places], whole, ordered=bool(dtype.ordered))
    return pd.Categorical.from_codes(places, found, ordered=False)


def _index(values: Any, like: Any) -> Any:
    if _is_object(like.dtype):
        return pd.Index(values.to_pylist(), dtype=object)
    found = pd.Index(values.to_pandas())
    return found if found.dtype == like.dtype else found.astype(like.dtype)
