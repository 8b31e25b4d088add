"""The shuffle method `blobs` of Dask data frames, and the places of Dask that it changes.

Dask has no registry of methods. `Shuffle._lower` compares the method with the names that it
knows, `ShuffleBase._meta` leaves the index out for `tasks` alone, `Merge.is_broadcast_join` allows
a broadcast only with these names, and `Merge._lower` merges in one task for `p2p` alone. Bags know
none but their own two methods. `RepartitionQuantiles._layer` seeds the sample of a sort with the
names of the steps before it, in which a session has its own. `install` wraps these six; all other
methods go on as before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from dask.bag import core as _bags
from dask.dataframe.dask_expr import _merge, _quantiles, _shuffle
from dask.dataframe.dask_expr._expr import PartitionsFiltered, Projection
from dask.dataframe.dispatch import make_meta, meta_nonempty
from dask.utils import get_default_shuffle_method

from blobshuffle.dask_expressions import (
    SIMPLE,
    BlobMerge,
    BlobShuffle,
    stored_columns,
    token_without_place,
)
from blobshuffle.dask_tasks import Place

METHOD = "blobs"
"""The name of the method."""

_SHUFFLE = [
    "frame",
    "partitioning_index",
    "npartitions_out",
    "ignore_index",
    "method",
    "options",
    "index_shuffle",
    "original_partitioning_index",
]
_QUANTILES = ["frame", "input_npartitions", "upsample", "random_state"]
_originals: list[tuple[Any, str, Any]] = []
"""What `install` replaced: owner, name and value."""


def install(place: Callable[[], Place], before: str | None) -> None:
    """Let Dask know the method. `place` returns where blobs go when a shuffle is planned.

    `before` is the method that the setting named: bags, which have no rows, go on with it. Raises
    `NotImplementedError` for a Dask whose shuffles are arranged in another way.
    """
    _require_known_layout()
    lower, lower_merge = _shuffle.Shuffle._lower, _merge.Merge._lower
    is_broadcast = _merge.Merge.__dict__["is_broadcast_join"]

    def lowered(self: Any) -> Any:
        if (self.method or get_default_shuffle_method()) != METHOD:
            return lower(self)
        return _planned(self, place())

    def lowered_merge(self: Any) -> Any:
        found = lower_merge(self)
        if not _is_ours(self) or type(found) is not _merge.BlockwiseMerge:
            return found
        return _planned_merge(found, place)

    def broadcast(self: Any) -> bool:
        if not _is_ours(self):
            return is_broadcast.func(self)
        # Whether a side is small does not depend on the method.
        found = is_broadcast.func(self.substitute_parameters({"shuffle_method": "tasks"}))
        if not found or self.how != "inner":
            _require_equal_units(self)
        return found

    for owner, name, value in (
        (_shuffle.Shuffle, "_lower", lowered),
        (_shuffle.ShuffleBase, "_meta", _cached("_meta", _meta_of(_shuffle.ShuffleBase))),
        (_merge.Merge, "_lower", lowered_merge),
        (_merge.Merge, "is_broadcast_join", _cached("is_broadcast_join", broadcast)),
        (_quantiles.RepartitionQuantiles, "_layer", _layer_of(_quantiles.RepartitionQuantiles)),
        (_bags, "get_default_shuffle_method", functools.partial(_method_of_bags, before)),
    ):
        _originals.append((owner, name, owner.__dict__[name]))
        setattr(owner, name, value)


def _cached(name: str, function: Callable[[Any], Any]) -> Any:
    found = functools.cached_property(function)
    found.__set_name__(_shuffle.Shuffle, name)
    return found


def _meta_of(owner: Any) -> Callable[[Any], Any]:
    original = owner.__dict__["_meta"].func

    def meta(self: Any) -> Any:
        found = original(self)
        is_reset = self.ignore_index and self.method == METHOD
        return found.reset_index(drop=True) if is_reset else found

    return meta


def _layer_of(owner: Any) -> Any:
    original = owner._layer

    def layer(self: Any) -> Any:
        is_ours = any(isinstance(each, (BlobShuffle, BlobMerge)) for each in self.frame.walk())
        return original(_Seeded(self) if is_ours and self.random_state is None else self)

    return layer


class _Seeded:
    """A sample whose seed is the same in each session."""

    def __init__(self, sample: Any) -> None:
        self._sample = sample
        self.random_state = int(token_without_place(sample), 16) % np.iinfo(np.int32).max

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sample, name)


def _method_of_bags(before: str | None) -> str:
    """Return what Dask would choose for a bag without this method."""
    method = get_default_shuffle_method()
    if method != METHOD:
        return method
    if before is not None:
        return before
    try:
        from distributed import default_client

        default_client()
    except (ImportError, ValueError):
        return "disk"
    return "tasks"


def uninstall() -> None:
    """Let Dask be as it was before `install`."""
    while _originals:
        owner, name, value = _originals.pop()
        setattr(owner, name, value)


def _is_ours(merge: Any) -> bool:
    return (merge.shuffle_method or get_default_shuffle_method()) == METHOD


def _planned(shuffle: Any, place: Place) -> BlobShuffle:
    _require_pandas(shuffle.frame)
    planned = BlobShuffle(
        shuffle.frame,
        shuffle.partitioning_index,
        shuffle.npartitions_out,
        shuffle.ignore_index,
        shuffle.options,
        shuffle.original_partitioning_index,
        place,
    )
    planned.layout  # noqa: B018  A column without an Arrow type is refused here, not by the scheduler.
    return planned


def _planned_merge(found: Any, place: Callable[[], Place]) -> Any:
    """Return the merge of two sides that both are shuffled for it as one expression."""
    sides = [_arranged(found.left), _arranged(found.right)]
    if None in sides:
        return found
    (left, left_names), (right, right_names) = sides
    planned = BlobMerge(
        left,
        right,
        left_names,
        right_names,
        found.left.npartitions_out,
        found.kwargs,
        _merged_meta(found, sides),
        place(),
    )
    planned.layouts  # noqa: B018  As for a shuffle.
    return planned


def _merged_meta(found: Any, sides: Any) -> pd.DataFrame:
    """Return the metadata of a merge. Dask's has columns of one name several times."""
    if found._meta.columns.is_unique:
        return found._meta
    left, right = (meta_nonempty(stored_columns(side._meta, names)) for side, names in sides)
    how = "left" if found.how == "leftsemi" else found.how
    return make_meta(left.merge(right, **{**found.kwargs, "how": how}))


