"""The examples of the documents run."""

import pathlib
import re
from typing import Any

from shuffles import stored

ROOT = pathlib.Path(__file__).parents[1]


EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def test_the_example_of_the_readme_runs(tmp_path, capsys):
    exec(EXAMPLES[0].replace("/tmp/blobs", str(tmp_path)), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert sum(line.count("customer") for line in lines) == 6
    assert stored(tmp_path) == []


def test_the_dask_example_of_the_readme_runs(tmp_path, capsys):
    exec(EXAMPLES[1].replace("/tmp/blobs", str(tmp_path)), {})
    lines = capsys.readouterr().out.splitlines()
    totals = dict(line.split() for line in lines if line[:1].isdigit())
    assert totals == {str(customer): "10" for customer in range(9)}
    assert stored(tmp_path) == []


def test_the_dask_program_of_the_readme_runs(tmp_path, capsys):
    names: dict[str, Any] = {}
    try:
        code = EXAMPLES[2].replace("blobshuffle.dask.enable", "session = blobshuffle.dask.enable")
        exec(code.replace("/tmp/blobs", str(tmp_path)), names)
        lines = capsys.readouterr().out.splitlines()
        assert sorted(line.split() for line in lines if line[:1].isdigit()) == [
            [str(city), "30"] for city in range(3)
        ]
    finally:
        names["session"].close()
    assert stored(tmp_path) == []
