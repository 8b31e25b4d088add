"""Blobs of both languages, and bytes that are none."""

import random
import tracemalloc
from dataclasses import replace
from typing import Any

import golden as golden_blob
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobshuffle import BlobCorrupt, footer
from blobshuffle.container import (
    BytesSource,
    Container,
    ContainerReader,
    ContentKind,
    Frame,
    Origin,
    Piece,
    Section,
)
from blobshuffle.crc import crc32c
from blobshuffle.wire import MAX_INT, MAX_LONG, ByteReader, ByteWriter, unzigzag, zigzag

CONTENT = 16
NEGATIVE = (1 << 64) - 8


def opened(blob):
    source = BytesSource(blob)
    container, _ = footer.read_container(source)
    return ContainerReader(container, source)


def verified(blob):
    reader = opened(blob)
    reader.verify()
    return reader.container


def test_checksums_are_those_of_rfc_3720():
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(b"456789", crc32c(b"123")) == crc32c(b"123456789") == 0xE3069283


@pytest.mark.parametrize("name", ["ARROW", "OPAQUE", "ARROW-python"])
def test_golden_blobs_are_read_and_their_footers_written_byte_for_byte(golden, name):
    blob = golden(name)
    container = verified(blob)
    assert footer.encode(container) == blob[container.content_end :]


def test_the_arrow_blob_of_java_is_read(golden):
    blob = golden("ARROW")
    container = verified(blob)
    assert container.kind == ContentKind.ARROW
    assert container.id == golden_blob.ID
    assert (container.store, container.created_millis) == (golden_blob.STORE, golden_blob.CREATED)
    assert [section.zone for section in container.sections] == ["east-1", "east-2"]
    assert [(s.partition, s.rows) for s in container.segments] == [(0, 64), (3, 1), (1, 107)]
    assert {segment.origin for segment in container.segments} == {Origin("query-7", 12, 1)}
    rows = pa.ipc.open_stream(blob).read_all()
    assert rows["id"].to_pylist() == list(range(172))


def test_a_partition_of_the_arrow_blob_of_java_is_a_stream(golden):
    reader = opened(golden("ARROW"))
    first = 0
    for segment in reader.container.segments:
        stream = b"".join([reader.prelude(), *reader.parts(segment), reader.postlude()])
        ids = pa.ipc.open_stream(stream).read_all()["id"].to_pylist()
        assert ids == list(range(first, first + (segment.rows or 0)))
        first += len(ids)


def test_the_opaque_blob_of_java_is_read(golden):
    reader = opened(golden("OPAQUE"))
    segments = reader.container.segments
    assert (reader.prelude(), reader.postlude()) == (b"prelude", b"postlude")
    assert [b"".join(reader.parts(segment)) for segment in segments] == [
        b"first of 0",
        b"second of 0",
        b"frame 0oneframe number 2",
        b"x",
    ]
    assert [s.origin.attempt for s in segments if s.origin] == [5, 1 << 40, 1 << 40, 5]
    assert list(reader.parts(segments[2]))[2] == b"frame number 2"


def test_the_golden_blob_of_python_is_a_stream(golden):
    blob = golden("ARROW-python")
    rows = pa.ipc.open_stream(blob).read_all()
    assert rows["id"].to_pylist() == list(range(165))
    assert rows["flag"].to_pylist()[:5] + rows["flag"].to_pylist()[64:69] == list("ANRAAZRSTQ")
    assert [len(segment.frames) for segment in verified(blob).segments] == [0, 2, 0]


def test_the_writer_of_the_golden_blob_writes_what_it_says():
    rows = pa.ipc.open_stream(golden_blob.blob()).read_all()
    assert rows["id"].to_pylist() == list(range(165))


@pytest.mark.parametrize("name", ["NONE", "LZ4", "NONE-encrypted"])
def test_blobs_of_records_are_refused_and_named(golden, name):
    with pytest.raises(BlobCorrupt, match="it holds records"):
        opened(golden(name))


@pytest.mark.parametrize("name", ["ARROW", "OPAQUE", "ARROW-python"])
def test_every_truncation_is_found(golden, name):
    blob = golden(name)
    for length in range(0, len(blob), 1 if len(blob) < 1000 else 7):
        with pytest.raises(BlobCorrupt):
            opened(blob[:length])