def _arranged(side: Any) -> Any:
    """Return a side with its column of partitions, and the names of its other columns, or None.

    None if Dask does not shuffle the side, or it has no columns to store.
    """
    if not isinstance(side, _shuffle.RearrangeByColumn) or side.frame.ndim != 2:
        return None
    projection = side._lower()
    shuffle = getattr(projection, "frame", None)
    if not isinstance(projection, Projection) or not isinstance(shuffle, _shuffle.Shuffle):
        return None
    _require_pandas(shuffle.frame)
    return shuffle.frame, list(projection.columns)


def _require_pandas(frame: Any) -> None:
    if not isinstance(frame._meta, pd.DataFrame):
        raise TypeError(
            f"Cannot shuffle a {type(frame._meta).__name__} through blobs: only pandas frames have "
            'Arrow rows. Pass shuffle_method="tasks".'
        )


def _require_equal_units(merge: Any) -> None:
    """Require that times of both sides have one unit.

    Dask hashes the numbers of a time, which depend on its unit, so equal times of two units are in
    different partitions. Its own methods lose their rows.
    """
    left = _key_types(merge.left._meta, merge.left_on, merge.left_index)
    right = _key_types(merge.right._meta, merge.right_on, merge.right_index)
    for (key, one), (_, other) in zip(left, right, strict=False):
        units = _unit(one), _unit(other)
        if None not in units and units[0] != units[1]:
            raise TypeError(
                f"Cannot merge by {key!r}: its times are {one} on the left and {other} on the "
                "right, and Dask does not find equal times of two units. Cast one side with "
                "astype."
            )


def _key_types(meta: Any, on: Any, is_index: bool) -> list[tuple[Any, Any]]:
    """Return name and type of each key."""
    levels = [(name, meta.index.get_level_values(n)) for n, name in enumerate(meta.index.names)]
    if is_index:
        return [(name, level.dtype) for name, level in levels]
    labels = on if isinstance(on, list) else [on]
    found = dict(levels) | {label: meta[label] for label in meta.columns if label in labels}
    return [(label, found[label].dtype) for label in labels if label in found]


def _unit(dtype: Any) -> str | None:
    """Return the unit of a type of times; None for another type."""
    if isinstance(dtype, pd.ArrowDtype):
        is_time = pa.types.is_timestamp(dtype.pyarrow_dtype)
        is_time |= pa.types.is_duration(dtype.pyarrow_dtype)
        unit = dtype.pyarrow_dtype.unit if is_time else None  # type: ignore[attr-defined]
    elif isinstance(dtype, pd.DatetimeTZDtype):
        unit = dtype.unit
    else:
        is_time = isinstance(dtype, np.dtype) and dtype.kind in "mM"
        unit = np.datetime_data(dtype)[0] if is_time else None
    return unit


def _require_known_layout() -> None:
    """Require that Dask has what `install` replaces, in the form that it knows."""
    problem = _problem()
    if problem:
        raise NotImplementedError(
            f"Cannot add the shuffle method {METHOD!r} to Dask {version('dask')}: {problem}. Use "
            "a version of Dask that this package is tested with (its extra 'dask' and "
            "docs/guides/python-dask.md name them), or call blobshuffle.dask.shuffle."
        )


def _problem() -> str | None:
    lower = getattr(_shuffle.Shuffle._lower, "__code__", None)
    broadcast = _merge.Merge.__dict__.get("is_broadcast_join")
    if _shuffle.Shuffle._parameters != _SHUFFLE:
        return f"Shuffle has the parameters {_shuffle.Shuffle._parameters}"
    if _shuffle.SimpleShuffle._parameters != SIMPLE:
        return f"SimpleShuffle has the parameters {_shuffle.SimpleShuffle._parameters}"
    if not issubclass(_shuffle.SimpleShuffle, PartitionsFiltered):
        return "SimpleShuffle does not filter partitions"
    if lower is None or not {"get_default_shuffle_method", "P2PShuffle"} <= {*lower.co_names}:
        return "Shuffle._lower does not choose the method"
    merge_lower = getattr(_merge.Merge.__dict__.get("_lower"), "__code__", None)
    if merge_lower is None or not {"BlockwiseMerge", "RearrangeByColumn"} <= {
        *merge_lower.co_names
    }:
        return "Merge._lower does not shuffle both sides"
    if not isinstance(broadcast, functools.cached_property):
        return "Merge.is_broadcast_join is no cached property"
    if not isinstance(_shuffle.ShuffleBase.__dict__.get("_meta"), functools.cached_property):
        return "ShuffleBase._meta is no cached property"
    if _quantiles.RepartitionQuantiles._parameters != _QUANTILES:
        return f"RepartitionQuantiles has {_quantiles.RepartitionQuantiles._parameters}"
    if not hasattr(_bags, "get_default_shuffle_method"):
        return "bags do not ask for the method"
    return None
