"""Shuffles of Dask data frames through blobs. Needs `dask[dataframe]`.

Each input partition becomes one blob, and each output partition is read from all of them. Workers
exchange only refs. If a worker that held refs is lost, Dask runs their maps again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
from dask.dataframe.dispatch import meta_nonempty
from dask.delayed import delayed

from blobshuffle.arrow import Codec
from blobshuffle.lifecycle import release
from blobshuffle.reader import read
from blobshuffle.ref import Ref, select
from blobshuffle.store import Store, StoreLike, open_store
from blobshuffle.writer import DEFAULT_MEMORY, ShuffleWriter

__all__ = ["release", "shuffle"]


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

    Rows keep their index, and their order within each input partition. Raises `KeyError` for a
    column that is not there. Columns of Python objects must all be of one Arrow type.
    """
    keys = [on] if isinstance(on, str) else list(on)
    unknown = [key for key in keys if key not in frame.columns]
    if unknown or not keys:
        raise KeyError(f"Cannot shuffle on {unknown or keys}: columns are {list(frame.columns)}.")
    meta = frame._meta
    schema = _schema(meta)
    opened = open_store(store)
    inputs = frame.to_delayed()
    write = delayed(_write, pure=False)
    refs = [
        write(part, opened, shuffle, number, len(inputs), npartitions, keys, schema, codec, memory)
        for number, part in enumerate(inputs)
    ]
    whole = delayed(select)(refs, len(inputs))
    load = delayed(_load)
    outputs = [load(whole, number, opened, meta) for number in range(npartitions)]
    return dd.from_delayed(outputs, meta=meta, verify_meta=False)


def _schema(meta: Any) -> pa.Schema:
    """Return the one schema that all partitions are written with."""
    schema = pa.Schema.from_pandas(meta_nonempty(meta), preserve_index=True)
    for number, field in enumerate(schema):
        if pa.types.is_dictionary(field.type):
            # Partitions may have more categories than the sample has.
            wide = pa.dictionary(pa.int32(), field.type.value_type, field.type.ordered)
            schema = schema.set(number, field.with_type(wide))
    return schema


def _write(
    part: pd.DataFrame,
    store: Store,
    shuffle: str,
    number: int,
    maps: int,
    partitions: int,
    keys: list[str],
    schema: pa.Schema,
    codec: Codec,
    memory: int,
) -> Ref:
    """Write an input partition."""
    with ShuffleWriter(
        store,
        shuffle=shuffle,
        map=number,
        maps=maps,
        partitions=partitions,
        codec=codec,
        memory=memory,
        schema=schema,
    ) as writer:
        table = pa.Table.from_pandas(part, schema=schema, preserve_index=True)
        writer.write(table.replace_schema_metadata(schema.metadata), keys=keys)
        return writer.commit()


def _load(refs: list[Ref], partition: int, store: Store, meta: Any) -> pd.DataFrame:
    """Read an output partition."""
    rows = read(refs, partition, store=store).read_all().unify_dictionaries().to_pandas()
    rows.index.names = meta.index.names
    rows.columns.name = meta.columns.name
    return rows.astype(dict(meta.dtypes))
