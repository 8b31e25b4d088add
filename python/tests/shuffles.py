"""Helpers of the tests of shuffles."""

from typing import Any

import numpy as np
import pyarrow as pa

from blobshuffle import ShuffleWriter, read


def table(rows, seed=0):
    """A table of common types, with nulls."""
    random = np.random.default_rng(seed)
    ids = random.integers(0, 1 << 40, rows)
    return pa.table(
        {
            "id": ids,
            "row": np.arange(rows),
            "value": pa.array(random.random(rows), mask=random.random(rows) < 0.1),
            "name": pa.array([None if i % 7 == 0 else f"name {i % 1000}" for i in ids.tolist()]),
        }
    )


def write(
    store,
    data,
    partitions,
    *,
    ids=None,
    batches=1,
    map: int = 0,
    maps: int | None = 1,
    shuffle="s",
    **options: Any,
):
    """Write a table as one map; return its ref."""
    if ids is None:
        ids = pa.array(np.arange(data.num_rows) % partitions)
    with ShuffleWriter(
        store, shuffle=shuffle, map=map, maps=maps, partitions=partitions, **options
    ) as writer:
        step = -(-data.num_rows // batches) or 1
        for at in range(0, max(data.num_rows, 1), step):
            part = data.slice(at, step)
            writer.write(part, pa.array(ids).slice(at, part.num_rows))
        return writer.commit()


def read_all(refs, partitions, **options):
    """All partitions' tables."""
    return [read(refs, partition, **options).read_all() for partition in range(partitions)]


def stored(directory):
    """Every file below a directory."""
    return sorted(path for path in directory.rglob("*") if path.is_file())
