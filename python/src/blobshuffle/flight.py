"""The map side for workers that reach no directory: puts rows into a Flight daemon."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.flight

from blobshuffle.arrow import FRAME_BYTES, BatchEncoder, FrameCodec, write_options
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
        options = _flight.FlightCallOptions(headers=headers, write_options=write_options(codec))
        self._partitions = partitions
        self._maps = maps
        self._encoder = BatchEncoder(schema, codec)
        self._partitioner = Partitioner(partitions, MORSEL_BYTES)
        self._rows = 0
        self._ref: Ref | None = None
        self._is_closed = False
        descriptor = _flight.FlightDescriptor.for_path(*names)
        self._writer, self._answers = client.do_put(descriptor, schema, options)

    def write(
        self,
        batch: pa.RecordBatch | pa.Table,
        partition_ids: Any = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> None:
        """Write rows, each to its partition, as `ShuffleWriter.write` does.

        Raises `StoreUnavailable` if the daemon does not take them: begin a new attempt.
        """
        if (partition_ids is None) == (keys is None):
            raise ValueError("Cannot write a batch: pass either partition_ids or keys.")
        for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
            if keys is not None:
                ids: Any = ids_of_keys(part, keys, self._partitions)
            else:
                ids = partition_ids[: part.num_rows]
                partition_ids = partition_ids[part.num_rows :]
            checked = checked_ids(ids, part.num_rows, self._partitions)
            for morsel in self._partitioner.add(self._encoder.prepare(part), checked):
                self._send(morsel)
        if keys is None and len(partition_ids):
            raise ValueError(f"Cannot write a batch: {len(partition_ids)} partition ids are left.")

    def _send(self, morsel: Morsel) -> None:
        most = max(1, int(FRAME_BYTES / max(morsel.row_bytes, 1e-9)))
        for index, partition in enumerate(morsel.partitions.tolist()):
            at, left = int(morsel.starts[index]), int(morsel.counts[index])
            while left:
                count = min(left, most)
                batch = self._encoder.restored(morsel.batch.slice(at, count))
                try:
                    self._writer.write_with_metadata(batch, struct.pack("<I", partition))
                except pa.ArrowException as failure:
                    raise self._failed(failure) from failure
                self._rows += count
                at, left = at + count, left - count

    def commit(self) -> Ref:
        """Make the rows readable, and return what readers need. Idempotent.

        Pass `HttpStore` of the daemon to `read`, or commit the shuffle and read it by Flight.
        Raises `StoreUnavailable` if the daemon does not take them: nothing is readable then.
        """
        if self._ref is not None:
            return self._ref
        for morsel in self._partitioner.drain():
            self._send(morsel)
        try:
            self._writer.write_metadata(struct.pack("<q", self._rows))
            self._writer.done_writing()
            answer = self._answers.read()
            self._writer.close()
        except pa.ArrowException as failure:
            raise self._failed(failure) from failure
        self._is_closed = True
        if answer is None:
            raise BlobShuffleError("Cannot commit a map: the daemon has not answered. Upgrade it.")
        self._ref = self._ref_of(json.loads(answer.to_pybytes()))
        return self._ref

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
        """Discard what is not committed. Idempotent."""
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
