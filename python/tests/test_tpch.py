"""TPC-H queries of Dask, Ray Datasets and Arrow rows through blobs have the results of DuckDB."""

import gc
import os
import pathlib
import sys

import pytest
from shuffles import stored

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples"))
import tpch  # pyright: ignore[reportMissingImports]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tpch")
    tpch.make(directory, 0.02, 3)
    return directory


@pytest.mark.parametrize("query", tpch.SQL)
@pytest.mark.parametrize("engine", ["dask", "arrow"])
def test_an_engine_has_the_results_of_duckdb(tables, tmp_path, query, engine):
    with tpch.started(engine, tmp_path) as on_engine:
        found = getattr(on_engine(tables, 3), query)()
    verified(found, tables, query)
    assert stored(tmp_path) == []


@pytest.fixture(scope="module")
def ray_store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def on_ray(ray_store):
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tpch.started("ray", str(ray_store)) as on_ray:
        yield on_ray


@pytest.mark.parametrize("query", tpch.SQL)
def test_ray_has_the_results_of_duckdb(tables, ray_store, on_ray, query):
    found = getattr(on_ray(tables, 3), query)()
    verified(found, tables, query)
    gc.collect()
    assert stored(ray_store) == []


def verified(found, tables, query):
    wanted = tpch.expected(tables, query)
    assert len(wanted)
    tpch.verify(found, wanted)
