"""Shuffles that an operation makes for itself, and deletes when it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from blobshuffle.arrow import Codec
from blobshuffle.lifecycle import releasing
from blobshuffle.reader import Convert, blobs, opened, read_as
from blobshuffle.ref import Ref
from blobshuffle.schemas import cast, fitted
from blobshuffle.sizes import Sizes, parts_of, sizes_of
from blobshuffle.store import Store, new_shuffle
from blobshuffle.tasks import LEASE_SECONDS
from blobshuffle.writer import MIN_MEMORY, ShuffleWriter

Assign = Callable[[pa.RecordBatch], Any]
"""A function that returns the partition of each row."""


class Shuffled(NamedTuple):
    """A shuffle that can be read: checked refs, and the schema of its rows.

    `convert` makes rows of this schema of those of a ref.
    """

    refs: list[Ref]
    schema: pa.Schema
    store: Store | None
    sizes: Sizes
    convert: Convert = cast

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self.sizes.rows)

    def read(self, partition: int, part: range | None = None) -> Iterator[pa.RecordBatch]:
        """Return the rows of a partition, or of a part of it."""
        return iter(
            read_as(self.refs, partition, self.schema, self.convert, store=self.store, part=part)
        )

    def parts(self, partition: int, max_bytes: int) -> list[range]:
        """Divide a partition, as `split` does."""
        return parts_of(opened(self.refs, self.store), partition, max_bytes)


def shuffled(refs: Iterable[Ref], schema: pa.Schema, store: Store | None) -> Shuffled:
    """Return a shuffle with its sizes. Raises `IncompleteShuffle`."""
    whole = blobs(refs, None, store)
    return Shuffled([blob.ref for blob in whole], schema, store, sizes_of(whole))


@contextlib.contextmanager
def scratch(
    store: Store,
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    assign: Assign,
    partitions: int,
    memory: int,
    codec: Codec = "lz4",
) -> Iterator[Shuffled]:
    """Write rows as a shuffle of one map, and delete it at the end of the block.

    If the process dies, the shuffle is deleted when its lease expires.
    """
    with releasing(store, new_shuffle("scratch"), lease=LEASE_SECONDS) as name:
        with ShuffleWriter(
            store,
            shuffle=name,
            map=0,
            maps=1,
            partitions=partitions,
            schema=schema,
            memory=max(MIN_MEMORY, memory),
            codec=codec,
        ) as writer:
            for batch in batches:
                same = fitted(batch, schema, "the rows")
                writer.write(same, assign(same))
            ref = writer.commit()
        yield shuffled([ref], schema, store)
