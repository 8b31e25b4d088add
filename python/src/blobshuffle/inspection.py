"""Describes a blob, and verifies that all of it is as written."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from blobshuffle import footer
from blobshuffle.container import Container, ContainerReader, ContentKind, Source
from blobshuffle.crc import crc32c
from blobshuffle.failure import BlobCorrupt, BlobMissing
from blobshuffle.store import SHUFFLES, TEMPORARY, Store

_COMMIT = "/flight.commit"
_COMMIT_HEAD = b"blobshuffle-commit 1 "
_CHECK = b"crc32c "
_OPTIONS = pa.ipc.IpcReadOptions(use_threads=False)


def describe(source: Source) -> dict[str, Any]:
    """Return what footer and prelude say, as JSON has it. Raises `BlobCorrupt`.

    Lengths are in bytes. `schema` is None unless the content is Arrow.
    """
    container, checksum = footer.read_container(source)
    created = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
    segments = container.segments
    origins = sorted({segment.origin for segment in segments if segment.origin})
    return {
        "id": str(container.id),
        "kind": container.kind.name.lower(),
        "created": _time(created, container.created_millis),
        "length": source.length,
        "footer_checksum": f"{checksum:08x}",
        "rows": container.rows,
        "raw_length": sum(segment.raw_length or 0 for segment in segments),
        "zones": [section.zone for section in container.sections],
        "segments": len(segments),
        "partitions": container.partitions,
        "partitions_with_rows": len({segment.partition for segment in segments}),
        "frames": sum(max(1, len(segment.frames)) for segment in segments),
        "origins": [origin._asdict() for origin in origins],
        "schema": _schema(container, source),
    }


def segments(source: Source) -> Iterator[dict[str, Any]]:
    """Return the segments in the order of the blob, as JSON has them."""
    container, _ = footer.read_container(source)
    for segment in container.segments:
        yield {
            "partition": segment.partition,
            "zone": container.sections[segment.section].zone,
            "offset": segment.offset,
            "length": segment.length,
            "rows": segment.rows,
            "raw_length": segment.raw_length,
            "frames": max(1, len(segment.frames)),
            "checksum": f"{segment.checksum:08x}",
        }


def verify(source: Source) -> Container:
    """Read and check all of a blob: each checksum, and for Arrow each frame and its rows.

    Returns the footer. Raises `BlobCorrupt` for the first thing that is not as written. One frame
    is in memory at a time.
    """
    container, _ = footer.read_container(source)
    reader = ContainerReader(container, source)
    reader.verify()
    if container.kind == ContentKind.ARROW:
        prelude = reader.prelude()
        for segment in container.segments:
            rows = sum(_rows(prelude, part) for part in reader.parts(segment))
            if rows != segment.rows:
                raise reader.corrupt(
                    segment.offset,
                    segment.length,
                    "a segment",
                    f"it has {rows} rows, and the footer says {segment.rows}",
                )
    return container


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome for one blob: `failure` is None if all is as written."""

    path: str
    rows: int | None
    failure: str | None


def verify_shuffles(store: Store, shuffle: str | None = None) -> Iterator[Verified]:
    """Verify all committed blobs of a shuffle, or of all, and the commits of daemons.

    A blob that is released meanwhile is left out. Raises `StoreUnavailable`.
    """
    for entry in store.list(f"{SHUFFLES}/{shuffle}" if shuffle else SHUFFLES):
        if entry.path.endswith(TEMPORARY):
            continue
        verified = _verify_commit if entry.path.endswith(_COMMIT) else _verify_blob
        try:
            source = store.open(entry.path)
        except BlobMissing:
            continue
        try:
            yield Verified(entry.path, verified(source), None)
        except BlobCorrupt as failure:
            yield Verified(entry.path, None, str(failure))
        finally:
            source.close()


def _verify_blob(source: Source) -> int | None:
    return verify(source).rows


def _verify_commit(source: Source) -> int | None:
    """Check the file in which a daemon says which attempts are read; it has no rows."""
    data = source.read(0, source.length)
    lines, _, check = data.rpartition(_CHECK)
    if not lines.startswith(_COMMIT_HEAD) or check != f"{crc32c(lines):08x}\n".encode():
        raise BlobCorrupt(
            "Cannot read the commit of a daemon: its checksum is wrong. Delete it, and commit the "
            "shuffle again."
        )
    return None


def _rows(prelude: bytes, frames: bytes) -> int:
    try:
        with pa.ipc.open_stream(pa.py_buffer(prelude + frames), options=_OPTIONS) as stream:
            return sum(batch.num_rows for batch in stream)
    except (pa.ArrowException, OSError, EOFError) as failure:
        raise BlobCorrupt(
            f"Cannot decode a frame of a blob: {failure}. Its checksum is right, so its writer was "
            "faulty; report it."
        ) from failure


def _schema(container: Container, source: Source) -> str | None:
    if container.kind != ContentKind.ARROW:
        return None
    prelude = ContainerReader(container, source).prelude()
    try:
        return pa.ipc.read_schema(pa.py_buffer(prelude)).to_string(show_schema_metadata=False)
    except (pa.ArrowException, OSError, EOFError) as failure:
        raise BlobCorrupt(
            f"Cannot read the schema of a blob: {failure}. Its checksum is right, so its writer "
            "was faulty; report it."
        ) from failure


def _time(epoch: datetime.datetime, millis: int) -> str:
    try:
        return (epoch + datetime.timedelta(milliseconds=millis)).isoformat()
    except OverflowError:
        return f"{millis} ms"
