"""The command: its output and its exit code."""

import json
import os
import subprocess
import sys
import time

import pytest
from conftest import GOLDEN
from shuffles import stored, table, write

from blobshuffle.cli import main


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


def test_inspect_prints_a_blob(tmp_path, run):
    ref = write(tmp_path, table(1000), 4, attempt=2)
    code, out, _ = run("inspect", tmp_path / ref.path)
    assert code == 0
    said = json.loads(out)
    assert said["id"] == str(ref.blob)
    assert (said["rows"], said["partitions"], said["length"]) == (1000, 4, ref.length)
    assert said["origins"] == [{"shuffle": "s", "map": 0, "attempt": 2}]
    assert "name: string" in said["schema"]
    assert run("inspect", ref.path, "--store", tmp_path)[1] == out


def test_inspect_prints_segments(run):
    code, out, _ = run("inspect", GOLDEN / "OPAQUE.blob", "--segments")
    assert code == 0
    segments = [json.loads(line) for line in out.split("\n}\n")[1].splitlines()]
    assert [segment["partition"] for segment in segments] == [0, 0, 1, 8191]


def test_inspect_says_what_is_wrong(tmp_path, run):
    code, _, err = run("inspect", tmp_path / "absent.blob")
    assert code == 2
    assert "it is not there" in err
    code, _, err = run("inspect", GOLDEN / "LZ4.blob")
    assert code == 1
    assert "it holds records" in err


def test_verify_finds_damage_and_names_the_blob(tmp_path, run):
    refs = [write(tmp_path, table(1000), 4, map=n, maps=2) for n in range(2)]
    assert run("verify", "--store", tmp_path)[:2] == (0, "2 blobs, 2000 rows, 0 damaged\n")
    path = tmp_path / refs[1].path
    blob = bytearray(path.read_bytes())
    blob[len(blob) // 2] ^= 1
    path.write_bytes(blob)
    code, out, _ = run("verify", "--store", tmp_path, "--shuffle", "s")
    assert code == 1
    assert refs[1].path in out
    assert "2 blobs, 1000 rows, 1 damaged" in out
    code, out, err = run("verify", "--store", tmp_path, "--shuffle", "other")
    assert (code, out.split(",")[0]) == (2, "0 blobs")
    assert "shuffle 'other': it has no committed blob" in err


@pytest.mark.parametrize("command", ["verify", "gc"])
def test_a_store_that_is_not_there_is_no_empty_one(tmp_path, run, command):
    code, _, err = run(command, "--store", tmp_path, "--store", tmp_path / "slip")
    assert code == 2
    assert "slip': there is no such directory" in err
    for stores in (["--store", ""], ["--store", tmp_path, "--store", " "]):
        code, _, err = run(command, *stores)
        assert code == 2
        assert "is a variable unset" in err


def test_inspect_says_by_its_code_that_a_blob_is_damaged(tmp_path, run):
    path = tmp_path / write(tmp_path, table(1000), 4).path
    path.write_bytes(path.read_bytes()[:-10])
    code, _, err = run("inspect", path)
    assert code == 1
    assert "damaged" in err


def test_verify_leaves_out_what_is_not_committed(tmp_path, run):
    tmp_path.joinpath("shuffles", "s").mkdir(parents=True)
    tmp_path.joinpath("shuffles", "s", "m0-a0-1-2-3.blob.tmp").write_bytes(b"half")
    assert run("verify", "--store", tmp_path)[:2] == (0, "0 blobs, 0 rows, 0 damaged\n")


def test_verify_counts_rows(tmp_path, run, monkeypatch):
    write(tmp_path, table(1000), 4)
    monkeypatch.setattr("blobshuffle.inspection._rows", lambda *_: 7)
    code, out, _ = run("verify", "--store", tmp_path)
    assert code == 1
    assert "it has 7 rows, and the footer says 250" in out


def test_gc_deletes_what_is_old_and_only_if_asked(tmp_path, run):
    old = write(tmp_path, table(10), 2, shuffle="old")
    new = write(tmp_path, table(10), 2, shuffle="new")
    past = time.time() - 3 * 86_400
    os.utime(tmp_path / old.path, (past, past))
    code, out, _ = run("gc", "--store", tmp_path, "--older-than", "2d")
    assert code == 0
    assert out.startswith("old: 1 blobs")
    assert len(stored(tmp_path)) == 2
    code, out, _ = run("gc", "--store", tmp_path, "--older-than", "2d", "--delete")
    assert "1 shuffles" in out
    assert stored(tmp_path) == [tmp_path / new.path]


@pytest.mark.parametrize("duration", ["2", "d", "-1d", "1w", ""])
def test_a_duration_needs_a_unit(tmp_path, duration, capsys):
    with pytest.raises(SystemExit):
        main(["gc", "--store", str(tmp_path), "--older-than", duration])
    assert "error" in capsys.readouterr().err


def test_the_command_is_installed():
    program = os.path.join(os.path.dirname(sys.executable), "blobshuffle-py")
    done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    assert "verify" in done.stdout
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("blobshuffle-py ")
