"""The map side: partitions batches and writes them as one blob."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import pyarrow as pa

from blobshuffle.adaptive import AdaptiveCodec, rates_of
from blobshuffle.arrow import (
    FRAME_BYTES,
    SMALL_DICTIONARY,
    BatchEncoder,
    Codec,
    EncodedFrame,
    FrameCodec,
)
from blobshuffle.columns import Weights
from blobshuffle.container import BlobId, ContentKind, Origin
from blobshuffle.container_writer import ContainerWriter
from blobshuffle.failure import StoreUnavailable
from blobshuffle.keys import partition_ids as ids_of_keys
from blobshuffle.partitioner import Morsel, Partitioner, checked_ids
from blobshuffle.ref import Ref
from blobshuffle.spills import Spills
from blobshuffle.store import SHUFFLES, StoreLike, Upload, checked_name, open_store
from blobshuffle.wire import MAX_INT, MAX_LONG

DEFAULT_MEMORY = 256 << 20
"""Bytes of rows that a writer keeps before it spills."""

MIN_MEMORY = 4 << 20

_ZONE = "default"
_MILLIS_PER_GENERATION = 60_000


class ShuffleWriter:
    """Writes the rows of one attempt of one map, for all partitions, as one blob.

    Rows stay in memory up to about `memory` bytes; further rows go to an unnamed file in
    `spill_directory` (default: the store's directory, else the system's temporary one). While it
    gathers rows it needs up to a quarter of `memory` more. If the store has several directories,
    spilled rows and the blob go on to another when one is full or fails. Nothing is readable
    before `commit`, and a writer that is not committed leaves nothing. Owned by one thread.
    """

    def __init__(
        self,
        store: StoreLike,
        *,
        shuffle: str,
        map: int,
        partitions: int,
        attempt: int = 0,
        maps: int | None = None,
        codec: Codec = "lz4",
        schema: pa.Schema | None = None,
        memory: int = DEFAULT_MEMORY,
        spill_directory: str | os.PathLike[str] | None = None,
    ) -> None:
        """Begin an attempt of a map.

        `shuffle` is unique in the store (`new_shuffle`), `map` counts the maps of the shuffle from
        0 and `attempt` the runs of that map. `maps` is how many maps the shuffle has; without it,
        readers must pass it. `schema` is needed only if the map may have no batch. Raises
        `ValueError` for an illegal argument.
        """
        if not 1 <= partitions <= MAX_INT or not 0 <= map <= MAX_LONG or attempt < 0:
            raise ValueError(
                f"Cannot write map {map}, attempt {attempt}, for {partitions} partitions: numbers "
                "must not be negative, and there is at least one partition."
            )
        if maps is not None and not map < maps:
            raise ValueError(f"Cannot write map {map} of {maps}: maps count from 0.")
        if memory < MIN_MEMORY:
            raise ValueError(f"Cannot write with {memory} bytes of memory: at least {MIN_MEMORY}.")
        self._store = open_store(store)
        self._origin = Origin(checked_name(shuffle), map, attempt)
        self._maps = maps
        self._partitions = partitions
        self._rates = rates_of(self._store)
        self._adaptive = AdaptiveCodec(self._rates) if codec == "adaptive" else None
        self._codec: FrameCodec = "lz4" if codec == "adaptive" else codec
        self._memory = memory
        self._spill_directory = spill_directory
        self._encoder = None if schema is None else BatchEncoder(schema, self._codec)
        self._partitioner = Partitioner(partitions, memory // 4, SMALL_DICTIONARY)
        self._morsels: list[Morsel] = []
        self._gathered_bytes = 0
        self._weights: Weights | None = None
        self._spill: Spills | None = None
        self._ref: Ref | None = None
        self._failure: BaseException | None = None
        self._is_closed = False

    @property
    def spilled_bytes(self) -> int:
        """Bytes that did not fit into memory."""
        return self._spill.bytes_written if self._spill else 0

    def write(
        self,
        batch: pa.RecordBatch | pa.Table,
        partition_ids: Any = None,
        *,
        keys: str | Sequence[str] | None = None,
    ) -> None:
        """Write rows, each to its partition.

        Pass either `partition_ids`, an integer for each row, or `keys`, a column or several whose
        hash decides (`blobshuffle.partition_ids`). The writer may keep the batch until `commit`:
        do not change its buffers. A batch is taken whole or not at all. Raises `ValueError` for ids
        out of range or another schema than before: the writer goes on without the batch. Raises
        `StoreUnavailable` if the disk does not take spilled rows: the writer takes nothing more,
        so discard it.
        """
        self._require_open()
        if (partition_ids is None) == (keys is None):
            raise ValueError("Cannot write a batch: pass either partition_ids or keys.")
        parts = batch.to_batches() if isinstance(batch, pa.Table) else [batch]
        if keys is not None:
            found = [ids_of_keys(part, keys, self._partitions) for part in parts]
            partition_ids = pa.concat_arrays([pa.array([], pa.uint32()), *found])
        ids = checked_ids(partition_ids, batch.num_rows, self._partitions)
        encoder = self._encoder or BatchEncoder(batch.schema, self._codec)
        encoder.check(batch.schema)
        prepared = [encoder.prepare(part) for part in parts]
        self._encoder = encoder
        with self._failing():
            at = 0
            for part in prepared:
                for morsel in self._partitioner.add(part, ids.slice(at, part.num_rows)):
                    self._keep(morsel)
                at += part.num_rows

    def commit(self) -> Ref:
        """Make the blob readable, and return the ref that readers need. Idempotent.

        Raises `StoreUnavailable` if the store does not take it: nothing is readable then, and
        nothing is left except bytes that the store refuses to delete. Raises `ValueError` if the
        writer got neither a batch nor a schema.
        """
        if self._ref is not None:
            return self._ref
        self._require_open()
        if self._encoder is None:
            raise ValueError(
                f"Cannot commit map {self._origin.map}: it has no batch, so its schema is unknown. "
                "Pass schema to ShuffleWriter."
            )
        with self._failing():
            self._ref = self._commit(self._encoder)
        self.close()
        return self._ref

    def close(self) -> None:
        """Discard uncommitted rows. Idempotent."""
        self._is_closed = True
        self._morsels = []
        if self._spill:
            self._spill.close()

    def __enter__(self) -> ShuffleWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        """End the writer if the block fails: part of a batch may be taken."""
        try:
            yield
        except BaseException as failure:
            self._failure = failure
            self.close()
            raise

    def _require_open(self) -> None:
        if self._failure is not None:
            raise ValueError(
                f"Cannot write map {self._origin.map} of shuffle {self._origin.shuffle}: its "
                f"writer has failed: {self._failure} Make a new one with the next attempt."
            ) from self._failure
        if self._is_closed:
            raise ValueError(
                f"Cannot write map {self._origin.map} of shuffle {self._origin.shuffle}: its "
                "writer is closed. Make a new one with the next attempt."
            )

    def _keep(self, morsel: Morsel) -> None:
        self._morsels.append(morsel)
        weights = self._weights = self._weights or Weights(morsel.batch.schema)
        self._gathered_bytes += sum(weights.of(morsel.batch))
        if self._gathered_bytes >= self._memory // 2:
            self._spill_morsels()

    def _spill_morsels(self) -> None:
        if self._spill is None:
            self._spill = Spills(self._spill_directories, self._store.leave)
        assert self._encoder is not None
        self._spill.write_run(
            self._frames_in_memory, shares_dictionaries=not self._encoder.is_mixed
        )
        self._morsels, self._gathered_bytes = [], 0
        if self._weights:
            self._weights.clear()

    def _spill_directories(self) -> Sequence[str | None]:
        if self._spill_directory is not None:
            return [os.fspath(self._spill_directory)]
        return self._store.spill_directories

    def _frames_in_memory(self) -> Iterator[tuple[int, EncodedFrame]]:
        for partition, pieces in self._pieces():
            for frame in self._frames(pieces):
                yield partition, frame

    def _pieces(self) -> Iterator[tuple[int, list[tuple[Morsel, int]]]]:
        """Return where the rows in memory are, partition by partition."""
        places: dict[int, list[tuple[Morsel, int]]] = {}
        for morsel in self._morsels:
            for index, partition in enumerate(morsel.partitions.tolist()):
                places.setdefault(partition, []).append((morsel, index))
        for partition in sorted(places):
            yield partition, places[partition]

    def _frames(self, pieces: list[tuple[Morsel, int]]) -> Iterator[EncodedFrame]:
        """Encode the rows of a partition as frames of about `FRAME_BYTES`."""
        encoder = self._encoder
        assert encoder is not None
        group: list[pa.RecordBatch] = []
        size = 0.0
        for morsel, index in pieces:
            at, left = int(morsel.starts[index]), int(morsel.counts[index])
            while left:
                room = max(1, int((FRAME_BYTES - size) / max(morsel.row_bytes, 1e-9)))
                count = min(left, room)
                group.append(morsel.batch.slice(at, count))
                size += count * morsel.row_bytes
                at, left = at + count, left - count
                if size + morsel.row_bytes > FRAME_BYTES:
                    yield from self._encode(encoder, group)
                    group, size = [], 0.0
        if group:
            yield from self._encode(encoder, group)

    def _encode(self, encoder: BatchEncoder, group: list[pa.RecordBatch]) -> Iterator[EncodedFrame]:
        return self._adaptive.encode(encoder, group) if self._adaptive else encoder.encode(group)

    def _commit(self, encoder: BatchEncoder) -> Ref:
        for morsel in self._partitioner.drain():
            self._keep(morsel)
        for left in reversed(range(self._store.attempts)):
            try:
                return self._write_blob(encoder)
            except StoreUnavailable:
                if not left:
                    raise
        raise AssertionError("a store has at least one place")

    def _write_blob(self, encoder: BatchEncoder) -> Ref:
        """Write the blob to one place of the store. It may be called again if that fails."""
        millis = time.time_ns() // 1_000_000
        blob = BlobId(millis // _MILLIS_PER_GENERATION, secrets.randbits(64), 0)
        shuffle, number, attempt = self._origin
        path = f"{SHUFFLES}/{shuffle}/m{number}-a{attempt}-{blob}.blob"
        upload = _TimedUpload(self._store.create(path))
        try:
            writer = ContainerWriter(
                blob, 0, millis, ContentKind.ARROW, upload.write, self._partitions
            )
            self._write_content(encoder, writer)
            container = writer.finish()
            upload.commit()
        except BaseException:
            upload.abort()
            raise
        self._rates.write.observe(writer.length, upload.seconds)
        return Ref(
            upload.location or self._store.location,
            shuffle,
            number,
            attempt,
            self._maps,
            self._partitions,
            blob,
            path,
            writer.length,
            container.rows or 0,
            writer.checksum,
        )

    def _write_content(self, encoder: BatchEncoder, writer: ContainerWriter) -> None:
        writer.prelude(encoder.prelude())
        in_memory = dict(self._pieces())
        present = set(in_memory)
        if self._spill:
            self._spill.finish()
            present |= self._spill.partitions()
        if present:
            writer.section(_ZONE)
        for partition in sorted(present):
            frames = self._all_frames(encoder, partition, in_memory.pop(partition, []))
            writer.segment(partition, self._origin, frames)

    def _all_frames(
        self, encoder: BatchEncoder, partition: int, pieces: list[tuple[Morsel, int]]
    ) -> Iterator[EncodedFrame]:
        if self._spill:
            dictionaries = encoder.shared_messages if encoder.is_mixed else b""
            yield from self._spill.frames(partition, dictionaries)
        yield from self._frames(pieces)


class _TimedUpload:
    """Measures the seconds that an upload takes. Owned by one thread."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self.location = upload.location
        self.seconds = 0.0

    def write(self, data: bytes | pa.Buffer) -> None:
        began = time.perf_counter()
        self._upload.write(data)
        self.seconds += time.perf_counter() - began

    def commit(self) -> None:
        began = time.perf_counter()
        self._upload.commit()
        self.seconds += time.perf_counter() - began

    def abort(self) -> None:
        self._upload.abort()
