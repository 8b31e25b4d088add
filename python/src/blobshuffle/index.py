"""The part of a blob's footer that a process keeps: the places of each partition's rows."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from blobshuffle.columns import has_dictionaries
from blobshuffle.container import Container, Frame, Origin, Segment

MAX_CACHED = 64 << 20
"""Most bytes of indices that a process keeps."""

Numbers = npt.NDArray[np.int64]

_NO_FRAMES: tuple[Frame, ...] = ()


class Part(NamedTuple):
    """A range of a blob that can be verified alone; bytes."""

    offset: int
    length: int
    checksum: int


class Place(NamedTuple):
    """A segment: its rows, and the ranges that hold them."""

    rows: int
    parts: tuple[Part, ...]


class BlobIndex:
    """The segments of an Arrow blob, by partition: about 45 bytes each. Immutable."""

    __slots__ = (
        "_checksums",
        "_first_frames",
        "_frame_checksums",
        "_frame_lengths",
        "_lengths",
        "_offsets",
        "_partitions",
        "_raw_lengths",
        "_rows",
        "has_dictionaries",
        "origins",
        "prelude",
        "rows",
        "schema",
    )

    def __init__(self, container: Container, prelude: bytes, schema: pa.Schema) -> None:
        segments = sorted(container.segments, key=_partition)
        self.prelude = prelude
        self.schema = schema
        self.has_dictionaries = any(has_dictionaries(field.type) for field in schema)
        self.origins: frozenset[Origin] = frozenset(s.origin for s in segments if s.origin)
        self.rows = container.rows or 0
        self._partitions = array("I", [segment.partition for segment in segments])
        self._offsets = array("Q", [segment.offset for segment in segments])
        self._lengths = array("Q", [segment.length for segment in segments])
        self._checksums = array("I", [segment.checksum for segment in segments])
        self._rows = array("Q", [segment.rows or 0 for segment in segments])
        self._raw_lengths = array("Q", [_raw_length(segment) for segment in segments])
        self._first_frames = array("I", [0])
        self._frame_lengths = array("I")
        self._frame_checksums = array("I")
        for segment in segments:
            for frame in segment.frames or _NO_FRAMES:
                self._frame_lengths.append(frame.length)
                self._frame_checksums.append(frame.checksum)
            self._first_frames.append(len(self._frame_lengths))

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        return (
            2048 + 2 * len(self.prelude) + 44 * len(self._partitions) + 8 * len(self._frame_lengths)
        )

    def places(self, partition: int) -> Iterator[Place]:
        """Return the segments of a partition, in the order of the blob."""
        at = bisect_left(self._partitions, partition)
        while at < len(self._partitions) and self._partitions[at] == partition:
            yield Place(self._rows[at], tuple(self._parts(at)))
            at += 1

    def _parts(self, at: int) -> Iterator[Part]:
        offset = self._offsets[at]
        first, last = self._first_frames[at], self._first_frames[at + 1]
        if first == last:
            yield Part(offset, self._lengths[at], self._checksums[at])
        for frame in range(first, last):
            length = self._frame_lengths[frame]
            yield Part(offset, length, self._frame_checksums[frame])
            offset += length

    def sizes(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return partition, rows and bytes without compression of each segment."""
        return (
            np.array(self._partitions, np.int64),
            np.array(self._rows, np.int64),
            np.array(self._raw_lengths, np.int64),
        )


def _partition(segment: Segment) -> int:
    return segment.partition


def _raw_length(segment: Segment) -> int:
    return segment.length if segment.raw_length is None else segment.raw_length


class IndexCache:
    """The indices used last, up to a number of bytes. Thread-safe."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[object, BlobIndex] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, load: Callable[[], BlobIndex]) -> BlobIndex:
        """Return the index of a key; load it if it is not there."""
        with self._lock:
            index = self._entries.get(key)
            if index is not None:
                self._entries.move_to_end(key)
                return index
        index = load()
        with self._lock:
            if key not in self._entries and index.size <= self._max_bytes:
                self._entries[key] = index
                self._bytes += index.size
            while self._bytes > self._max_bytes:
                _, oldest = self._entries.popitem(last=False)
                self._bytes -= oldest.size
        return index
