"""Reads a blob of Arrow or opaque content, and its description, by ranges.

The format is `docs/format.md`, "Other content"; `footer` has its bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt
from blobshuffle.wire import MAX_INT, MAX_LONG

MAX_PIECE_LENGTH = 16 << 20
"""The longest prelude and postlude, bytes."""

MAX_FRAME_LENGTH = MAX_INT - 8
"""The longest frame, and the longest segment without frames, bytes."""

ALIGNMENT = 8
ARROW_END = b"\xff\xff\xff\xff\0\0\0\0"
"""The end-of-stream marker of Arrow IPC."""

_ARROW_END_CHECKSUM = crc32c(ARROW_END)


class ContentKind(enum.IntEnum):
    """The content of the segments of a blob; the number is the one in the trailer."""

    RECORDS = 0
    ARROW = 1
    OPAQUE = 2


class BlobId(NamedTuple):
    """The identity of a blob, unique for ever.

    `generation` is the minute in which the blob was started, counted from the Unix epoch;
    `writer` a random number of 64 bits; `sequence` counts the writer's blobs from 0.
    """

    generation: int
    writer: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.generation}-{self.writer:016x}-{self.sequence}"


class Piece(NamedTuple):
    """Bytes that belong to no partition: prelude or postlude. Lengths in bytes."""

    offset: int
    length: int
    checksum: int


class Section(NamedTuple):
    """The part of a blob for one zone. Offsets and lengths in bytes."""

    zone: str
    offset: int
    length: int


class Frame(NamedTuple):
    """A part of a segment that can be read and checked by itself."""

    length: int
    checksum: int


class Origin(NamedTuple):
    """Where a segment comes from."""

    shuffle: str
    map: int
    attempt: int


class Segment(NamedTuple):
    """The part of a blob for one partition, from one origin.

    `frames` is empty if the segment is not divided, else it has two or more that add up to the
    segment. `rows` and `raw_length` (bytes without compression) are None if the blob does not
    state them.
    """

    section: int
    partition: int
    offset: int
    length: int
    checksum: int
    origin: Origin | None
    rows: int | None
    raw_length: int | None
    frames: tuple[Frame, ...]


def _require(sound: bool, what: str, value: object) -> None:
    if not sound:
        raise ValueError(f"Cannot form a blob: {what} out of place, {value}.")


@dataclass(frozen=True, slots=True)
class Container:
    """The description of a blob, which is at its end. Raises `ValueError` if the parts contradict.

    `partitions` is how many the shuffle has, or None if the blob does not state it.
    """

    id: BlobId
    store: int
    created_millis: int
    kind: ContentKind
    prelude: Piece | None
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]
    postlude: Piece | None
    partitions: int | None = None

    def __post_init__(self) -> None:
        _require(self.kind != ContentKind.RECORDS, "content kind", self.kind)
        _require(min(self.id) >= 0, "id", self.id)
        for piece in (self.prelude, self.postlude):
            _require(piece is None or 0 < piece.length <= MAX_PIECE_LENGTH, "piece", piece)
        _require(self.prelude is None or self.prelude.offset == 0, "prelude", self.prelude)
        end = self._check_segments()
        _require(self.postlude is None or self.postlude.offset == end, "postlude", self.postlude)
        self._check_columns()
        if self.partitions is not None:
            _require(1 <= self.partitions <= MAX_INT, "number of partitions", self.partitions)
            for segment in self.segments:
                _require(segment.partition < self.partitions, "partition of a segment", segment)
        if self.kind == ContentKind.ARROW:
            self._check_arrow()

    def _check_segments(self) -> int:
        """Check that sections and segments follow each other; return their end."""
        zones: set[str] = set()
        end = self.prelude.length if self.prelude else 0
        at = 0
        for number, section in enumerate(self.sections):
            first = at
            sound = section.zone not in zones and bool(section.zone.strip())
            _require(sound and section.offset == end, "section", section)
            zones.add(section.zone)
            while at < len(self.segments) and self.segments[at].section == number:
                segment = self.segments[at]
                _check_segment(segment, end)
                end = segment.offset + segment.length
                at += 1
            _require(at > first and section.length == end - section.offset, "section", section)
        _require(at == len(self.segments), "end of segments", at)
        _require(end <= MAX_LONG, "end of segments", end)
        return end

    def _check_columns(self) -> None:
        total = 0
        for segment in self.segments:
            first = self.segments[0]
            alike = (
                (segment.origin is None) == (first.origin is None)
                and (segment.rows is None) == (first.rows is None)
                and (segment.raw_length is None) == (first.raw_length is None)
            )
            _require(alike, "optional fields of a segment", segment)
            total += segment.rows or 0
        _require(total <= MAX_LONG, "rows", total)

    def _check_arrow(self) -> None:
        prelude, postlude = self.prelude, self.postlude
        _require(prelude is not None and prelude.length % ALIGNMENT == 0, "prelude", prelude)
        marked = postlude is not None and postlude.length == len(ARROW_END)
        _require(
            marked and postlude is not None and postlude.checksum == _ARROW_END_CHECKSUM,
            "postlude",
            postlude,
        )
        for segment in self.segments:
            aligned = segment.offset % ALIGNMENT == 0 and segment.length % ALIGNMENT == 0
            _require(aligned and segment.rows is not None, "segment", segment)
            for frame in segment.frames:
                _require(frame.length % ALIGNMENT == 0, "frame", frame)

    @property
    def content_end(self) -> int:
        """Offset of the first byte after the content, where the footer starts."""
        if self.postlude:
            return self.postlude.offset + self.postlude.length
        if self.sections:
            return self.sections[-1].offset + self.sections[-1].length
        return self.prelude.length if self.prelude else 0

    @property
    def rows(self) -> int | None:
        """Number of rows of all segments; None if they do not state theirs."""
        counts = [segment.rows for segment in self.segments]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None


def _check_segment(segment: Segment, end: int) -> None:
    gap = segment.offset - end
    frames = segment.frames
    whole = len(frames) > 1 and sum(frame.length for frame in frames) == segment.length
    divided = whole if frames else segment.length <= MAX_FRAME_LENGTH
    numbers = (segment.partition, segment.rows or 0, segment.raw_length or 0)
    sound = (
        0 <= gap < ALIGNMENT
        and segment.length >= 1
        and divided
        and min(numbers) >= 0
        and segment.partition <= MAX_INT
        and all(0 < frame.length <= MAX_FRAME_LENGTH for frame in frames)
    )
    _require(sound, "segment", segment)
    origin = segment.origin
    named = origin is None or (bool(origin.shuffle.strip()) and min(origin[1:]) >= 0)
    _require(named, "origin", origin)


class Source:
    """Where the bytes of a blob come from: a file, or range reads of a store."""

    length: int
    """The blob's length, bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """Read `[offset, offset + length)`; shorter only if the blob ends before."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the source's resources. Idempotent."""


class BytesSource(Source):
    """A blob in memory."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob
        self.length = len(blob)

    def read(self, offset: int, length: int) -> bytes:
        """Read a range of the bytes."""
        return self._blob[offset : offset + length]


