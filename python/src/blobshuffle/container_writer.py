"""Writes a blob of Arrow or opaque content, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pyarrow as pa

from blobshuffle import footer
from blobshuffle.arrow import EncodedFrame
from blobshuffle.container import (
    ARROW_END,
    BlobId,
    Container,
    ContentKind,
    Frame,
    Origin,
    Piece,
    Section,
    Segment,
)
from blobshuffle.crc import crc32c

Sink = Callable[[bytes | pa.Buffer], None]


class ContainerWriter:
    """Passes every byte of a blob to a sink, in order, and keeps only the footer's entries.

    Call `prelude` first, then `section` for each zone and `segment` for each of its segments,
    `postlude` for opaque content, and `finish` last. The blob is not valid before `finish`
    returns. Owned by one thread.
    """

    def __init__(
        self,
        blob: BlobId,
        store: int,
        created_millis: int,
        kind: ContentKind,
        sink: Sink,
        partitions: int | None = None,
    ) -> None:
        """Begin a blob; `partitions` is how many the shuffle has, if the blob is to state it."""
        self._partitions = partitions
        self._blob = blob
        self._store = store
        self._created_millis = created_millis
        self._kind = kind
        self._sink = sink
        self._prelude: Piece | None = None
        self._postlude: Piece | None = None
        self._zones: list[tuple[str, int]] = []
        self._segments: list[Segment] = []
        self.length = 0
        """Bytes passed on so far."""
        self.checksum = 0
        """CRC32C of the footer, after `finish`."""

    def prelude(self, data: bytes) -> None:
        """Write the bytes before the first section."""
        if self.length:
            raise ValueError("Cannot write a prelude: it is the first part of a blob.")
        self._prelude = self._piece(data)

    def section(self, zone: str) -> None:
        """Start the section of a zone."""
        self._zones.append((zone, self.length))

    def segment(
        self,
        partition: int,
        origin: Origin | None,
        frames: Iterable[EncodedFrame],
        *,
        has_rows: bool = True,
        align: bool = False,
    ) -> None:
        """Write a segment of the section started last; nothing if there is no frame.

        Frames are taken one by one, and each is passed on before the next is taken. `align` puts
        zeros before it, up to a multiple of 8.
        """
        if align and self.length % 8:
            self._pass(bytes(-self.length % 8))
        start, whole, rows, raw_length = self.length, 0, 0, 0
        table: list[Frame] = []
        for frame in frames:
            table.append(Frame(len(memoryview(frame.data)), crc32c(frame.data)))
            whole = crc32c(frame.data, whole)
            rows += frame.rows
            raw_length += frame.raw_length
            self._pass(frame.data)
        if not table:
            return
        self._segments.append(
            Segment(
                len(self._zones) - 1,
                partition,
                start,
                self.length - start,
                whole,
                origin,
                rows if has_rows else None,
                raw_length if has_rows else None,
                tuple(table) if len(table) > 1 else (),
            )
        )

    def postlude(self, data: bytes) -> None:
        """Write the bytes after the last section. `finish` writes those of Arrow content."""
        self._postlude = self._piece(data)

    def finish(self) -> Container:
        """Write footer and trailer. Raises `ValueError` if the parts do not form a blob."""
        if self._kind == ContentKind.ARROW:
            self._postlude = self._piece(ARROW_END)
        end = self.length - (self._postlude.length if self._postlude else 0)
        starts = [start for _, start in self._zones] + [end]
        sections = tuple(
            Section(zone, start, starts[i + 1] - start)
            for i, (zone, start) in enumerate(self._zones)
        )
        container = Container(
            self._blob,
            self._store,
            self._created_millis,
            self._kind,
            self._prelude,
            sections,
            tuple(self._segments),
            self._postlude,
            self._partitions,
        )
        tail = footer.encode(container)
        self.checksum = footer.read_trailer(tail).footer_checksum
        self._pass(tail)
        return container

    def _piece(self, data: bytes) -> Piece:
        piece = Piece(self.length, len(data), crc32c(data))
        self._pass(data)
        return piece

    def _pass(self, data: bytes | pa.Buffer) -> None:
        self._sink(data)
        self.length += len(memoryview(data))
