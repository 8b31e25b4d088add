"""The reduce side: streams the rows of a partition from the blobs of all maps."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import pyarrow as pa

from blobshuffle import footer
from blobshuffle.adaptive import rates_of
from blobshuffle.container import ContentKind, Origin, Source
from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt, SchemaMismatch
from blobshuffle.index import MAX_CACHED, BlobIndex, IndexCache, Part, Place
from blobshuffle.ref import Ref, check
from blobshuffle.schemas import cast
from blobshuffle.store import Store, StoreLike, open_store

READ_BYTES = 8 << 20
"""Most bytes that one request asks for, unless one frame has more."""

_JOINED_BYTES = 1 << 20
_STREAMS = 32
"""Most blobs that one reader has open."""

_OPTIONS = pa.ipc.IpcReadOptions(use_threads=False)

_indices = IndexCache(MAX_CACHED)

Convert = Callable[[pa.RecordBatch, pa.Schema, str], pa.RecordBatch]
"""A function that returns a batch of rows of an origin, with another schema."""


def read(
    refs: Iterable[Ref],
    partition: int,
    *,
    maps: int | None = None,
    store: StoreLike | None = None,
    schema: pa.Schema | None = None,
    part: range | None = None,
) -> pa.RecordBatchReader:
    """Return the rows of a partition, map by map and in the order written.

    `refs` are those of all maps, one each. `maps` is their number; it may be left out if the
    writers know it. `store` is where the blobs are, if not where the refs say. The reader keeps
    about `READ_BYTES` and one batch in memory, and four times that much more for object stores.
    The reader casts all rows to `schema`; without it, all maps must have one schema. `part` are the
    maps whose rows are wanted, such as one of `split`; the others are required, but not read.

    Raises `IncompleteShuffle` at once if a map is missing or duplicate, and `BlobMissing`,
    `BlobCorrupt`, `SchemaMismatch` or `StoreUnavailable` at once or while you read. Rows returned
    before a failure are right but incomplete: discard them.
    """
    return _reader(blobs(refs, maps, store), partition, schema, part, cast)


def read_as(
    refs: Iterable[Ref],
    partition: int,
    schema: pa.Schema,
    convert: Convert,
    *,
    store: Store | None = None,
    part: range | None = None,
) -> pa.RecordBatchReader:
    """Return the rows of a partition of checked refs, and convert each batch to the schema."""
    return _reader(opened(refs, store), partition, schema, part, convert)


def _reader(
    whole: list[Blob],
    partition: int,
    schema: pa.Schema | None,
    part: range | None,
    convert: Convert,
) -> pa.RecordBatchReader:
    whole[0].require(partition)
    wanted = whole if part is None else whole[part.start : part.stop]
    if schema is None:
        same = whole[0].index().schema
        rows = _batches(wanted, partition, same)
        return pa.RecordBatchReader.from_batches(same, rows)
    what = f"partition {partition}"
    rows = (convert(batch, schema, what) for batch in _batches(wanted, partition, None))
    return pa.RecordBatchReader.from_batches(schema, rows)


def blobs(refs: Iterable[Ref], maps: int | None, store: StoreLike | None) -> list[Blob]:
    """Return the blobs of refs in the order of maps. Raises `IncompleteShuffle`."""
    ordered = sorted(refs, key=_map)
    check(ordered, maps)
    return opened(ordered, store)


def opened(refs: Iterable[Ref], store: StoreLike | None) -> list[Blob]:
    """Return the blobs of refs that are checked, in their order."""
    place = None if store is None else open_store(store)
    return [Blob(_store_of(ref, place), ref) for ref in refs]


def _map(ref: Ref) -> int:
    return ref.map


def _store_of(ref: Ref, store: Store | None) -> Store:
    if store is not None:
        return store.at(ref.store)
    if ref.store is None:
        raise ValueError(
            f"Cannot read blob {ref.path}: its ref names no store. Pass store to read."
        )
    return open_store(ref.store)


def _batches(
    blobs: list[Blob], partition: int, schema: pa.Schema | None
) -> Iterator[pa.RecordBatch]:
    """Return the batches of a partition. Without a schema, each has that of its map."""
    return _Decoder().batches(_frames(blobs, partition, schema))


def _frames(blobs: list[Blob], partition: int, schema: pa.Schema | None) -> Iterator[_Frames]:
    depth = blobs[0].read_ahead if blobs else 0
    if depth:
        return _frames_ahead(blobs, partition, schema, depth * READ_BYTES)
    return (
        frames
        for number, blob in enumerate(blobs)
        for frames in blob.frames(partition, schema, number == 0)
    )


def _frames_ahead(
    blobs: list[Blob], partition: int, schema: pa.Schema | None, memory: int
) -> Iterator[_Frames]:
    """Return frames in the order of blobs, and request those of the next blobs meanwhile.

    Up to `_STREAMS` blobs are opened, and first frames requested, as many as `memory` holds.
    """
    opening: deque[Future[_Segments]] = deque()
    started: deque[tuple[_Segments, Future[_Started]]] = deque()
    rest = iter(blobs)
    pool = ThreadPoolExecutor(min(_STREAMS, len(blobs)), "blobshuffle-read")
    held = 0
    try:
        while True:
            for blob in itertools.islice(rest, _STREAMS - len(opening) - len(started)):
                opening.append(pool.submit(blob.segments, partition, schema))
            while opening and (not started or _may_start(opening[0], memory - held)):
                segments = opening.popleft().result()
                held += segments.ahead
                started.append((segments, pool.submit(_start, segments)))
            if not started:
                return
            segments, future = started[0]
            first, frames = future.result()
            yield from first
            yield from frames
            started.popleft()
            held -= segments.ahead
    finally:
        pool.shutdown(cancel_futures=True)
        for each in [each.result() for each in opening if _is_opened(each)]:
            each.close()
        for segments, _ in started:
            segments.close()


def _may_start(opening: Future[_Segments], memory: int) -> bool:
    """Return whether a blob is open, and its first frames fit into memory."""
    return opening.done() and _is_opened(opening) and opening.result().ahead <= memory


def _is_opened(opening: Future[_Segments]) -> bool:
    return not opening.cancelled() and opening.exception() is None


def _start(segments: _Segments) -> _Started:
    """Request the first frames of a partition."""
    frames = segments.frames(is_first=False)
    return list(itertools.islice(frames, 1)), frames


class _Frames(NamedTuple):
    """Whole frames of a segment: with the blob's prelude before them, an Arrow stream.

    `rows` are those of the segment, `is_last` says that it ends with these, and `joins` that
    frames of another blob may be before them in the stream.
    """

    blob: Blob
    prelude: bytes
    data: bytes
    rows: int
    is_last: bool
    joins: bool


_Started = tuple[list[_Frames], Iterator[_Frames]]


class _Decoder:
    """Decodes the frames of a partition, and counts the rows of each segment. Owned by one thread.

    To parse a schema takes as long as to decode a small frame, so small frames of several blobs
    are decoded as one stream. Those with dictionaries are not: the dictionaries of one blob must
    not reach the frames of another. The first frames are decoded alone: a reader has its first
    batch before the other blobs are opened.
    """

    def __init__(self) -> None:
        self._rows = 0

    def batches(self, all_frames: Iterable[_Frames]) -> Iterator[pa.RecordBatch]:
        group: list[_Frames] = []
        size, limit = 0, 0
        for frames in all_frames:
            if group and not (frames.joins and frames.prelude == group[0].prelude):
                yield from self._group(group)
                group, size = [], 0
            group.append(frames)
            size += len(frames.data)
            if size >= limit:
                yield from self._group(group)
                group, size, limit = [], 0, _JOINED_BYTES
        if group:
            yield from self._group(group)

    def _group(self, group: list[_Frames]) -> Iterator[pa.RecordBatch]:
        segments = deque(frames for frames in group if frames.is_last)
        if not group[-1].is_last:
            segments.append(group[-1])
        stored = b"".join([group[0].prelude, *(frames.data for frames in group)])
        try:
            with pa.ipc.open_stream(pa.py_buffer(stored), options=_OPTIONS) as stream:
                for batch in stream:
                    self._count(batch.num_rows, segments, group[-1])
                    yield batch
        except (pa.ArrowException, OSError, EOFError) as failure:
            blob = (segments[0] if segments else group[-1]).blob
            raise blob.corrupt(f"Arrow cannot decode a frame, {failure}") from failure
        self._count(0, segments, group[-1])
        if segments and segments[0].is_last:
            raise self._miscounted(segments[0])

    def _count(self, rows: int, segments: deque[_Frames], last: _Frames) -> None:
        """Add rows, and remove the segments that are complete."""
        self._rows += rows
        while segments and segments[0].is_last and self._rows >= segments[0].rows:
            if self._rows > segments[0].rows:
                raise self._miscounted(segments[0])
            segments.popleft()
            self._rows = 0
        if self._rows > (segments[0].rows if segments else 0):
            raise self._miscounted(segments[0] if segments else last)

    def _miscounted(self, frames: _Frames) -> BlobCorrupt:
        return frames.blob.corrupt(
            f"a segment has {self._rows} rows, its footer says {frames.rows}"
        )


class Blob:
    """The blob of one ref. Owned by one thread."""

    def __init__(self, store: Store, ref: Ref) -> None:
        self.ref = ref
        self._store = store
        self._rate = rates_of(store).read

    def index(self) -> BlobIndex:
        """Return where the rows of each partition are. Reads the footer if it is not known."""
        source = self._store.open(self.ref.path)
        try:
            return self._index(source)
        finally:
            source.close()

    def require(self, partition: int) -> None:
        """Raise `ValueError` if the shuffle has no such partition."""
        ref = self.ref
        if not 0 <= partition < ref.partitions:
            raise ValueError(
                f"Cannot read partition {partition} of shuffle {ref.shuffle}: it has "
                f"{ref.partitions}, counted from 0."
            )

    @property
    def read_ahead(self) -> int:
        """How many blobs to request ahead: that of the store."""
        return self._store.read_ahead

    def frames(self, partition: int, schema: pa.Schema | None, is_first: bool) -> Iterator[_Frames]:
        """Return the verified frames of a partition. Without a schema, the blob may have any."""
        return self.segments(partition, schema).frames(is_first)

    def segments(self, partition: int, schema: pa.Schema | None) -> _Segments:
        """Open the blob, and return where it has a partition. Its frames close it."""
        source = self._store.open(self.ref.path)
        try:
            index = self._index(source)
            if schema is not None and not index.schema.equals(schema):
                raise SchemaMismatch(
                    f"Cannot read {self._what()}: its schema is\n{index.schema}\nand that of the "
                    f"maps before it\n{schema}\nWrite all maps with one schema, or pass schema "
                    "to read."
                )
            return _Segments(self, source, index, index.places(partition))
        except BaseException:
            source.close()
            raise

    def _index(self, source: Source) -> BlobIndex:
        """Return the index, after the cheap checks that the blob is the one of the ref."""
        ref = self.ref
        if source.length != ref.length:
            raise self.corrupt(f"it has {source.length} bytes, and {ref.length} were written")
        return _indices.get((ref.blob, ref.path, ref.checksum), lambda: self._load(source))

    def _load(self, source: Source) -> BlobIndex:
        ref = self.ref
        container, checksum = footer.read_container(source)
        if container.kind != ContentKind.ARROW:
            raise self.corrupt(f"its content is of kind {container.kind.name}")
        if container.id != ref.blob or checksum != ref.checksum:
            raise self.corrupt(f"it is blob {container.id}, and its footer {checksum:08x}")
        assert container.prelude is not None
        ((_, prelude),) = self.read(source, (Part(*container.prelude),))
        if container.partitions not in (None, ref.partitions):
            raise self.corrupt(
                f"it has {container.partitions} partitions, and its ref says {ref.partitions}"
            )
        index = BlobIndex(container, prelude, self._schema(prelude))
        origin = Origin(ref.shuffle, ref.map, ref.attempt)
        if index.rows != ref.rows or index.origins - {origin}:
            raise self.corrupt(f"it has {index.rows} rows of {set(index.origins)}")
        return index

    def read(self, source: Source, parts: tuple[Part, ...]) -> Iterator[tuple[int, bytes]]:
        """Return offset and bytes of adjacent parts, as many as one request may have, verified."""
        first = 0
        while first < len(parts):
            start, end = parts[first].offset, parts[first].offset + parts[first].length
            after = first + 1
            while after < len(parts) and end + parts[after].length - start <= READ_BYTES:
                end += parts[after].length
                after += 1
            began = time.perf_counter()
            data = source.read(start, end - start)
            self._rate.observe(len(data), time.perf_counter() - began)
            for part in parts[first:after]:
                at = part.offset - start
                whole = part.length == len(data)
                self._verify(part, data if whole else data[at : at + part.length])
            yield start, data
            first = after

    def _verify(self, part: Part, data: bytes) -> None:
        if len(data) != part.length:
            raise self.corrupt(
                f"only {len(data)} of {part.length} bytes at {part.offset} came: it is cut"
            )
        actual = crc32c(data)
        if actual != part.checksum:
            raise self.corrupt(
                f"the checksum of [{part.offset}, +{part.length}) is {actual:08x}, its footer says "
                f"{part.checksum:08x}"
            )

    def _schema(self, prelude: bytes) -> pa.Schema:
        try:
            return pa.ipc.read_schema(pa.py_buffer(prelude))
        except (pa.ArrowException, OSError, EOFError) as failure:
            raise self.corrupt(f"its prelude is no Arrow schema, {failure}") from failure

    def _what(self) -> str:
        ref = self.ref
        return f"map {ref.map}, attempt {ref.attempt}, of shuffle {ref.shuffle} from {ref.path}"

    def corrupt(self, reason: str) -> BlobCorrupt:
        """Make the failure of this blob."""
        return BlobCorrupt(
            f"Cannot read {self._what()}: {reason}. Read it again; if that fails too, run the map "
            "again."
        )


class _Segments:
    """The segments of one partition in an open blob. Used by one thread at a time."""

    def __init__(
        self, blob: Blob, source: Source, index: BlobIndex, places: Iterable[Place]
    ) -> None:
        self._blob = blob
        self._source = source
        self._index = index
        self._places = tuple(places)

    def close(self) -> None:
        """Close the blob."""
        self._source.close()

    @property
    def ahead(self) -> int:
        """How many bytes the first request asks for, or a little more."""
        return min(READ_BYTES, sum(part.length for each in self._places for part in each.parts))

    def frames(self, is_first: bool) -> Iterator[_Frames]:
        """Return the frames, those of the first blob one by one until there is a batch."""
        index = self._index
        try:
            for place in self._places:
                end = place.parts[-1].offset + place.parts[-1].length
                parts = (place.parts[:1], place.parts[1:]) if is_first else (place.parts,)
                for at, data in itertools.chain.from_iterable(
                    self._blob.read(self._source, each) for each in parts
                ):
                    yield _Frames(
                        self._blob,
                        index.prelude,
                        data,
                        place.rows,
                        at + len(data) == end,
                        not index.has_dictionaries,
                    )
                is_first = False
        finally:
            self._source.close()
