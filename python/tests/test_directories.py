"""Several directories: blobs go where there is room, and on when one is full or fails."""

import errno
import multiprocessing
import os
import pathlib
import pickle
import resource

import numpy as np
import pyarrow as pa
import pytest
from shuffles import read_all, stored, table, write

from blobshuffle import (
    BlobMissing,
    Directories,
    LocalStore,
    StoreUnavailable,
    abandoned,
    open_store,
    read,
    release,
)
from blobshuffle import directories as module
from blobshuffle.cli import main
from blobshuffle.inspection import verify_shuffles


@pytest.fixture
def two(tmp_path):
    """Two directories that exist."""
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.mkdir()
    return paths


def alternately(values=(0.0, 0.999999)):
    count = 0

    def chance():
        nonlocal count
        count += 1
        return values[count // 2 % 2]

    return chance


def test_blobs_are_spread_and_found_by_their_refs(two):
    store = Directories(two, chance=alternately())
    refs = [write(store, table(100, n), 2, map=n, maps=4) for n in range(4)]
    assert {ref.store for ref in refs} == {str(path) for path in two}
    assert all((pathlib.Path(str(ref.store)) / ref.path).exists() for ref in refs)
    expected = pa.concat_tables([table(100, n).take(np.arange(0, 100, 2)) for n in range(4)])
    for where in (None, store, two, [str(path) for path in two]):
        assert read(refs, 0, store=where).read_all().equals(expected)
    # From another mount of the same disks.
    moved = [path.rename(path.with_name(f"moved-{path.name}")) for path in two]
    assert read(refs, 0, store=moved).read_all().equals(expected)


def test_a_fuller_disk_gets_fewer_blobs(two, monkeypatch):
    free = {str(two[0]): 900, str(two[1]): 100}
    monkeypatch.setattr(Directories, "room", lambda _, directory: free[directory])
    chances = iter(np.arange(0.005, 1, 0.01).repeat(2))
    store = Directories(two, chance=lambda: float(next(chances)))
    first = [store._candidates()[0] for _ in range(100)]
    assert first.count(str(two[0])) == 90


def test_release_verify_and_gc_work_over_all(two, capsys):
    store = Directories(two, chance=alternately())
    for number in range(4):
        write(store, table(100), 2, map=number, maps=4, shuffle="mine")
        write(store, table(100), 2, map=number, maps=4, shuffle="other")
    assert all(len(stored(path)) == 4 for path in two)
    assert [outcome.rows for outcome in verify_shuffles(store)] == [100] * 8
    assert [(found.shuffle, found.blobs) for found in abandoned(two, 0)] == [
        ("mine", 4),
        ("other", 4),
    ]
    release(two, "mine")
    assert sum(len(stored(path)) for path in two) == 4
    names = [word for path in two for word in ("--store", str(path))]
    assert main(["verify", *names]) == 0
    assert main(["gc", *names, "--older-than", "0s", "--delete"]) == 0
    assert "4 blobs, 400 rows, 0 damaged" in capsys.readouterr().out
    assert [stored(path) for path in two] == [[], []]


def test_a_quota_is_kept(two):
    one = write(two[0], table(10_000), 2, codec="none").length
    store = Directories(two, quota=int(2.5 * one))
    refs = [write(store, table(10_000), 2, map=n, maps=3, codec="none") for n in range(3)]
    assert [ref.store for ref in refs].count(str(two[0])) == 1
    with pytest.raises(StoreUnavailable, match="its quota"):
        write(store, table(10_000), 2, map=9, maps=10, codec="none")
    assert sum(len(stored(path)) for path in two) == 4
    assert not [path for path in two if any(file.suffix == ".tmp" for file in stored(path))]
    release(store, "s")
    write(store, table(10_000), 2, codec="none")


def test_what_other_processes_wrote_counts_when_it_is_counted_again(two):
    now = [0.0]
    store = Directories(two[:1], quota=1000, clock=lambda: now[0])
    assert store.room(str(two[0])) == 1000
    (two[0] / "shuffles/s").mkdir(parents=True)
    (two[0] / "shuffles/s/m0.blob").write_bytes(bytes(400))
    assert store.room(str(two[0])) == 1000
    now[0] += module.RECOUNT_SECONDS
    assert store.room(str(two[0])) == 600


def test_a_directory_that_fails_rests_and_returns(two):
    now = [0.0]
    store = Directories(two, clock=lambda: now[0], chance=lambda: 0.0)
    two[0].rmdir()
    two[0].write_text("no directory")
    assert write(store, table(10), 2).store == str(two[1])
    two[0].unlink()
    assert write(store, table(10), 2).store == str(two[1])
    now[0] += module.REST_SECONDS
    assert write(store, table(10), 2).store == str(two[0])


def test_all_directories_failing_is_one_failure_that_names_each(two):
    for path in two:
        path.rmdir()
        path.write_text("no directory")
    with pytest.raises(StoreUnavailable) as failure:
        write(Directories(two), table(10), 2)
    assert all(str(path) in str(failure.value) for path in two)


def test_release_deletes_what_it_can_when_a_directory_fails(two, monkeypatch):
    store = Directories(two, chance=alternately())
    for number in range(4):
        write(store, table(100), 2, map=number, maps=4)
    real = LocalStore.delete

    def refuse(self, path):
        if self.location == str(two[0]):
            raise StoreUnavailable("refused")
        real(self, path)

    monkeypatch.setattr(LocalStore, "delete", refuse)
    with pytest.raises(StoreUnavailable, match="refused"):
        release(store, "s")
    assert [len(stored(path)) for path in two] == [2, 0]


def test_a_blob_in_no_directory_is_missing(two):
    ref = write(two[0], table(10), 2)
    (two[0] / ref.path).unlink()
    with pytest.raises(BlobMissing, match="m0-a0"):
        read([ref], 0, store=Directories(two))


def test_a_pickled_store_is_the_same(two):
    store = pickle.loads(pickle.dumps(Directories(two, quota=5)))
    assert list(store._stores) == [str(path) for path in two]
    assert store._quota == 5


def test_illegal_directories_are_refused(two):
    for paths in ([], [two[0], two[0]]):
        with pytest.raises(ValueError, match="none twice"):
            Directories(paths)
    with pytest.raises(ValueError, match="quota"):
        Directories(two, quota=0)
    with pytest.raises(ValueError, match="are no directories"):
        open_store([str(two[0]), "s3://bucket/x"])


def write_with_one_full(paths, memory, result):
    """Fail writes to the first directory after 6 MiB, as a full disk does."""
    real = os.fspath(paths[0])
    limit, none = 6 << 20, resource.RLIM_INFINITY
    store = Directories(paths, chance=lambda: 0.0)
    candidates = store._candidates

    def limited():
        # The first directory is full; the second is on another disk.
        ordered = candidates()
        is_full = bool(ordered) and ordered[0] == real
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit if is_full else none, none))
        return ordered

    store._candidates = limited
    ids = np.random.default_rng(1).integers(0, 4, 2 << 20)
    data = pa.table({"x": np.arange(2 << 20)})
    ref = write(store, data, 4, codec="none", memory=memory, ids=ids, batches=8)
    pathlib.Path(result).write_bytes(pickle.dumps((ref, module._health_of(real).reason)))


@pytest.mark.parametrize("memory", [256 << 20, 4 << 20])
def test_a_disk_that_fills_up_is_left_and_no_row_is_lost(two, tmp_path, memory):
    process = multiprocessing.get_context("spawn").Process(
        target=write_with_one_full, args=(two, memory, tmp_path / "result")
    )
    process.start()
    process.join(120)
    assert process.exitcode == 0
    ref, reason = pickle.loads((tmp_path / "result").read_bytes())
    assert os.strerror(errno.EFBIG) in reason
    assert ref.store == str(two[1])
    assert stored(two[0]) == []
    assert stored(two[1]) == [two[1] / ref.path]
    ids = np.random.default_rng(1).integers(0, 4, 2 << 20)
    for partition, part in enumerate(read_all([ref], 4)):
        assert np.array_equal(part["x"].to_numpy(), np.flatnonzero(ids == partition))