@pytest.mark.parametrize("name", ["ARROW", "OPAQUE", "ARROW-python"])
def test_every_flipped_bit_is_found(golden, name):
    blob = bytearray(golden(name))
    for at in range(len(blob)):
        blob[at] ^= 1 << at % 8
        with pytest.raises(BlobCorrupt):
            verified(bytes(blob))
        blob[at] ^= 1 << at % 8


@pytest.mark.parametrize("name", ["ARROW", "OPAQUE", "ARROW-python"])
def test_a_footer_that_ends_too_early_is_corrupt(golden, name):
    blob = golden(name)
    start = verified(blob).content_end
    for end in range(start, len(blob) - footer.TRAILER_LENGTH):
        with pytest.raises(BlobCorrupt):
            opened(blob[:start] + sealed(blob[start:end], verified(blob).kind))


def test_a_frame_and_a_segment_that_do_not_match_their_checksums_are_found(golden):
    blob = golden("OPAQUE")
    sound = verified(blob)
    divided = sound.segments[2]
    frames = (divided.frames[0], divided.frames[1]._replace(checksum=1), divided.frames[2])
    for changed, found in (
        (divided._replace(frames=frames), r"a frame at \[42, \+3\)"),
        (divided._replace(checksum=1), r"a segment at \[35, "),
    ):
        segments = (*sound.segments[:2], changed, sound.segments[3])
        faulty = ContainerReader(replace(sound, segments=segments), BytesSource(blob))
        with pytest.raises(BlobCorrupt, match=found):
            faulty.verify()


@given(st.binary(max_size=400))
def test_decoding_is_total_on_any_bytes(data):
    with pytest.raises(BlobCorrupt):
        footer.decode(data, len(data))


@given(st.binary(max_size=300), st.integers(0, 255), st.integers(0, 4))
def test_decoding_is_total_on_any_footer(data, kind, version):
    total_on(sealed(data, kind, version))


@given(st.data())
def test_decoding_is_total_on_changed_footers(data):
    name = data.draw(st.sampled_from(["ARROW", "OPAQUE"]))
    blob = (golden_path() / f"{name}.blob").read_bytes()
    container = verified(blob)
    changed = bytearray(blob[container.content_end : -footer.TRAILER_LENGTH])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=10))
    total_on(blob[: container.content_end] + sealed(bytes(changed), container.kind))


def golden_path():
    from conftest import GOLDEN

    return GOLDEN


def total_on(blob):
    try:
        reader = opened(blob)
        reader.verify()
        for segment in reader.container.segments:
            list(reader.parts(segment))
    except BlobCorrupt:
        return
    assert footer.encode(reader.container)


def sealed(data, kind=ContentKind.OPAQUE, version=2):
    """A footer with the trailer that belongs to it."""
    trailer = ByteWriter()
    trailer.fixed(len(data), 4)
    trailer.fixed(crc32c(data), 4)
    trailer.fixed(version, 2)
    trailer.fixed(kind, 1)
    trailer.fixed(0, 1)
    trailer.fixed(crc32c(bytes(trailer.data)), 4)
    return data + bytes(trailer.data) + b"BLOBSHUF"


def head(writer, columns):
    for _ in range(4):
        writer.fixed(0, 8)
    writer.fixed(0, 4)
    writer.varint(columns)


def segment(writer, partition, gap, length):
    for number in (partition, gap, length):
        writer.varint(number)
    writer.fixed(0, 4)


def section(writer, count, partition, gap, length):
    for number in (1, 0, count):
        writer.varint(number)
    segment(writer, partition, gap, length)


def blob_of(columns, *numbers, count=1, partition=0, gap=0, length=CONTENT):
    """One zone, 16 bytes of content, and a section whose last fields are `numbers`."""
    writer = ByteWriter()
    head(writer, columns)
    writer.varint(1)
    writer.string("zone")
    writer.varint(0)
    writer.varint(0)
    section(writer, count, partition, gap, length)
    for number in numbers:
        if isinstance(number, tuple):
            writer.varint(number[0])
            writer.fixed(0, 4)
        else:
            writer.varint(number)
    writer.varint(0)
    return bytes(CONTENT) + sealed(bytes(writer.data))


