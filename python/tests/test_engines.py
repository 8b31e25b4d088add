"""DuckDB, DataFusion and Polars read partitions, results of operations, and whole blobs."""

import datafusion
import duckdb
import numpy as np
import polars
import pyarrow as pa
import pytest
from shuffles import table, write

from blobshuffle import join, read

ROWS = 30_000


@pytest.fixture
def refs(tmp_path):
    return [write(tmp_path, table(ROWS, n), 3, map=n, maps=2) for n in range(2)]


def expected(partition):
    parts = [table(ROWS, n).take(np.arange(partition, ROWS, 3)) for n in range(2)]
    data = pa.concat_tables(parts)
    return data.num_rows, sum(data["row"].to_pylist()), len(set(data["name"].to_pylist()) - {None})


QUERY = 'select count(*) as n, sum("row") as total, count(distinct name) as names from part'


def test_duckdb_queries_a_partition(refs):
    part = read(refs, 1)
    with duckdb.connect() as connection:
        connection.register("part", part)
        row = connection.execute(QUERY).fetchone()
    assert row == expected(1)


def test_datafusion_queries_a_partition(refs):
    context = datafusion.SessionContext()
    context.from_arrow(read(refs, 1), name="part")
    (row,) = context.sql(QUERY).to_pylist()
    assert tuple(row.values()) == expected(1)


def test_damage_fails_the_query_of_both(tmp_path, refs):
    path = tmp_path / refs[1].path
    blob = bytearray(path.read_bytes())
    reader = [read(refs, 1) for _ in range(2)]
    blob[len(blob) // 2] ^= 0xFF
    path.write_bytes(blob)
    with duckdb.connect() as connection:
        connection.register("part", reader[0])
        with pytest.raises(duckdb.Error, match="checksum"):
            connection.execute(QUERY).fetchone()
    context = datafusion.SessionContext()
    with pytest.raises(Exception, match="checksum"):
        context.from_arrow(reader[1], name="part")


def test_polars_reads_a_partition(refs):
    frame = polars.DataFrame(polars.from_arrow(read(refs, 1)))
    rows, total, names = expected(1)
    assert (frame.height, frame["row"].sum()) == (rows, total)
    assert frame["name"].drop_nulls().n_unique() == names


def test_duckdb_and_polars_read_the_result_of_a_join(tmp_path):
    orders = pa.table({"customer": [1, 2, 1], "total": [5, 6, 7]})
    customers = pa.table({"customer": pa.array([1, 2], pa.int16()), "name": ["a", "b"]})
    joined = [join(orders, customers, "customer", store=tmp_path) for _ in range(2)]
    with duckdb.connect() as connection:
        connection.register("joined", joined[0])
        query = "select name, sum(total) from joined group by 1 order by 1"
        assert connection.execute(query).fetchall() == [("a", 12), ("b", 6)]
    frame = polars.DataFrame(polars.from_arrow(joined[1]))
    assert frame.group_by("name").agg(polars.col("total").sum()).sort("name").rows() == [
        ("a", 12),
        ("b", 6),
    ]


def test_datafusion_and_polars_read_whole_blobs(tmp_path, refs):
    """A blob is an Arrow stream; DataFusion takes files by the end of their names."""
    context = datafusion.SessionContext()
    context.register_arrow("part", str(tmp_path / "shuffles" / "s"), file_extension=".blob")
    (row,) = context.sql(QUERY).to_pylist()
    assert row["n"] == 2 * ROWS
    frame = polars.read_ipc_stream(tmp_path / refs[0].path)
    assert frame.height == ROWS
