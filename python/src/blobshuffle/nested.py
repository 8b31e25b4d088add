"""Lists, tuples, sets and arrays in columns of Python objects, which Arrow has as lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

_MISSING: dict[str, Any] = {"nan": float("nan"), "NaT": pd.NaT, "<NA>": pd.NA}

_PLAIN: tuple[type, ...] = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class Collection:
    """What the objects of a column are: a type of collections, and what is in them. Picklable.

    `type` is list, tuple, set, frozenset or `numpy.ndarray`, which stands for pandas' arrays too.
    `dtype` is that of arrays, None for those of objects. `missing` has the names of the missing
    values that collections of objects have.
    """

    type: type
    dtype: Any = None
    missing: frozenset[str] = frozenset()

    @property
    def missing_value(self) -> Any:
        """What stands for missing items: None unless all are another value."""
        return _MISSING.get(next(iter(self.missing))) if len(self.missing) == 1 else None


def collection_of(present: Sequence[Any]) -> Collection | None:
    """Return what objects are; None if they are not collections, or of several types."""
    found = {_kind_of(each) for each in present}
    if len(found) != 1:
        return None
    kind = found.pop()
    return None if kind is None else Collection(*kind)


def _kind_of(value: Any) -> tuple[Any, Any] | None:
    if isinstance(value, pd.api.extensions.ExtensionArray):
        # The categories of two arrays differ.
        return None if isinstance(value, pd.Categorical) else (np.ndarray, value.dtype)
    if isinstance(value, np.ndarray):
        is_object = value.dtype.kind == "O"
        return (np.ndarray, None if is_object else value.dtype) if value.ndim == 1 else None
    return (type(value), None) if type(value) in _PLAIN else None


def flattened(values: Sequence[Any], are_missing: Sequence[bool], collection: Collection) -> Any:
    """Return the items of all collections, and the offsets of each, null if it is missing."""
    sizes = [0 if missing else len(each) for each, missing in zip(values, are_missing, strict=True)]
    bounds = np.append(0, np.cumsum(sizes, dtype=np.int64))
    offsets = pa.array(bounds, pa.int32(), mask=np.append(are_missing, False).astype(bool))
    present = [each for each, missing in zip(values, are_missing, strict=True) if not missing]
    if collection.dtype is None:
        return list(itertools.chain.from_iterable(present)), offsets
    return pd.concat([pd.Series(each, dtype=collection.dtype) for each in present]), offsets


def missing_of(missing: Iterable[Any]) -> frozenset[str]:
    """Return the names of missing values."""
    return frozenset("nan" if isinstance(each, float) else str(each) for each in missing)


def common(collections: Sequence[Collection]) -> Collection | None:
    """Return what collections of several maps are; None if they have no common type."""
    first = collections[0]
    if any((each.type, each.dtype) != (first.type, first.dtype) for each in collections):
        return None
    return replace(first, missing=frozenset[str]().union(*(each.missing for each in collections)))


def collected(rows: Any, collection: Collection, items_of: Callable[[Any], Any]) -> Any:
    """Return lists of Arrow as collections; `items_of` returns their items as pandas has them."""
    found = np.empty(len(rows), object)
    missing, at = collection.missing_value, 0
    for chunk in rows.chunks:
        items = items_of(pa.chunked_array([chunk.flatten()]))
        if missing is not None:
            items[[each is None for each in items]] = missing
        begin = 0
        for size in chunk.value_lengths().to_pylist():
            if size is not None:
                part = items[begin : begin + size]
                found[at] = part if collection.type is np.ndarray else collection.type(part)
                begin += size
            at += 1
    return found


__all__ = ["Collection", "collected", "collection_of", "common", "flattened", "missing_of"]
