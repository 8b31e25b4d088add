"""Dask data frames through blobs. Needs `dask[dataframe]`.

`enable` lets Dask itself shuffle through blobs, for `merge`, `groupby`, `sort_values` and all else
that it shuffles for. `shuffle` is a shuffle alone, without a change of Dask.

Each input partition becomes one blob, and each output partition is read from all of them. Workers
exchange only refs. If a worker that held refs is lost, Dask runs their maps again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
from dask.delayed import delayed

from blobshuffle.arrow import Codec
from blobshuffle.dask_session import Session
from blobshuffle.frames import Categories, Layout, layout_of, shared_categories
from blobshuffle.keys import partition_ids
from blobshuffle.lifecycle import release
from blobshuffle.reader import read
from blobshuffle.ref import Ref, select
from blobshuffle.schemas import unified
from blobshuffle.store import Store, StoreLike, open_store
from blobshuffle.tasks import LEASE_SECONDS
from blobshuffle.writer import DEFAULT_MEMORY, ShuffleWriter

__all__ = ["Session", "enable", "release", "shuffle"]

_Written = tuple[Ref, pa.Schema, Categories]
_Whole = tuple[list[Ref], pa.Schema, Categories]


def enable(
    store: StoreLike,
    *,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
    lease: float = LEASE_SECONDS,
) -> Session:
    """Let Dask shuffle its data frames through blobs in `store`, which all workers reach.

    Dask gets the shuffle method `blobs`, and its setting `dataframe.shuffle.method` names it until
    the returned session is closed: use it as a context manager, or keep it for the program's
    life. Programs stay as they are, and have the results of Dask's method `tasks`. `codec` and
    `memory` are those of `ShuffleWriter`, for each task. The blobs of a program that is killed go
    when its `lease`, in seconds, has expired.

    Raises `NotImplementedError` for a version of Dask that arranges shuffles in a way that this
    package does not know, and `StoreUnavailable` if the store refuses.
    """
    return Session(store, codec, memory, lease)


def shuffle(
    frame: Any,
    on: str | Sequence[str],
    npartitions: int,
    *,
    store: StoreLike,
    shuffle: str,
    codec: Codec = "lz4",
    memory: int = DEFAULT_MEMORY,
) -> Any:
    """Return a Dask data frame whose rows with equal keys are in one partition.

    `on` names the key columns, `npartitions` is the number of output partitions. `store` is a
    directory or URI that all workers reach, and `shuffle` a name that is unique there
    (`blobshuffle.new_shuffle`). The result is lazy: keep the blobs until you have computed it, and
    then call `release(store, shuffle)`, also if the computation failed. `codec` and `memory` are
    those of `ShuffleWriter`, for each task.

    Rows keep their index, their types, and their order within each input partition. Raises
    `KeyError` for a column that is not there, and `TypeError` for one that cannot be shuffled or
    be a key. Tasks raise `SchemaMismatch` if a partition has values that the frame's metadata does
    not allow, or a column of Python objects has several types.
    """
    keys = [on] if isinstance(on, str) else list(on)
    unknown = [key for key in keys if key not in frame.columns]
    if unknown or not keys:
        raise KeyError(f"Cannot shuffle on {unknown or keys}: columns are {list(frame.columns)}.")
    meta = frame._meta
    layout = layout_of(meta)
    places = layout.names_of(keys)
    partition_ids(layout.sample(), places, npartitions)
    opened = open_store(store)
    inputs = frame.to_delayed()
    write = delayed(_write, pure=False)
    written = [
        write(
            part, opened, shuffle, number, len(inputs), npartitions, places, layout, codec, memory
        )
        for number, part in enumerate(inputs)
    ]
    whole = delayed(_whole)(written, len(inputs), layout)
    load = delayed(_load)
    outputs = [load(whole, number, opened, layout) for number in range(npartitions)]
    return dd.from_delayed(outputs, meta=meta, verify_meta=False)


def _write(
    part: pd.DataFrame,
    store: Store,
    shuffle: str,
    number: int,
    maps: int,
    partitions: int,
    keys: list[str],
    layout: Layout,
    codec: Codec,
    memory: int,
) -> _Written:
    """Write an input partition."""
    table, categories = layout.table(part, f"partition {number}")
    with ShuffleWriter(
        store,
        shuffle=shuffle,
        map=number,
        maps=maps,
        partitions=partitions,
        codec=codec,
        memory=memory,
        schema=table.schema,
    ) as writer:
        writer.write(table, keys=keys)
        return writer.commit(), table.schema, categories


def _whole(written: list[_Written], maps: int, layout: Layout) -> _Whole:
    """Return one ref for each map, and the schema to which readers cast all rows."""
    refs = select((ref for ref, _, _ in written), maps)
    schema = unified((f"partition {ref.map}", schema) for ref, schema, _ in written)
    categories = shared_categories(
        layout, [(f"partition {ref.map}", each) for ref, _, each in written]
    )
    return refs, schema, categories


def _load(whole: _Whole, partition: int, store: Store, layout: Layout) -> pd.DataFrame:
    """Read an output partition."""
    refs, schema, categories = whole
    rows = read(refs, partition, store=store, schema=schema).read_all()
    return layout.frame(rows, categories)
