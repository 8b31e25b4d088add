"""Frames that left memory before the commit: one unnamed file, read back partition by partition."""

from __future__ import annotations

import contextlib
import os
import tempfile
from array import array
from collections.abc import Iterator

from blobshuffle.arrow import EncodedFrame
from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt, StoreUnavailable
from blobshuffle.store import read_at


class _Run:
    """The frames of one spill, in the order of partitions: 36 bytes of memory for a frame."""

    __slots__ = (
        "checksums",
        "is_shared",
        "lengths",
        "next",
        "offset",
        "partitions",
        "raw_lengths",
        "rows",
    )

    def __init__(self, offset: int, is_shared: bool) -> None:
        self.offset = offset
        self.is_shared = is_shared
        self.next = 0
        self.partitions = array("I")
        self.checksums = array("I")
        self.lengths = array("Q")
        self.rows = array("Q")
        self.raw_lengths = array("Q")


class SpillFile:
    """Frames of one map on a local disk. Owned by one thread.

    The file has no name, so the disk gets its space back when the process ends, however it ends.
    """

    def __init__(self, directory: str | os.PathLike[str] | None) -> None:
        self._directory = directory
        try:
            self._file = tempfile.TemporaryFile(dir=directory, buffering=1 << 20)  # noqa: SIM115
        except OSError as failure:
            raise self._failed("open a file", failure) from failure
        self._end = 0
        self._runs: list[_Run] = []

    @property
    def bytes_written(self) -> int:
        """Bytes on the disk."""
        return self._end

    def start_run(self, *, shares_dictionaries: bool) -> None:
        """Begin a pass over the partitions, in ascending order.

        `shares_dictionaries` says that its frames use those of the prelude.
        """
        self._runs.append(_Run(self._end, shares_dictionaries))

    def write(self, partition: int, frame: EncodedFrame) -> None:
        """Append a frame. Raises `StoreUnavailable` if the disk does not take it."""
        run = self._runs[-1]
        length = len(memoryview(frame.data))
        try:
            self._file.write(frame.data)
        except OSError as failure:
            raise self._failed("write", failure) from failure
        run.partitions.append(partition)
        run.checksums.append(crc32c(frame.data))
        run.lengths.append(length)
        run.rows.append(frame.rows)
        run.raw_lengths.append(frame.raw_length)
        self._end += length

    def drop_run(self) -> None:
        """Forget the last run, which the disk did not take. Nothing is written after it."""
        run = self._runs.pop()
        self._end -= sum(run.lengths)

    def rewind(self) -> None:
        """Begin to read from the first partition."""
        offset = 0
        for run in self._runs:
            run.next, run.offset = 0, offset
            offset += sum(run.lengths)

    def finish(self) -> None:
        """Begin to read. Nothing is written after it."""
        try:
            self._file.flush()
        except OSError as failure:
            raise self._failed("write", failure) from failure

    def partitions(self) -> set[int]:
        """Return the partitions of which there are frames."""
        return {partition for run in self._runs for partition in run.partitions}

    def frames(self, partition: int, dictionaries: bytes) -> Iterator[EncodedFrame]:
        """Return a partition's frames in the order written. Call it in ascending order.

        `dictionaries` are messages that go before each frame that shares them; empty if they are
        in the prelude.
        """
        for run in self._runs:
            while run.next < len(run.partitions) and run.partitions[run.next] == partition:
                at = run.next
                run.next += 1
                data = self._read(run.offset, run.lengths[at])
                run.offset += run.lengths[at]
                if crc32c(data) != run.checksums[at]:
                    raise BlobCorrupt(
                        f"Cannot read a spilled frame of partition {partition}: its bytes differ "
                        f"from the written ones, in {self._where()}. Check the disk, and run the "
                        "map again."
                    )
                added = dictionaries if run.is_shared else b""
                yield EncodedFrame(added + data, run.rows[at], run.raw_lengths[at] + len(added))

    def close(self) -> None:
        """Release the space. Idempotent."""
        # Closing flushes, which fails again on a disk that is full, and then closes.
        with contextlib.suppress(OSError):
            self._file.close()

    def _read(self, offset: int, length: int) -> bytes:
        try:
            data = read_at(self._file.fileno(), length, offset)
            while 0 < len(data) < length:
                more = read_at(self._file.fileno(), length - len(data), offset + len(data))
                if not more:
                    break
                data += more
        except OSError as failure:
            raise self._failed("read", failure) from failure
        return data

    def _where(self) -> str:
        return os.fspath(self._directory or tempfile.gettempdir())

    def _failed(self, action: str, failure: OSError) -> StoreUnavailable:
        return StoreUnavailable(
            f"Cannot {action} to spill rows, in {self._where()}: {failure.strerror}. Free space "
            "there, or pass more memory, a store of several directories, or spill_directory to a "
            "ShuffleWriter, and run it again."
        )
