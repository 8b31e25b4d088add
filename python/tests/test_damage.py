"""Damage is found and named, and leaves nothing behind."""

import errno
import multiprocessing
import os
import pathlib
import pickle
import resource
import signal
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from shuffles import read_all, stored, table, write

from blobshuffle import (
    BlobCorrupt,
    BlobMissing,
    LocalStore,
    Ref,
    ShuffleWriter,
    StoreUnavailable,
    abandoned,
    read,
    release,
    releasing,
)
from blobshuffle.arrow import BatchEncoder, EncodedFrame
from blobshuffle.container import BlobId, BytesSource, ContentKind, Origin
from blobshuffle.container_writer import ContainerWriter
from blobshuffle.footer import read_container
from blobshuffle.index import IndexCache
from blobshuffle.spill import SpillFile
from blobshuffle.store import open_store


def segments(directory, ref):
    return read_container(open_store(directory).open(ref.path))[0].segments


def test_a_missing_blob_is_named(tmp_path):
    refs = [write(tmp_path, table(100, n), 2, map=n, maps=2) for n in range(2)]
    (tmp_path / refs[1].path).unlink()
    with pytest.raises(BlobMissing, match="m1-a0"):
        read(refs, 0).read_all()
    with pytest.raises(BlobMissing, match="m0-a0"):
        read(refs, 0, store=tmp_path / "other")


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_truncation_is_found_at_and_inside_frames(tmp_path, codec):
    ref = write(tmp_path, pa.table({"x": np.arange(3 << 20)}), 2, codec=codec)
    path = tmp_path / ref.path
    blob = path.read_bytes()
    cuts = {0, len(blob) - 1, len(blob) - 24}
    for segment in segments(tmp_path, ref):
        at = segment.offset
        cuts |= {at, at + 1, segment.offset + segment.length}
        for frame in segment.frames:
            at += frame.length
            cuts |= {at - 1, at}
    for cut in cuts:
        path.write_bytes(blob[:cut])
        with pytest.raises(BlobCorrupt, match="were written"):
            read([ref], 0)


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_a_blob_cut_while_it_is_read_is_found(tmp_path, codec):
    ref = write(tmp_path, pa.table({"x": np.arange(8 << 20)}), 1, codec=codec)
    last = segments(tmp_path, ref)[0].frames[-1]
    reader = read([ref], 0)
    assert reader.read_next_batch().num_rows
    path = tmp_path / ref.path
    os.truncate(path, path.stat().st_size - last.length)
    with pytest.raises(BlobCorrupt, match="it is cut"):
        reader.read_all()


@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_flipped_bytes_are_found_by_the_partition_that_they_are_in(tmp_path, monkeypatch, codec):
    # Without its cache a reader reads the footer each time.
    monkeypatch.setattr("blobshuffle.reader._indices", IndexCache(0))
    ref = write(tmp_path, table(2000), 2, codec=codec)
    path = tmp_path / ref.path
    sound = path.read_bytes()
    container = read_container(BytesSource(sound))[0]
    expected = read_all([ref], 2)
    assert container.postlude is not None
    for at in range(0, len(sound), 97):
        blob = bytearray(sound)
        blob[at] ^= 0xFF
        path.write_bytes(blob)
        hit = [s.partition for s in container.segments if s.offset <= at < s.offset + s.length]
        for partition in range(2):
            if 0 <= at - container.postlude.offset < 8 or hit == [1 - partition]:
                assert read([ref], partition).read_all().equals(expected[partition])
            else:
                with pytest.raises(BlobCorrupt):
                    read([ref], partition).read_all()


def test_a_blob_whose_writer_miscounted_its_rows_is_found(tmp_path):
    encoder = BatchEncoder(pa.schema([("x", pa.int64())]), "none")
    (frame,) = encoder.encode([pa.record_batch({"x": [1, 2, 3]})])
    upload = LocalStore(tmp_path).create("shuffles/s/m0.blob")
    blob = BlobId(1, 2, 3)
    writer = ContainerWriter(blob, 0, 0, ContentKind.ARROW, upload.write)
    writer.prelude(encoder.prelude())
    writer.section("z")
    writer.segment(0, Origin("s", 0, 0), [frame._replace(rows=4)])
    writer.finish()
    upload.commit()
    ref = Ref(
        str(tmp_path),
        "s",
        0,
        0,
        1,
        1,
        blob,
        "shuffles/s/m0.blob",
        writer.length,
        4,
        writer.checksum,
    )
    with pytest.raises(BlobCorrupt, match="a segment has 3 rows, its footer says 4"):
        read([ref], 0).read_all()


def test_a_blob_of_another_map_under_the_path_is_found(tmp_path):
    ref = write(tmp_path, table(100), 2)
    with pytest.raises(BlobCorrupt, match="attempt=0"):
        read([replace(ref, attempt=1)], 0)


