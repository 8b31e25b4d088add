"""The rows and bytes of partitions, before they are read, and how to divide large ones."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from blobshuffle.index import BlobIndex, Numbers
from blobshuffle.reader import Blob, blobs
from blobshuffle.ref import Ref
from blobshuffle.store import StoreLike


class Sizes(NamedTuple):
    """The rows, and the bytes without compression, of each partition of a shuffle."""

    rows: Numbers
    bytes: Numbers


def sizes(refs: Iterable[Ref], *, maps: int | None = None, store: StoreLike | None = None) -> Sizes:
    """Return the sizes of all partitions, from the footers of the blobs: no row is read.

    A process keeps the footers that it reads, so a reader that follows does not read them again.
    Raises what `read` raises.
    """
    return sizes_of(blobs(refs, maps, store))


def sizes_of(whole: list[Blob]) -> Sizes:
    """Return the sizes of all partitions of the blobs of a shuffle."""
    partitions = whole[0].ref.partitions
    rows = np.zeros(partitions, np.int64)
    size = np.zeros(partitions, np.int64)
    for index in _indices(whole):
        numbers, own_rows, own_bytes = index.sizes()
        np.add.at(rows, numbers, own_rows)
        np.add.at(size, numbers, own_bytes)
    return Sizes(rows, size)


def split(
    refs: Iterable[Ref],
    partition: int,
    max_bytes: int,
    *,
    maps: int | None = None,
    store: StoreLike | None = None,
) -> list[range]:
    """Divide a partition into parts of adjacent maps, each of at most `max_bytes` of rows.

    A part goes to `read`. A map that has more is a part of its own, and an empty partition has one
    part. Raises what `read` raises.
    """
    if max_bytes < 1:
        raise ValueError(f"Cannot divide a partition into parts of {max_bytes} bytes: at least 1.")
    return parts_of(blobs(refs, maps, store), partition, max_bytes)


def parts_of(whole: list[Blob], partition: int, max_bytes: int) -> list[range]:
    """Divide a partition of the blobs of a shuffle as `split` does."""
    whole[0].require(partition)
    parts: list[range] = []
    start, total = 0, 0
    for number, index in enumerate(_indices(whole)):
        numbers, _, own_bytes = index.sizes()
        size = int(own_bytes[numbers == partition].sum())
        if total and total + size > max_bytes:
            parts.append(range(start, number))
            start, total = number, 0
        total += size
    return [*parts, range(start, len(whole))]


def _indices(whole: list[Blob]) -> Iterable[BlobIndex]:
    depth = whole[0].read_ahead
    if not depth:
        return (blob.index() for blob in whole)
    with ThreadPoolExecutor(depth, "blobshuffle-sizes") as pool:
        return list(pool.map(Blob.index, whole))