_STEP = 1 << 20


class ContainerReader:
    """Reads a blob by ranges, and returns no byte whose checksum it has not verified.

    It requests no range outside the blob. Damage of any kind raises `BlobCorrupt`. Thread-safe if
    its source is.
    """

    def __init__(self, container: Container, source: Source) -> None:
        self.container = container
        self.source = source

    def prelude(self) -> bytes:
        """Return the bytes before the first section."""
        return self._piece(self.container.prelude)

    def postlude(self) -> bytes:
        """Return the bytes after the last section."""
        return self._piece(self.container.postlude)

    def parts(self, segment: Segment) -> Iterator[bytes]:
        """Return a segment frame by frame, or at once if it is not divided."""
        at = segment.offset
        for frame in segment.frames or (Frame(segment.length, segment.checksum),):
            yield self.checked(at, frame.length, frame.checksum, "a frame")
            at += frame.length

    def verify(self) -> None:
        """Read every byte before the footer, about a mebibyte at a time, and verify it."""
        self.prelude()
        end = self.container.prelude.length if self.container.prelude else 0
        for segment in self.container.segments:
            gap = segment.offset - end
            if any(self._exactly(end, gap, "padding")):
                raise self.corrupt(end, gap, "padding", "it is not zero")
            self._verify(segment)
            end = segment.offset + segment.length
        self.postlude()

    def _verify(self, segment: Segment) -> None:
        whole = 0
        at = segment.offset
        for frame in segment.frames or (Frame(segment.length, segment.checksum),):
            part = 0
            start, stop = at, at + frame.length
            while at < stop:
                data = self._exactly(at, min(_STEP, stop - at), "a segment")
                part = crc32c(data, part)
                whole = crc32c(data, whole)
                at += len(data)
            self._check(start, frame.length, part, frame.checksum, "a frame")
        self._check(segment.offset, segment.length, whole, segment.checksum, "a segment")

    def checked(self, offset: int, length: int, checksum: int, what: str) -> bytes:
        """Read a range and verify it; `what` names it in a failure."""
        data = self._exactly(offset, length, what)
        self._check(offset, length, crc32c(data), checksum, what)
        return data

    def corrupt(self, offset: int, length: int, what: str, reason: str) -> BlobCorrupt:
        """Make the failure of a range."""
        return BlobCorrupt(
            f"Cannot read {what} at [{offset}, +{length}) of blob {self.container.id}: {reason}. "
            "Read it again; if that fails too, the stored bytes are damaged: run its map again."
        )

    def _piece(self, piece: Piece | None) -> bytes:
        if piece is None:
            return b""
        return self.checked(piece.offset, piece.length, piece.checksum, "a prelude or postlude")

    def _exactly(self, offset: int, length: int, what: str) -> bytes:
        data = self.source.read(offset, length) if length else b""
        if len(data) != length:
            raise self.corrupt(offset, length, what, f"only {len(data)} bytes came")
        return data

    def _check(self, offset: int, length: int, actual: int, expected: int, what: str) -> None:
        if actual != expected:
            reason = f"its checksum is {actual:08x}, and the footer says {expected:08x}"
            raise self.corrupt(offset, length, what, reason)