def test_another_blob_under_the_path_is_found(tmp_path):
    data = (pa.table({"x": np.arange(1000) + seed}) for seed in (1, 2))
    mine, other = (write(tmp_path, rows, 2, codec="none") for rows in data)
    assert mine.length == other.length
    (tmp_path / other.path).rename(tmp_path / mine.path)
    with pytest.raises(BlobCorrupt, match=f"it is blob {other.blob}"):
        read([mine], 0)


def test_a_blob_that_the_disk_lost_a_part_of_is_not_committed(tmp_path):
    upload = LocalStore(tmp_path).create("x.blob")
    upload.write(bytes(2 << 20))
    os.truncate(tmp_path / "x.blob.tmp", 1 << 20)
    with pytest.raises(StoreUnavailable, match="1048576 bytes, and 2097152 were written"):
        upload.commit()
    upload.abort()
    assert stored(tmp_path) == []


def test_a_writer_that_is_not_committed_leaves_nothing(tmp_path):
    with ShuffleWriter(
        tmp_path, shuffle="s", map=0, partitions=4, memory=4 << 20, codec="none"
    ) as writer:
        for _ in range(4):
            writer.write(pa.record_batch({"x": np.arange(400_000)}), np.arange(400_000) % 4)
        assert writer.spilled_bytes
    assert stored(tmp_path) == []


def test_a_released_shuffle_is_gone(tmp_path):
    ref = write(tmp_path, table(100), 2, shuffle="mine")
    kept = write(tmp_path, table(100), 2, shuffle="other")
    release(tmp_path, "mine")
    release(tmp_path, "mine")
    assert stored(tmp_path) == [tmp_path / kept.path]
    with pytest.raises(BlobMissing, match="released"):
        read([ref], 0)


def test_a_failed_job_leaves_nothing(tmp_path):
    def job():
        with releasing(tmp_path, "mine"):
            write(tmp_path, table(100), 2, shuffle="mine")
            raise RuntimeError("reduce")

    with pytest.raises(RuntimeError, match="reduce"):
        job()
    assert stored(tmp_path) == []


def in_child(function, *arguments):
    """Run a function in a process of its own; return its exit code."""
    process = multiprocessing.get_context("spawn").Process(target=function, args=arguments)
    process.start()
    process.join(60)
    return process.exitcode


def write_and_die(directory, refs):
    ref = write(directory, table(1000), 2)
    pathlib.Path(refs).write_bytes(pickle.dumps(ref))
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_worker_committed_is_read(tmp_path):
    assert in_child(write_and_die, tmp_path / "store", tmp_path / "ref") == -signal.SIGKILL
    ref = pickle.loads((tmp_path / "ref").read_bytes())
    assert sum(part.num_rows for part in read_all([ref], 2)) == 1000


class DyingStore(LocalStore):
    """Kills the process in the middle of a blob."""

    def create(self, path):
        upload = super().create(path)
        write_all = upload.write
        written = 0

        def write_some(data):
            nonlocal written
            write_all(data)
            written += 1
            if written == 3:
                os.kill(os.getpid(), signal.SIGKILL)

        upload.write = write_some  # type: ignore[method-assign]
        return upload


def write_until_killed(directory):
    write(DyingStore(directory), table(100_000), 8)


def test_a_worker_killed_while_it_commits_leaves_no_blob(tmp_path):
    assert in_child(write_until_killed, tmp_path) == -signal.SIGKILL
    names = [path.name for path in stored(tmp_path)]
    assert [name.endswith(".blob.tmp") for name in names] == [True]
    assert [found.shuffle for found in abandoned(tmp_path, 0)] == ["s"]
    assert abandoned(tmp_path, 3600) == []
    release(tmp_path, "s")
    assert stored(tmp_path) == []


def write_on_full_disk(directory, memory, refused):
    # A limit on the size of files fails as a full disk does, without one.
    resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, 6 << 20))
    try:
        write(directory, pa.table({"x": np.arange(4 << 20)}), 4, codec="none", memory=memory)
    except StoreUnavailable as failure:
        cause = failure.__cause__
        assert isinstance(cause, OSError)
        assert cause.errno == errno.EFBIG
        pathlib.Path(refused).write_text(str(failure))


@pytest.mark.parametrize(("memory", "action"), [(256 << 20, "write blob"), (4 << 20, "spill")])
def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path, memory, action):
    store = tmp_path / "store"
    assert in_child(write_on_full_disk, store, memory, tmp_path / "refused") == 0
    message = (tmp_path / "refused").read_text()
    assert action in message
    assert "space" in message
    assert stored(store) == []


def test_a_spilled_byte_that_flips_is_found(tmp_path):
    spill = SpillFile(tmp_path)
    spill.start_run(shares_dictionaries=False)
    spill.write(0, EncodedFrame(b"a" * 16, 1, 16))
    spill.write(3, EncodedFrame(b"b" * 16, 1, 16))
    spill.finish()
    os.pwrite(spill._file.fileno(), b"x", 20)
    assert [frame.data for frame in spill.frames(0, b"")] == [b"a" * 16]
    with pytest.raises(BlobCorrupt, match="partition 3"):
        list(spill.frames(3, b""))
    spill.close()
