"""The examples of the documents run."""

import pathlib
import re

from shuffles import stored

ROOT = pathlib.Path(__file__).parents[1]


def test_the_example_of_the_readme_runs(tmp_path, capsys):
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert example is not None
    exec(example.group(1).replace("/tmp/blobs", str(tmp_path)), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert sum(line.count("customer") for line in lines) == 6
    assert stored(tmp_path) == []
