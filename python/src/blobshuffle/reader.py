"""The reduce side: streams the rows of a partition from the blobs of all maps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import pyarrow as pa

from blobshuffle import footer
from blobshuffle.container import ContentKind, Origin, Source
from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt
from blobshuffle.index import MAX_CACHED, BlobIndex, IndexCache, Part
from blobshuffle.ref import Ref, check
from blobshuffle.store import Store, open_store

READ_BYTES = 8 << 20
"""Most bytes that one request asks for, unless one frame has more."""

_OPTIONS = pa.ipc.IpcReadOptions(use_threads=False)

_indices = IndexCache(MAX_CACHED)


def read(
    refs: Iterable[Ref],
    partition: int,
    *,
    maps: int | None = None,
    store: Store | str | os.PathLike[str] | None = None,
) -> pa.RecordBatchReader:
    """Return the rows of a partition, map by map and in the order written.

    `refs` are those of all maps, one each. `maps` is their number; it may be left out if the
    writers were told. `store` is where the blobs are, if not where the refs say. The reader keeps
    about `READ_BYTES` and one batch in memory.

    Raises `IncompleteShuffle` at once if a map is missing or duplicate, and `BlobMissing`,
    `BlobCorrupt` or `StoreUnavailable` at once or while you read. Rows returned before a failure
    are right, but not all: discard them.
    """
    ordered = sorted(refs, key=_map)
    check(ordered, maps)
    first = ordered[0]
    if not 0 <= partition < first.partitions:
        raise ValueError(
            f"Cannot read partition {partition} of shuffle {first.shuffle}: it has "
            f"{first.partitions}, counted from 0."
        )
    opened = [_Blob(_store_of(ref, store), ref) for ref in ordered]
    schema = opened[0].schema()
    return pa.RecordBatchReader.from_batches(schema, _batches(opened, partition, schema))


def _map(ref: Ref) -> int:
    return ref.map


def _store_of(ref: Ref, store: Store | str | os.PathLike[str] | None) -> Store:
    if store is not None:
        return open_store(store)
    if ref.store is None:
        raise ValueError(
            f"Cannot read blob {ref.path}: its ref names no store. Pass store to read."
        )
    return open_store(ref.store)


def _batches(blobs: list[_Blob], partition: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for blob in blobs:
        yield from blob.batches(partition, schema)


class _Blob:
    """The blob of one ref. Owned by one thread."""

    def __init__(self, store: Store, ref: Ref) -> None:
        self._store = store
        self._ref = ref

    def schema(self) -> pa.Schema:
        source = self._store.open(self._ref.path)
        try:
            return self._index(source).schema
        finally:
            source.close()

    def batches(self, partition: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        source = self._store.open(self._ref.path)
        try:
            index = self._index(source)
            if not (index.schema is schema or index.schema.equals(schema)):
                raise BlobCorrupt(
                    f"Cannot read {self._what()}: its schema is\n{index.schema}\nand that of the "
                    f"maps before it\n{schema}\nWrite all maps with one schema."
                )
            for place in index.places(partition):
                rows = 0
                for frames in self._read(source, place.parts):
                    for batch in self._decode(index.prelude, frames):
                        rows += batch.num_rows
                        yield batch
                if rows != place.rows:
                    raise self._corrupt(f"a segment has {rows} rows, its footer says {place.rows}")
        finally:
            source.close()

    def _index(self, source: Source) -> BlobIndex:
        """Return the index, after the cheap checks that the blob is the one of the ref."""
        ref = self._ref
        if source.length != ref.length:
            raise self._corrupt(f"it has {source.length} bytes, and {ref.length} were written")
        return _indices.get((ref.blob, ref.path, ref.checksum), lambda: self._load(source))

    def _load(self, source: Source) -> BlobIndex:
        ref = self._ref
        container, checksum = footer.read_container(source)
        if container.kind != ContentKind.ARROW:
            raise self._corrupt(f"its content is of kind {container.kind.name}")
        if container.id != ref.blob or checksum != ref.checksum:
            raise self._corrupt(f"it is blob {container.id}, and its footer {checksum:08x}")
        assert container.prelude is not None
        prelude = b"".join(self._read(source, (Part(*container.prelude),)))
        index = BlobIndex(container, prelude, self._schema(prelude))
        origin = Origin(ref.shuffle, ref.map, ref.attempt)
        if index.rows != ref.rows or index.origins - {origin}:
            raise self._corrupt(f"it has {index.rows} rows of {set(index.origins)}")
        return index

    def _read(self, source: Source, parts: tuple[Part, ...]) -> Iterator[bytes]:
        """Return adjacent parts, as many as one request may have; each was verified."""
        first = 0
        while first < len(parts):
            start, end = parts[first].offset, parts[first].offset + parts[first].length
            after = first + 1
            while after < len(parts) and end + parts[after].length - start <= READ_BYTES:
                end += parts[after].length
                after += 1
            data = source.read(start, end - start)
            for part in parts[first:after]:
                at = part.offset - start
                whole = part.length == len(data)
                self._verify(part, data if whole else data[at : at + part.length])
            yield data
            first = after

    def _verify(self, part: Part, data: bytes) -> None:
        if len(data) != part.length:
            raise self._corrupt(
                f"only {len(data)} of {part.length} bytes at {part.offset} came: it is cut"
            )
        actual = crc32c(data)
        if actual != part.checksum:
            raise self._corrupt(
                f"the checksum of [{part.offset}, +{part.length}) is {actual:08x}, its footer says "
                f"{part.checksum:08x}"
            )

    def _schema(self, prelude: bytes) -> pa.Schema:
        try:
            return pa.ipc.read_schema(pa.py_buffer(prelude))
        except (pa.ArrowException, OSError, EOFError) as failure:
            raise self._corrupt(f"its prelude is no Arrow schema, {failure}") from failure

    def _decode(self, prelude: bytes, frames: bytes) -> Iterator[pa.RecordBatch]:
        """Decode whole frames: after the prelude, they are an Arrow stream."""
        try:
            with pa.ipc.open_stream(pa.py_buffer(prelude + frames), options=_OPTIONS) as stream:
                yield from stream
        except (pa.ArrowException, OSError, EOFError) as failure:
            raise self._corrupt(f"Arrow cannot decode a frame, {failure}") from failure

    def _what(self) -> str:
        ref = self._ref
        return f"map {ref.map}, attempt {ref.attempt}, of shuffle {ref.shuffle} from {ref.path}"

    def _corrupt(self, reason: str) -> BlobCorrupt:
        return BlobCorrupt(
            f"Cannot read {self._what()}: {reason}. Read it again; if that fails too, run the map "
            "again."
        )
