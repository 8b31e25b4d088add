"""Leases: blobs of a dead driver are deleted, and those of a living one are kept."""

import multiprocessing
import os
import signal

import pytest
from shuffles import stored, table, write

from blobshuffle import (
    LocalStore,
    StoreUnavailable,
    abandoned,
    expired,
    lease,
    release,
    release_expired,
    releasing,
)
from blobshuffle.cli import main
from blobshuffle.lease import LEASES, Lease


def age(path, seconds):
    """Let a lease have been renewed some time ago, by the store's clock."""
    status = path.stat()
    os.utime(path, (status.st_atime - seconds, status.st_mtime - seconds))


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_shuffle_is_released_when_its_lease_has_expired(tmp_path, store):
    for shuffle in ("dead", "alive", "unleased"):
        write(tmp_path, table(10), 2, shuffle=shuffle)
    for shuffle in ("dead", "alive"):
        Lease(store, shuffle, 60)
    assert expired(store) == []
    age(tmp_path / LEASES / "dead", 89)
    assert expired(store) == []
    age(tmp_path / LEASES / "dead", 5)
    assert [(found.shuffle, found.blobs) for found in expired(store)] == [("dead", 1)]
    assert [found.shuffle for found in release_expired(store)] == ["dead"]
    assert release_expired(store) == []
    left = [path.relative_to(tmp_path).parts[:2] for path in stored(tmp_path)]
    assert left == [("leases", "alive"), ("shuffles", "alive"), ("shuffles", "unleased")]


def test_a_shuffle_with_a_lease_is_not_abandoned_however_old(tmp_path, store):
    write(tmp_path, table(10), 2, shuffle="long")
    write(tmp_path, table(10), 2, shuffle="other")
    held = Lease(store, "long", 60)
    assert [found.shuffle for found in abandoned(store, -10)] == ["other"]
    assert held.renew()
    release(store, "long")
    assert [path.relative_to(tmp_path).parts[1] for path in stored(tmp_path)] == ["other"]


def test_a_lease_is_not_renewed_when_it_is_late_or_gone(tmp_path, store):
    clock = Clock()
    held = Lease(store, "s", 60, clock)
    clock.now += 60
    assert held.renew()
    clock.now += 61
    assert not held.renew()
    gone = Lease(store, "gone", 60, clock)
    release(store, "gone")
    assert not gone.renew()
    assert [path.name for path in stored(tmp_path)] == ["s"]


def test_a_thread_renews_until_the_block_ends(tmp_path, monkeypatch):
    writes = multiprocessing.get_context().Semaphore(0)
    real = lease.write_small

    def counted(*arguments):
        real(*arguments)
        writes.release()

    monkeypatch.setattr("blobshuffle.lease.write_small", counted)
    with releasing(tmp_path, "s", lease=1) as shuffle:
        write(tmp_path, table(10), 2, shuffle=shuffle)
        # The mark of the sweep, the first lease, and two renewals.
        for _ in range(4):
            assert writes.acquire(timeout=60)
    assert stored(tmp_path) == []


def test_a_refusal_of_the_store_is_tried_again(store, monkeypatch):
    clock = Clock()
    held = Lease(store, "s", 60, clock)
    with monkeypatch.context() as broken:
        broken.setattr(
            LocalStore, "create", lambda *_: (_ for _ in ()).throw(StoreUnavailable("full"))
        )
        clock.now += 20
        with pytest.raises(StoreUnavailable, match="full"):
            held.renew()
    clock.now += 20
    assert held.renew()
    clock.now += 60
    assert held.renew()


def drive_and_die(directory):
    with releasing(directory, "dead", lease=1) as shuffle:
        write(directory, table(1000), 2, shuffle=shuffle)
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_next_job_deletes_what_a_killed_driver_left(tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=drive_and_die, args=(tmp_path,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert any(path.suffix == ".blob" for path in stored(tmp_path))
    age(tmp_path / LEASES / "dead", 10)
    with releasing(tmp_path, "next", lease=60):
        assert [path.name for path in stored(tmp_path)] == ["next"]
    assert stored(tmp_path) == []


def test_gc_deletes_shuffles_of_expired_leases_without_an_age(tmp_path, store, capsys):
    for shuffle in ("dead", "alive", "unleased"):
        write(tmp_path, table(10), 2, shuffle=shuffle)
    for shuffle in ("dead", "alive"):
        Lease(store, shuffle, 60)
    age(tmp_path / LEASES / "dead", 100)
    assert main(["gc", "--store", str(tmp_path), "--delete"]) == 0
    assert capsys.readouterr().out.startswith("dead: 1 blobs")
    assert main(["gc", "--store", str(tmp_path), "--older-than", "0s", "--delete"]) == 0
    assert capsys.readouterr().out.startswith("unleased: 1 blobs")
    assert {path.name for path in stored(tmp_path)} >= {"alive"}


def test_damaged_leases_and_old_marks_delete_nothing(tmp_path, store):
    write(tmp_path, table(10), 2, shuffle="kept")
    for text in ("", "[]", '{"seconds": "x"}', '{"seconds": null}', '{"seconds": -1}'):
        lease.write_small(store, f"{LEASES}/kept", text.encode())
        age(tmp_path / LEASES / "kept", 10_000)
        assert expired(store) == []
    lease.write_small(store, f"{LEASES}/.now-1", b"")
    age(tmp_path / LEASES / ".now-1", 10_000)
    assert expired(store) == []
    assert [path.name for path in stored(tmp_path / LEASES)] == ["kept"]


def test_illegal_leases_are_refused(store):
    for seconds in (0, -1, 0.5, float("nan")):
        with pytest.raises(ValueError, match="at least"):
            Lease(store, "s", seconds)
