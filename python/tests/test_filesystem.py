"""The same promises in object stores and other file systems of pyarrow."""

import datetime
import pickle
import time

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import servers
from shuffles import read_all, table, write

from blobshuffle import (
    BlobCorrupt,
    BlobMissing,
    FileSystemStore,
    ShuffleWriter,
    StoreUnavailable,
    abandoned,
    lease,
    open_store,
    read,
    release,
    release_expired,
)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    with servers.versitygw(tmp_path_factory.mktemp("s3")) as endpoint:
        yield endpoint


@pytest.fixture
def uri(endpoint, monkeypatch, request):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", servers.KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", servers.SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    from blobshuffle import store

    store._from_uri.cache_clear()
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)
    return f"s3://{servers.BUCKET}/{name}?scheme=http&endpoint_override={endpoint}&region=us-east-1"


@pytest.fixture(scope="module")
def gcs():
    with servers.fake_gcs() as endpoint:
        yield pafs.GcsFileSystem(
            anonymous=True,
            scheme="http",
            endpoint_override=endpoint,
            retry_time_limit=datetime.timedelta(seconds=30),
        )


@pytest.fixture(scope="module")
def azure(tmp_path_factory):
    with servers.azurite(tmp_path_factory.mktemp("azure")) as endpoint:
        filesystem = pafs.AzureFileSystem(
            servers.AZURE_ACCOUNT,
            account_key=servers.AZURE_KEY,
            blob_storage_authority=endpoint,
            dfs_storage_authority=endpoint,
            blob_storage_scheme="http",
            dfs_storage_scheme="http",
        )
        filesystem.create_dir(servers.BUCKET)
        yield filesystem


@pytest.fixture(params=["s3", "gcs", "azure", "local"])
def store(request, tmp_path):
    if request.param == "s3":
        return open_store(request.getfixturevalue("uri"))
    if request.param == "local":
        return FileSystemStore(pafs.LocalFileSystem(), str(tmp_path))
    return FileSystemStore(
        request.getfixturevalue(request.param), f"{servers.BUCKET}/{tmp_path.name}"
    )


def test_rows_come_back_by_their_refs_alone(uri):
    refs = [write(uri, table(20_000, n), 8, map=n, maps=7, codec="zstd") for n in range(7)]
    refs = pickle.loads(pickle.dumps(refs))
    expected = pa.concat_tables([table(20_000, n).take(np.arange(3, 20_000, 8)) for n in range(7)])
    assert read(refs, 3).read_all().equals(expected)
    assert servers.SECRET.encode() not in pickle.dumps(refs)


def test_rows_come_back(store):
    ref = write(store, table(10_000), 4)
    for partition, part in enumerate(read_all([ref], 4, store=store)):
        assert part.equals(table(10_000).take(np.arange(partition, 10_000, 4)))


def test_a_blob_of_many_parts_comes_back(store):
    data = pa.table({"x": np.random.default_rng(3).integers(0, 1 << 60, 5 << 20)})
    ref = write(store, data, 2, codec="none", batches=10, memory=16 << 20)
    assert ref.length > 40 << 20
    assert read([ref], 1, store=store).read_all()["x"].to_numpy().tolist() == (
        data["x"].to_numpy()[1::2].tolist()
    )


def test_a_store_is_pickled_with_its_file_system(store):
    ref = write(pickle.loads(pickle.dumps(store)), table(100), 2)
    assert read([ref], 1, store=store).read_all().num_rows == 50


def test_a_missing_blob_is_named_and_a_released_shuffle_is_gone(store):
    refs = [write(store, table(100, n), 2, map=n, maps=2, shuffle="mine") for n in range(2)]
    kept = write(store, table(100), 2, shuffle="other")
    reader = read(refs, 0, store=store)
    store.delete(refs[1].path)
    with pytest.raises(BlobMissing, match="m1-a0"):
        reader.read_all()
    release(store, "mine")
    release(store, "mine")
    with pytest.raises(BlobMissing, match="m0-a0"):
        read(refs, 0, store=store)
    assert [entry.path for entry in store.list("shuffles")] == [kept.path]
    assert [found.shuffle for found in abandoned(store, -60)] == ["other"]


def test_a_lease_expires_by_the_clock_of_the_store(store):
    write(store, table(100), 2, shuffle="dead")
    write(store, table(100), 2, shuffle="alive")
    lease.Lease(store, "dead", 1)
    held = lease.Lease(store, "alive", 600)
    deadline = time.monotonic() + 120
    while not (found := release_expired(store)):
        assert time.monotonic() < deadline
    assert [(shuffle.shuffle, shuffle.blobs) for shuffle in found] == [("dead", 1)]
    assert {entry.path.split("/")[1] for entry in store.list("")} == {"alive"}
    assert held.renew()
    release(store, "alive")
    assert not held.renew()
    assert list(store.list("")) == []


def test_a_cut_blob_is_found(store):
    ref = write(store, table(1000), 2)
    source = store.open(ref.path)
    data = source.read(0, ref.length - 100)
    source.close()
    store.delete(ref.path)
    upload = store.create(ref.path)
    upload.write(data)
    upload.commit()
    with pytest.raises(BlobCorrupt, match="were written"):
        read([ref], 0, store=store)


def test_a_writer_that_is_not_committed_leaves_nothing(store):
    with ShuffleWriter(store, shuffle="s", map=0, partitions=2) as writer:
        writer.write(table(100), keys=["id"])
    upload = store.create("shuffles/s/x.blob")
    upload.write(b"x" * 100)
    upload.abort()
    assert list(store.list("")) == []


def test_a_bucket_that_is_not_there_is_reported(uri):
    with pytest.raises(StoreUnavailable, match="Cannot write blob absent"):
        write(uri.replace("//blobs/", "//absent/"), table(100), 2)


def test_a_reader_that_stops_early_ends_its_requests(uri):
    refs = [write(uri, table(100, n), 2, map=n, maps=12) for n in range(12)]
    reader = read(refs, 0)
    assert reader.read_next_batch().num_rows == 50
    reader.close()
    del reader


def test_uris_with_credentials_are_refused_without_naming_them():
    for uri in ("s3://key:topsecret@bucket/x", "s3://topsecret@bucket/x", "abfss://:topsecret@a/b"):
        with pytest.raises(ValueError, match="has credentials") as failure:
            open_store(uri)
        assert "topsecret" not in str(failure.value)


def test_unknown_uris_are_refused():
    with pytest.raises(ValueError, match="no parameter"):
        open_store("s3://bucket/x?regoin=eu-central-1")
    with pytest.raises(ValueError, match="Cannot open store"):
        open_store("ftp://host/x")


def test_a_ref_of_an_unnamed_store_needs_the_store(tmp_path):
    store = FileSystemStore(pafs.LocalFileSystem(), str(tmp_path))
    ref = write(store, table(10), 2)
    assert ref.store is None
    with pytest.raises(ValueError, match="Pass store"):
        read([ref], 0)
