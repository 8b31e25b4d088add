"""The shuffle method `blobs` of Dask data frames, and the two places of Dask that it changes.

Dask has no registry of methods. `Shuffle._lower` compares the method with the names that it
knows, and `Merge.is_broadcast_join` allows a broadcast only with these. `install` wraps both; all
other methods go on as before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
from dask._task_spec import Task, TaskRef
from dask.dataframe.dask_expr import _merge, _shuffle
from dask.dataframe.dask_expr._expr import PartitionsFiltered
from dask.utils import get_default_shuffle_method

from blobshuffle.dask_tasks import WHOLE, WRITE, Place, Plan, begin, load, whole, write
from blobshuffle.frames import Layout, layout_of

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
_SIMPLE = [
    "frame",
    "partitioning_index",
    "npartitions_out",
    "ignore_index",
    "options",
    "original_partitioning_index",
    "_partitions",
]


class BlobShuffle(_shuffle.SimpleShuffle):  # type: ignore[misc]
    """A shuffle through blobs by the column that has each row's partition.

    Rows of an output partition come in the order of the input partitions, and in each of these
    in their order. The graph is the same each time, so Dask runs equal ones once.
    """

    _parameters = [*_SIMPLE[:-1], "place", "_partitions"]  # noqa: RUF012

    @functools.cached_property
    def _meta(self) -> pd.DataFrame:
        meta = self.frame._meta.drop(columns=self.partitioning_index)
        return meta.reset_index(drop=True) if self.ignore_index else meta

    @functools.cached_property
    def layout(self) -> Layout:
        """How rows are stored. A blob needs a column, so the index stays if there is no other."""
        return layout_of(self._meta, has_index=not self.ignore_index or not self._meta.shape[1])

    def _layer(self) -> dict[Any, Any]:
        run = self._name.rpartition("-")[2]
        maps = self.frame.npartitions
        wanted = list(self._partitions)
        plan = Plan(
            self.place,
            run,
            maps,
            self.npartitions_out,
            self.partitioning_index,
            self.layout,
            tuple(wanted) if self._filtered else None,
        )
        begun = Task(f"blobs-begin-{run}", begin, plan)
        writes = [
            Task((f"{WRITE}{run}", n), write, TaskRef((self.frame._name, n)), begun.ref(), n)
            for n in range(maps)
        ]
        collected = Task(f"{WHOLE}{run}", whole, begun.ref(), *(each.ref() for each in writes))
        loads = [
            Task((self._name, n), load, collected.ref(), begun.ref(), partition)
            for n, partition in enumerate(wanted)
        ]
        return {each.key: each for each in [begun, *writes, collected, *loads]}


class _Originals:
    """What `install` replaced."""

    lower: Callable[[Any], Any] | None = None
    is_broadcast: functools.cached_property[bool] | None = None


def install(place: Callable[[], Place]) -> None:
    """Let Dask know the method. `place` returns where blobs go when a shuffle is planned.

    Raises `NotImplementedError` for a Dask whose shuffles are arranged in another way.
    """
    _require_known_layout()
    lower, is_broadcast = _shuffle.Shuffle._lower, _merge.Merge.__dict__["is_broadcast_join"]

    def lowered(self: Any) -> Any:
        if (self.method or get_default_shuffle_method()) != METHOD:
            return lower(self)
        return _planned(self, place())

    def broadcast(self: Any) -> bool:
        if (self.shuffle_method or get_default_shuffle_method()) != METHOD:
            return is_broadcast.func(self)
        # Whether a side is small does not depend on the method.
        found = is_broadcast.func(self.substitute_parameters({"shuffle_method": "tasks"}))
        if not found or self.how != "inner":
            _require_equal_units(self)
        return found

    wrapped = functools.cached_property(broadcast)
    wrapped.__set_name__(_merge.Merge, "is_broadcast_join")
    _Originals.lower, _Originals.is_broadcast = lower, is_broadcast
    _shuffle.Shuffle._lower = lowered
    _merge.Merge.is_broadcast_join = wrapped


def uninstall() -> None:
    """Let Dask be as it was before `install`."""
    assert _Originals.lower is not None
    assert _Originals.is_broadcast is not None
    _shuffle.Shuffle._lower = _Originals.lower
    _merge.Merge.is_broadcast_join = _Originals.is_broadcast
    _Originals.lower = _Originals.is_broadcast = None


def _planned(shuffle: Any, place: Place) -> BlobShuffle:
    if not isinstance(shuffle.frame._meta, pd.DataFrame):
        raise TypeError(
            f"Cannot shuffle a {type(shuffle.frame._meta).__name__} through blobs: only pandas "
            'frames have Arrow rows. Pass shuffle_method="tasks".'
        )
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
                "astype, or dd.to_datetime(...).dt.as_unit."
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
            f"Cannot add the shuffle method {METHOD!r} to Dask {dask.__version__}: {problem}. Use "
            "a version of Dask that this package is tested with (its extra 'dask' and "
            "docs/guides/python-dask.md name them), or call blobshuffle.dask.shuffle."
        )


def _problem() -> str | None:
    lower = getattr(_shuffle.Shuffle._lower, "__code__", None)
    broadcast = _merge.Merge.__dict__.get("is_broadcast_join")
    if _shuffle.Shuffle._parameters != _SHUFFLE:
        return f"Shuffle has the parameters {_shuffle.Shuffle._parameters}"
    if _shuffle.SimpleShuffle._parameters != _SIMPLE:
        return f"SimpleShuffle has the parameters {_shuffle.SimpleShuffle._parameters}"
    if not issubclass(_shuffle.SimpleShuffle, PartitionsFiltered):
        return "SimpleShuffle does not filter partitions"
    if lower is None or not {"get_default_shuffle_method", "P2PShuffle"} <= {*lower.co_names}:
        return "Shuffle._lower does not choose the method"
    if not isinstance(broadcast, functools.cached_property):
        return "Merge.is_broadcast_join is no cached property"
    return None
