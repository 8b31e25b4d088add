"""The bytes of footer and trailer: `docs/format.md`, "Footer of other content" and "Trailer"."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from blobshuffle.container import (
    BlobId,
    Container,
    ContentKind,
    Frame,
    Origin,
    Piece,
    Section,
    Segment,
    Source,
)
from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt
from blobshuffle.wire import MAX_INT, MAX_LONG, ByteReader, ByteWriter, zigzag

TRAILER_LENGTH = 24
MAX_FOOTER_LENGTH = 16 << 20
VERSION = 2

_MAGIC = b"BLOBSHUF"
_ROWS, _RAW_LENGTH, _FRAMES, _PARTITIONS = 1, 2, 4, 8
_ALL_COLUMNS = _ROWS | _RAW_LENGTH | _FRAMES | _PARTITIONS
_TAIL = 256 << 10


class Trailer(NamedTuple):
    """The last 24 bytes of a blob."""

    footer_length: int
    footer_checksum: int
    version: int
    kind: ContentKind


def _corrupt(reason: str) -> NoReturn:
    raise BlobCorrupt(
        f"Cannot read a blob: {reason}. It is damaged, cut, or not a blob of BlobShuffle."
    )


def read_trailer(tail: bytes) -> Trailer:
    """Read the trailer at the end of `tail`; raise `BlobCorrupt` if there is none."""
    if len(tail) < TRAILER_LENGTH:
        _corrupt(f"it has {len(tail)} bytes where {TRAILER_LENGTH} are needed")
    data = tail[-TRAILER_LENGTH:]
    if data[16:] != _MAGIC:
        _corrupt("its last bytes are not those of a blob")
    reader = ByteReader(data, "a trailer")
    length, footer_checksum, version = reader.fixed(4), reader.fixed(4), reader.fixed(2)
    kind, flags, checksum = reader.fixed(1), reader.fixed(1), reader.fixed(4)
    if crc32c(data[:12]) != checksum:
        _corrupt("its trailer's checksum is wrong")
    known = 1 <= version <= VERSION and kind <= max(ContentKind)
    if not known or flags or (version == 1 and kind):
        raise BlobCorrupt(
            f"Cannot read a blob: its version is {version} with content kind {kind} and flags "
            f"{flags}, this reader knows up to version {VERSION} and no flags. Upgrade the reader."
        )
    if length > MAX_FOOTER_LENGTH:
        _corrupt(f"its footer's length is {length}")
    return Trailer(length, footer_checksum, version, ContentKind(kind))


def decode(tail: bytes, blob_length: int) -> Container:
    """Decode footer and trailer.

    `tail` has the blob's last bytes, footer and trailer at least; `blob_length` is the blob's
    length in bytes. The decoder allocates memory in proportion to `tail`. Raises
    `BlobCorrupt` for bytes that are not the end of a blob of Arrow or opaque content.
    """
    trailer = read_trailer(tail)
    if trailer.kind == ContentKind.RECORDS:
        raise BlobCorrupt(
            "Cannot read the content of a blob: it holds records. Read it with `blobshuffle`."
        )
    tail_length = trailer.footer_length + TRAILER_LENGTH
    if len(tail) < tail_length:
        _corrupt(f"it has {len(tail)} bytes where {tail_length} are needed")
    footer = tail[-tail_length:-TRAILER_LENGTH]
    if crc32c(footer) != trailer.footer_checksum:
        _corrupt("its footer's checksum is wrong")
    reader = ByteReader(footer, "the footer of a blob")
    try:
        container = _Decoder(reader).decode(trailer.kind)
    except ValueError as failure:
        reader.corrupt(str(failure))
    if container.content_end != blob_length - tail_length:
        start = blob_length - tail_length
        _corrupt(f"its content ends at {container.content_end}, and its footer starts at {start}")
    return container


def read_container(source: Source) -> tuple[Container, int]:
    """Read footer and trailer in one or two reads; return them and the footer's CRC32C."""
    tail = source.read(max(0, source.length - _TAIL), min(source.length, _TAIL))
    trailer = read_trailer(tail)
    needed = trailer.footer_length + TRAILER_LENGTH
    if len(tail) < needed <= source.length:
        tail = source.read(source.length - needed, needed)
    return decode(tail, source.length), trailer.footer_checksum


