"""DuckDB and DataFusion read partitions as streams."""

import datafusion
import duckdb
import numpy as np
import pyarrow as pa
import pytest
from shuffles import table, write

from blobshuffle import read

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
