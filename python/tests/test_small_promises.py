"""Promises at the edges: names, tokens, other platforms, and the files of the package."""

import os
import pathlib
import re

import numpy as np
import pytest
from shuffles import read_all, table, write

from blobshuffle import HttpStore, ShuffleWriter, release
from blobshuffle.cli import main
from blobshuffle.crc import crc32c

PACKAGE = pathlib.Path(__file__).parents[1]
REPOSITORY = PACKAGE.parent


def test_names_that_end_as_temporary_blobs_do_are_refused(tmp_path):
    for name in ("x.tmp", "s.blob.tmp", ".tmp"):
        with pytest.raises(ValueError, match="Cannot name a shuffle"):
            ShuffleWriter(tmp_path, shuffle=name, map=0, partitions=1)
        with pytest.raises(ValueError, match="Cannot name a shuffle"):
            release(tmp_path, name)


def test_a_token_over_http_stays_on_this_machine():
    for host in ("example.com:1", "10.0.0.1", "localhost.example.com"):
        with pytest.raises(ValueError, match="a token over http can be read on the way"):
            HttpStore(f"http://{host}/n", "token")
        assert HttpStore(f"http://{host}/n").location is None
    for url in ("http://127.0.0.1:1/n", "http://localhost/n", "http://[::1]:1/n"):
        assert HttpStore(url, "token").location is None


def test_files_are_read_where_the_system_cannot_read_at_a_place(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "pread")
    data = table(300_000)
    ref = write(tmp_path, data, 3, batches=10, memory=4 << 20)
    for partition, part in enumerate(read_all([ref], 3)):
        assert part.equals(data.take(np.arange(partition, data.num_rows, 3)))


def commit(tmp_path, text, check=None):
    lines = text.encode()
    ending = f"crc32c {crc32c(lines) if check is None else check:08x}\n".encode()
    (tmp_path / "shuffles/s/flight.commit").write_bytes(lines + ending)


def test_verify_knows_the_commit_of_a_daemon(tmp_path, capsys):
    ref = write(tmp_path, table(10), 2)
    text = f"blobshuffle-commit 1 1\n{ref.path.split('/')[-1]} {ref.length} {ref.checksum:08x}\n"
    commit(tmp_path, text)
    assert main(["verify", "--store", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 blobs, 10 rows, 0 damaged\n"
    commit(tmp_path, text, check=1)
    assert main(["verify", "--store", str(tmp_path)]) == 1
    assert "flight.commit: Cannot read the commit of a daemon" in capsys.readouterr().out


def test_the_package_has_its_licence_and_no_relative_link():
    for name in ("LICENSE", "NOTICE"):
        assert (PACKAGE / name).read_bytes() == (REPOSITORY / name).read_bytes()
    project = (PACKAGE / "pyproject.toml").read_text("utf-8")
    assert 'license-files = ["LICENSE", "NOTICE"]' in project
    links = re.findall(r"\]\(([^)]*)\)", (PACKAGE / "README.md").read_text("utf-8"))
    assert links
    assert all(link.startswith("https://") for link in links)