class _Decoder:
    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader
        self._names: list[str] = []
        self._origins: list[Origin] = []
        self._end = 0

    def decode(self, kind: ContentKind) -> Container:
        reader = self._reader
        blob = BlobId(reader.fixed(8, signed=True), reader.fixed(8), reader.fixed(8, signed=True))
        created, store = reader.fixed(8, signed=True), reader.fixed(4)
        columns = reader.varint(MAX_INT)
        if columns & ~_ALL_COLUMNS:
            raise BlobCorrupt(
                f"Cannot read the footer of a blob: it has columns {columns}, this reader knows "
                f"{_ALL_COLUMNS}. Upgrade the reader."
            )
        partitions = reader.varint(MAX_INT) if columns & _PARTITIONS else None
        self._tables()
        prelude = self._piece()
        sections: list[Section] = []
        segments: list[Segment] = []
        for number in range(reader.count(9)):
            zone = self._name()
            start = self._end
            self._segments(number, columns, segments)
            sections.append(Section(zone, start, self._end - start))
        postlude = self._piece()
        reader.end()
        return Container(
            blob,
            store,
            created,
            kind,
            prelude,
            tuple(sections),
            tuple(segments),
            postlude,
            partitions,
        )

    def _tables(self) -> None:
        reader = self._reader
        for _ in range(reader.count(2)):
            self._names.append(reader.string())
        for _ in range(reader.count(3)):
            origin = Origin(self._name(), reader.varint(), reader.varint())
            if not origin.shuffle.strip():
                reader.corrupt("the name of a shuffle is blank")
            self._origins.append(origin)

    def _name(self) -> str:
        index = self._reader.varint(MAX_INT)
        if index >= len(self._names):
            self._reader.corrupt(f"entry {index} of {len(self._names)} is used")
        return self._names[index]

    def _piece(self) -> Piece | None:
        length = self._reader.varint(MAX_INT)
        if length == 0:
            return None
        piece = Piece(self._end, length, self._reader.fixed(4))
        self._end += length
        return piece

    def _segments(self, section: int, columns: int, segments: list[Segment]) -> None:
        reader = self._reader
        partition = 0
        for _ in range(reader.count(7)):
            partition += reader.signed()
            self._end += reader.varint()
            length, checksum = reader.varint(), reader.fixed(4)
            origin = self._origin()
            rows = reader.varint() if columns & _ROWS else None
            raw_length = reader.varint() if columns & _RAW_LENGTH else None
            frames = self._frames() if columns & _FRAMES else ()
            if not 0 <= partition <= MAX_INT or self._end + length > MAX_LONG:
                reader.corrupt(f"partition {partition} is out of range")
            segments.append(
                Segment(
                    section,
                    partition,
                    self._end,
                    length,
                    checksum,
                    origin,
                    rows,
                    raw_length,
                    frames,
                )
            )
            self._end += length

    def _origin(self) -> Origin | None:
        if len(self._origins) < 2:
            return self._origins[0] if self._origins else None
        index = self._reader.varint(MAX_INT)
        if index >= len(self._origins):
            self._reader.corrupt(f"entry {index} of {len(self._origins)} is used")
        return self._origins[index]

    def _frames(self) -> tuple[Frame, ...]:
        reader = self._reader
        return tuple(Frame(reader.varint(MAX_INT), reader.fixed(4)) for _ in range(reader.count(5)))


def encode(container: Container) -> bytes:
    """Return footer and trailer. Raises `ValueError` if the footer is longer than 16 MiB."""
    writer = ByteWriter()
    names: dict[str, int] = {}
    origins: dict[Origin, int] = {}
    for section in container.sections:
        names.setdefault(section.zone, len(names))
    columns = 0 if container.partitions is None else _PARTITIONS
    for segment in container.segments:
        if segment.origin is not None and segment.origin not in origins:
            names.setdefault(segment.origin.shuffle, len(names))
            origins[segment.origin] = len(origins)
        columns |= _ROWS if segment.rows is not None else 0
        columns |= _RAW_LENGTH if segment.raw_length is not None else 0
        columns |= _FRAMES if segment.frames else 0
    for number in container.id:
        writer.fixed(number, 8)
    writer.fixed(container.created_millis, 8)
    writer.fixed(container.store, 4)
    writer.varint(columns)
    if container.partitions is not None:
        writer.varint(container.partitions)
    writer.varint(len(names))
    for name in names:
        writer.string(name)
    writer.varint(len(origins))
    for origin in origins:
        writer.varint(names[origin.shuffle])
        writer.varint(origin.map)
        writer.varint(origin.attempt)
    _encode_piece(writer, container.prelude)
    _encode_sections(writer, container, columns, names, origins)
    _encode_piece(writer, container.postlude)
    return _append_trailer(writer, container.kind)


def _encode_piece(writer: ByteWriter, piece: Piece | None) -> None:
    writer.varint(piece.length if piece else 0)
    if piece:
        writer.fixed(piece.checksum, 4)


def _encode_sections(
    writer: ByteWriter,
    container: Container,
    columns: int,
    names: dict[str, int],
    origins: dict[Origin, int],
) -> None:
    counts = [0] * len(container.sections)
    for segment in container.segments:
        counts[segment.section] += 1
    writer.varint(len(counts))
    at = 0
    for section, count in zip(container.sections, counts, strict=True):
        writer.varint(names[section.zone])
        writer.varint(count)
        partition, end = 0, section.offset
        for segment in container.segments[at : at + count]:
            writer.varint(zigzag(segment.partition - partition))
            writer.varint(segment.offset - end)
            writer.varint(segment.length)
            writer.fixed(segment.checksum, 4)
            if len(origins) > 1 and segment.origin is not None:
                writer.varint(origins[segment.origin])
            if segment.rows is not None:
                writer.varint(segment.rows)
            if segment.raw_length is not None:
                writer.varint(segment.raw_length)
            if columns & _FRAMES:
                writer.varint(len(segment.frames))
                for frame in segment.frames:
                    writer.varint(frame.length)
                    writer.fixed(frame.checksum, 4)
            partition, end = segment.partition, segment.offset + segment.length
        at += count


def _append_trailer(footer: ByteWriter, kind: ContentKind) -> bytes:
    length = len(footer.data)
    if length > MAX_FOOTER_LENGTH:
        raise ValueError(
            f"Cannot write a footer: {length} bytes, at most {MAX_FOOTER_LENGTH}. Use fewer "
            "partitions per blob, or more memory per writer."
        )
    trailer = ByteWriter()
    trailer.fixed(length, 4)
    trailer.fixed(crc32c(bytes(footer.data)), 4)
    trailer.fixed(VERSION, 2)
    trailer.fixed(kind, 1)
    trailer.fixed(0, 1)
    trailer.fixed(crc32c(bytes(trailer.data)), 4)
    return bytes(footer.data) + bytes(trailer.data) + _MAGIC
