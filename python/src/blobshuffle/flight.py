"""The map side for workers that reach no directory: puts rows into a Flight daemon."""

from __future__ import annotations

import contextlib
import json
import struct
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.flight

from blobshuffle.arrow import (
    FRAME_BYTES,
    SMALL_DICTIONARY,
    BatchEncoder,
    FrameCodec,
    usable,
    write_options,
)
from blobshuffle.container import BlobId
from blobshuffle.failure import BlobShuffleError, StoreUnavailable
from blobshuffle.keys import partition_ids as ids_of_keys
from blobshuffle.partitioner import Morsel, Partitioner, checked_ids
from blobshuffle.ref import Ref
from blobshuffle.store import checked_name

MORSEL_BYTES = 64 << 20
"""Most bytes of rows that a writer gathers at a time."""

_flight: Any = pyarrow.flight


class FlightWriter:
    """Sends the rows of one attempt of one map to a Flight daemon, which makes a blob of them.

    It keeps at most `MORSEL_BYTES` of rows and as much again while it gathers them; the daemon
    makes it wait when it is too fast. Nothing is readable before `commit`, and a writer that is not
    committed leaves nothing. Begin it when batches are ready: the daemon ends a stream that is
    silent while others wait. Owned by one thread.
    """

    def __init__(
        self,
        client: Any,
        *,
        namespace: str,
        shuffle: str,
        map: int,
        partitions: int,
        schema: pa.Schema,
        attempt: int = 0,
        maps: int | None = None,
        codec: FrameCodec = "lz4",
        token: str | None = None,
    ) -> None:
        """Begin an attempt of a map.

        `client` is a `pyarrow.flight.FlightClient`, `token` one of the namespace. The others are as
        for `ShuffleWriter`. Raises `ValueError` for an illegal argument.
        """
        checked_name(shuffle)
        names = [namespace, shuffle, str(map), str(attempt), str(partitions)]
        headers = [] if token is None else [(b"authorization", b"Bearer " + token.encode())]
        options = _flight.FlightCallOptions(
            headers=headers, write_options=write_options(usable(codec, schema))
        )
        self._partitions = partitions
        self._maps = maps
        self._encoder = BatchEncoder(schema, codec)
        self._partitioner = Partitioner(partitions, MORSEL_BYTES, SMALL_DICTIONARY)
        self._rows = 0
        self._ref: Ref | None = None
        self._map = map
        self._failure: BaseException | None = None
        self._is_closed = False
        descriptor = _flight.FlightDescriptor.for_path(*names)
        self._writer, self._answers = client.do_put(descriptor, schema, options)

    def write(
        self,
        batch: pa.RecordBatch | pa.Table,
        partition_ids: Any = None,
        *,
        keys: str | Sequence[str] | None = None,
    ) -> None:
        """Write rows, each to its partition, as `ShuffleWriter.write` does.

        A batch is taken whole or not at all. Raises `ValueError` for a batch that is not taken.
        Raises `StoreUnavailable` if the daemon does not take the rows: the writer takes nothing
        more, so begin a new attempt.
        """
        self._require_open()
        if (partition_ids is None) == (keys is None):
            raise ValueError("Cannot write a batch: pass either partition_ids or keys.")
        self._encoder.check(batch.schema)
        parts = batch.to_batches() if isinstance(batch, pa.Table) else [batch]
        if keys is not None:
            found = [ids_of_keys(part, keys, self._partitions) for part in parts]
            partition_ids = pa.concat_arrays([pa.array([], pa.uint32()), *found])
        ids = checked_ids(partition_ids, batch.num_rows, self._partitions)
        prepared = [self._encoder.prepare(part) for part in parts]
        with self._failing():
            at = 0
            for part in prepared:
                for morsel in self._partitioner.add(part, ids.slice(at, part.num_rows)):
                    self._send(morsel)
                at += part.num_rows

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        """End the writer if the block fails: part of a batch may be sent."""
        try:
            yield
        except BaseException as failure:
            self._failure = failure
            self.close()
            raise

    def _require_open(self) -> None:
        if self._failure is not None:
            raise ValueError(
                f"Cannot put map {self._map}: its writer has failed: {self._failure} Make a new "
                "one with the next attempt."
            ) from self._failure
        if self._is_closed:
            raise ValueError(
                f"Cannot put map {self._map}: its writer is closed. Make a new one with the next "
                "attempt."
            )

    def _send(self, morsel: Morsel) -> None:
        most = max(1, int(FRAME_BYTES / max(morsel.row_bytes, 1e-9)))
        for index, partition in enumerate(morsel.partitions.tolist()):
            at, left = int(morsel.starts[index]), int(morsel.counts[index])
            while left:
                count = min(left, most)
                for batch in self._encoder.parts(morsel.batch.slice(at, count)):
                    self._put(batch, partition)
                at, left = at + count, left - count

    def _put(self, batch: pa.RecordBatch, partition: int) -> None:
        try:
            self._writer.write_with_metadata(batch, struct.pack("<I", partition))
        except pa.ArrowException as failure:
            raise self._failed(failure) from failure
        self._rows += batch.num_rows

    def commit(self) -> Ref:
        """Make the rows readable, and return the ref that readers need. Idempotent.

        Pass `HttpStore` of the daemon to `read`, or commit the shuffle and read it by Flight.
        Raises `StoreUnavailable` if the daemon does not take them: nothing is readable then.
        """
        if self._ref is not None:
            return self._ref
        self._require_open()
        with self._failing():
            self._ref = self._commit()
        self._is_closed = True
        return self._ref

    def _commit(self) -> Ref:
        for morsel in self._partitioner.drain():
            self._send(morsel)
        try:
            self._writer.write_metadata(struct.pack("<q", self._rows))
            self._writer.done_writing()
            answer = self._answers.read()
            self._writer.close()
        except pa.ArrowException as failure:
            raise self._failed(failure) from failure
        if answer is None:
            raise BlobShuffleError("Cannot commit a map: the daemon has not answered. Upgrade it.")
        return self._ref_of(json.loads(answer.to_pybytes()))

    def _ref_of(self, answer: dict[str, Any]) -> Ref:
        generation, writer, sequence = answer["blob"].split("-")
        return Ref(
            None,
            answer["shuffle"],
            answer["map"],
            answer["attempt"],
            self._maps,
            self._partitions,
            BlobId(int(generation), int(writer, 16), int(sequence)),
            answer["path"],
            answer["length"],
            answer["rows"],
            answer["checksum"],
        )

    @staticmethod
    def _failed(failure: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"Cannot put a map: {failure} Correct what it names, then put the next attempt."
        )

    def close(self) -> None:
        """Discard uncommitted rows. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            # Without the number of rows, the daemon stores nothing.
            self._writer.close()
        except pa.ArrowException:
            return

    def __enter__(self) -> FlightWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