SOUND = {
    "one segment": blob_of(0),
    "a gap of seven": blob_of(0, gap=7, length=CONTENT - 7),
    "the last partition": blob_of(0, partition=0xFFFF_FFFE),
    "rows": blob_of(1, MAX_LONG),
    "two frames": blob_of(4, 2, (1,), (CONTENT - 1,)),
}
HOSTILE = {
    "absurd segments": blob_of(0, count=MAX_INT),
    "no segments": blob_of(0, count=0),
    "two segments where one is": blob_of(0, count=2),
    "a length of 0": blob_of(0, length=0),
    "a length beyond the blob": blob_of(0, length=CONTENT + 1),
    "a length before the end": blob_of(0, length=CONTENT - 1),
    "a length of 63 bits": blob_of(0, length=MAX_LONG),
    "a negative length": blob_of(0, length=NEGATIVE),
    "a gap of eight": blob_of(0, gap=8, length=CONTENT - 8),
    "a partition below 0": blob_of(0, partition=1),
    "a partition above 31 bits": blob_of(0, partition=1 << 32),
    "negative rows": blob_of(1, NEGATIVE),
    "negative raw bytes": blob_of(2, NEGATIVE),
    "one frame": blob_of(4, 1, (CONTENT,)),
    "frames that do not add up": blob_of(4, 2, (1,), (CONTENT,)),
    "an empty frame": blob_of(4, 2, (0,), (CONTENT,)),
    "absurd frames": blob_of(4, MAX_INT, (1,)),
    "an unknown column": blob_of(8),
    "bytes after the end": blob_of(0, 0, 0),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_footers_are_read(name):
    assert opened(SOUND[name]).container.segments


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_footers_are_corrupt(name):
    with pytest.raises(BlobCorrupt):
        opened(HOSTILE[name])


def test_memory_is_in_proportion_to_the_footer():
    writer = ByteWriter()
    head(writer, 0)
    names = 1 << 16
    writer.varint(names)
    writer.data += b"\x01\x80" * names
    for _ in range(4):
        writer.varint(0)
    blob = sealed(bytes(writer.data))
    for data in [blob, *HOSTILE.values()]:
        tracemalloc.start()
        total_on(data)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 64 * len(data) + (1 << 16)


def test_unknown_versions_kinds_and_flags_say_to_upgrade(golden):
    blob = golden("OPAQUE")
    for at, value in [(8, 0), (8, 3), (9, 1), (10, 3), (10, 255), (11, 1), (11, 128)]:
        changed = bytearray(blob)
        start = len(blob) - footer.TRAILER_LENGTH
        changed[start + at] = value
        changed[start + 12 : start + 16] = crc32c(bytes(changed[start : start + 12])).to_bytes(
            4, "little"
        )
        with pytest.raises(BlobCorrupt, match="Upgrade the reader"):
            opened(bytes(changed))


def test_arrow_content_that_is_no_stream_is_refused(golden):
    sound = verified(golden("ARROW"))
    first = sound.segments[0]
    assert sound.postlude is not None
    changes: list[dict[str, Any]] = [
        {"postlude": None},
        {"prelude": None},
        {"postlude": sound.postlude._replace(checksum=1)},
        {"segments": (first._replace(rows=None), *sound.segments[1:])},
        {
            "segments": (
                first._replace(frames=(Frame(12, 0), Frame(first.length - 12, 0))),
                *sound.segments[1:],
            )
        },
        {"sections": (*sound.sections[:1], Section("east-1", *sound.sections[1][1:]))},
    ]
    for change in changes:
        with pytest.raises(ValueError, match="Cannot form a blob"):
            replace(sound, **change)


def test_a_piece_longer_than_the_limit_is_refused():
    with pytest.raises(ValueError, match="Cannot form a blob"):
        Container(
            golden_blob.ID, 0, 0, ContentKind.OPAQUE, Piece(0, (16 << 20) + 1, 0), (), (), None
        )


@given(st.integers(0, MAX_LONG))
def test_numbers_round_trip(value):
    writer = ByteWriter()
    writer.varint(value)
    reader = ByteReader(bytes(writer.data), "numbers")
    assert reader.varint() == value
    reader.end()
    for signed in (value, -value - 1):
        assert unzigzag(zigzag(signed)) == signed


def test_a_footer_of_a_hundred_thousand_segments_is_read_and_written():
    chance = random.Random(7)
    from blobshuffle.container import Segment

    segments, at = [], 0
    for partition in range(100_000):
        length = chance.randrange(8, 4096)
        segments.append(
            Segment(0, partition, at, length, chance.getrandbits(32), None, length, None, ())
        )
        at += length
    container = Container(
        golden_blob.ID,
        0,
        0,
        ContentKind.OPAQUE,
        None,
        (Section("z", 0, at),),
        tuple(segments),
        None,
    )
    tail = footer.encode(container)
    assert len(tail) < 12 * len(segments)
    assert footer.decode(tail, at + len(tail)) == container
