"""When a reader returns its first batch, how many blobs it opens, and when it closes them."""

from typing import Any

import pytest
from shuffles import table, write

from blobshuffle import BlobMissing, LocalStore, read
from blobshuffle import reader as reader_module


class Watched(LocalStore):
    """A store that says which blobs are open, and how many bytes were asked for."""

    def __init__(self, directory, ahead=0, broken=()):
        super().__init__(directory)
        self.ahead = ahead
        self.broken = broken
        self.open_now: set[Any] = set()
        self.opened: list[str] = []
        self.bytes = 0

    @property
    def read_ahead(self):
        return self.ahead

    def at(self, location):
        return self

    def open(self, path) -> Any:
        if path in self.broken:
            raise BlobMissing(f"{path} is gone")
        store, inner = self, super().open(path)

        class Source:
            length = inner.length

            def read(self, offset, length):
                store.bytes += length
                return inner.read(offset, length)

            def close(self):
                store.open_now.discard(self)
                inner.close()

        source = Source()
        self.open_now.add(source)
        self.opened.append(path)
        return source


@pytest.fixture
def maps(tmp_path):
    """40 maps of one partition of about 100 KB."""
    data = table(2000)
    return [write(tmp_path, data, 1, map=number, maps=40) for number in range(40)]


def test_the_first_batch_is_there_before_other_blobs_are_opened(tmp_path, maps):
    store = Watched(tmp_path)
    reader = read(maps, 0, store=store)
    assert next(iter(reader)).num_rows == 2000
    assert set(store.opened) == {maps[0].path}
    assert reader.read_all().num_rows == 39 * 2000
    assert not store.open_now


def test_the_first_of_many_frames_is_read_alone(tmp_path):
    data = table(400_000)
    refs = [write(tmp_path, data, 1, memory=64 << 20)]
    for partition in (0, 0):
        store = Watched(tmp_path)
        first = next(iter(read(refs, partition, store=store)))
        assert first.num_rows < 200_000
    # The second reader has the footer already.
    assert store.bytes < 6 << 20


def test_many_streams_are_open_at_once_within_memory(tmp_path, maps, monkeypatch):
    monkeypatch.setattr(reader_module, "READ_BYTES", 120_000)
    monkeypatch.setattr(reader_module, "_STREAMS", 8)
    store = Watched(tmp_path, ahead=2)
    most = 0
    for batch in read(maps, 0, store=store):
        most = max(most, len(store.open_now))
        assert batch.num_rows
    assert 2 < most <= 8
    assert not store.open_now
    stopped = read(maps, 0, store=store)
    next(iter(stopped))
    del stopped
    assert not store.open_now


def test_rows_before_a_blob_that_is_missing_come_first(tmp_path, maps):
    store = Watched(tmp_path, ahead=4, broken={maps[3].path})
    reader = iter(read(maps, 0, store=store))
    assert next(reader).num_rows == 2000
    with pytest.raises(BlobMissing, match="is gone"):
        list(reader)
    assert not store.open_now
