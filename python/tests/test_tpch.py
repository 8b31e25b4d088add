"""TPC-H queries of Dask through blobs have the results of DuckDB."""

import pathlib
import sys

import pytest
from dask import config
from shuffles import stored

import blobshuffle.dask

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples"))
import tpch  # pyright: ignore[reportMissingImports]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tpch")
    tpch.make(directory, 0.02, 3)
    return directory


@pytest.mark.parametrize("query", tpch.SQL)
def test_dask_has_the_results_of_duckdb(tables, tmp_path, query):
    with blobshuffle.dask.enable(tmp_path), config.set(scheduler="sync"):
        found = getattr(tpch.OnDask(tables, 3), query)()
    wanted = tpch.expected(tables, query)
    assert len(wanted)
    tpch.verify(found, wanted)
    assert stored(tmp_path) == []
