"""Runs examples/tour.py cell by cell and writes docs/guides/python-tour.md and its plots.

    python bench/render_tour.py [DOCS]

DOCS is the directory of the documents, by default ../docs.
"""

import contextlib
import io
import pathlib
import re
import sys
from collections.abc import Iterator

import matplotlib

matplotlib.use("svg")
# Equal plots have equal bytes, so that a new run changes no more than its numbers.
matplotlib.rcParams["svg.hashsalt"] = "tour"

import matplotlib.pyplot as plt  # noqa: E402

PYTHON = pathlib.Path(__file__).parents[1]


def cells(source: str) -> Iterator[tuple[bool, str]]:
    """Return the cells in order: whether each is text, and its content."""
    for part in source.split("\n# %%")[1:]:
        kind, _, body = part.partition("\n")
        text = kind == " [markdown]"
        if text:
            body = re.sub("^# ?", "", body, flags=re.MULTILINE)
        yield text, body.strip("\n")


def render(source: str, docs: pathlib.Path) -> str:
    """Run the code, save its plots below `docs`, and return the document."""
    names: dict[str, object] = {"__name__": "tour"}
    document, plots = [], 0
    for text, body in cells(source):
        if text:
            document.append(body.strip())
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(body, "tour", "exec"), names)
        document.append(f"```python\n{body}\n```")
        if output.getvalue():
            document.append("    " + output.getvalue().rstrip().replace("\n", "\n    "))
        for number in plt.get_fignums():
            plots += 1
            path = docs / "plots" / f"python-tour-{plots}.svg"
            plt.figure(number).savefig(path, metadata={"Date": None})
            title = ", ".join(axes.get_title() for axes in plt.figure(number).axes)
            document.append(f"![{title}](../plots/{path.name})")
        plt.close("all")
    return "\n\n".join(document) + "\n"


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PYTHON.parent / "docs")
    document = render((PYTHON / "examples" / "tour.py").read_text(), directory)
    (directory / "guides" / "python-tour.md").write_text(document)
