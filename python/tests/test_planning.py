"""The advice for a shuffle: from given speeds, and from those of this machine."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shuffles import stored, table

from blobshuffle.adaptive import Cost
from blobshuffle.cli import main
from blobshuffle.planning import Measured, Place, advise, codec_costs, size

GIB = 1 << 30
COSTS = {
    "none": Cost(0.0, 0.0, 1000, 1000),
    "lz4": Cost(1e-6, 0.25e-6, 1000, 500),
    "zstd": Cost(2e-6, 1e-6, 1000, 250),
}


def advice(rows: int, maps=None, partitions=None, places=(), cores=4):
    measured = Measured(dict(COSTS), list(places), cores, 1.0, None)  # pyright: ignore
    return "\n".join(advise(rows, maps, partitions, measured))


def place(name, rate, device=1, free=100 * GIB):
    return Place(name, device, free, rate, rate)


def test_partitions_have_128_to_512_mebibytes():
    assert "partitions=40: 256 MiB of rows each." in advice(10 * GIB)
    assert "partitions=1: 1 KiB of rows each." in advice(1024)
    assert "partitions=10 has 1 GiB of rows each, more than 512 MiB: take 40" in advice(
        10 * GIB, None, 10
    )
    assert "partitions=200 has 51.2 MiB of rows each, less than 128 MiB: take 40" in advice(
        10 * GIB, None, 200
    )
    assert "partitions=25: 409.6 MiB" in advice(10 * GIB, None, 25)


@pytest.mark.parametrize(
    ("rate", "codec"), [(100e9, "none"), (2e9, "lz4"), (0.1e9, "zstd"), (None, "lz4")]
)
def test_the_codec_is_that_of_least_cost_for_the_disks(rate, codec):
    places = [] if rate is None else [place("/a", rate)]
    assert f'codec="{codec}"' in advice(GIB, places=places)


def test_a_second_disk_counts_and_a_second_directory_of_a_disk_does_not():
    one, two = place("/a", 0.8e9), place("/b", 1e9, device=2)
    assert 'codec="zstd"' in advice(GIB, places=[one, place("/c", 0.8e9)])
    assert "1 of them share a disk" in advice(GIB, places=[one, place("/c", 0.8e9)])
    assert 'codec="lz4"' in advice(GIB, places=[one, two])


def test_blobs_that_do_not_fit_are_said():
    text = advice(1000 * GIB, places=[place("/a", 1e9, free=GIB), place("/b", 1e9, 2, GIB)])
    assert "Blobs take about 500 GiB, and /a, /b have 2 GiB free: add a disk" in text


def test_many_small_segments_are_said():
    text = advice(GIB, maps=1000, partitions=1000)
    assert "A map has 1.049 KiB for a partition, less than 64 KiB: fewer maps, at most 16" in text
    assert "fewer maps" not in advice(10 * GIB, maps=10)
    assert "A map has 1 GiB: memory=2 GiB spills nothing" in advice(10 * GIB, maps=10)


def test_sizes_have_units():
    assert [size(text) for text in ("10", "2 TiB", "1.5gb", "3MB")] == [
        10,
        2 << 40,
        1_500_000_000,
        3_000_000,
    ]
    for text in ("", "GB", "-1GB", "1XB", "1ib", "0"):
        with pytest.raises(ValueError, match="is no size"):
            size(text)


def test_codecs_are_measured_on_the_rows():
    text = pa.record_batch({"x": ["the same text"] * 50_000})
    noise = pa.record_batch({"x": pa.array(table(50_000)["value"].combine_chunks())})
    for batch, is_small in ((text, True), (noise, False)):
        costs = codec_costs([batch])
        assert set(costs) == {"none", "lz4", "zstd"}
        assert (costs["zstd"].stored_bytes < costs["none"].stored_bytes / 4) == is_small


def test_the_command_measures_and_leaves_nothing(tmp_path, capsys):
    sample = tmp_path / "rows.parquet"
    pq.write_table(table(5000), sample)
    stream = tmp_path / "rows.arrow"
    with pa.ipc.new_file(stream, table(10).schema) as writer:
        writer.write_table(table(1000))
    disk = tmp_path / "disk"
    for path in (sample, stream):
        arguments = ["plan", "--bytes", "100GiB", "--maps", "50"]
        code = main([*arguments, "--directory", str(disk), "--sample", str(path)])
        out = capsys.readouterr().out
        assert code == 0
        assert f"rows of {path}:" in out
        assert f"{disk}: " in out
        assert "partitions=400: 256 MiB" in out
    assert stored(disk) == []


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("no rows")
    for arguments, message in (
        (["--directory", str(file / "below")], "Cannot measure"),
        (["--sample", str(file)], "Cannot read rows of"),
    ):
        assert main(["plan", "--bytes", "1GB", *arguments]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["plan", "--bytes", "much"])
    assert "is no size such as" in capsys.readouterr().err
