"""The tour runs, and the document has its code."""

import pathlib
import runpy

ROOT = pathlib.Path(__file__).parents[1]
TOUR = runpy.run_path(str(ROOT / "bench" / "render_tour.py"))
SOURCE = (ROOT / "examples" / "tour.py").read_text()


def test_the_tour_runs(tmp_path):
    (tmp_path / "plots").mkdir()
    document = TOUR["render"](SOURCE.replace("500_000", "20_000"), tmp_path)
    assert "    80,000 rows, " in document
    assert "80000 rows\n" in document
    assert ": BlobCorrupt\n" in document
    assert "1 of 4 maps are missing: 0." in document
    assert "    0 blobs left" in document
    assert len(list((tmp_path / "plots").iterdir())) == 2


def test_the_document_has_the_code_of_the_tour():
    document = (ROOT.parent / "docs" / "guides" / "python-tour.md").read_text()
    for text, body in TOUR["cells"](SOURCE):
        assert (body.strip() if text else f"```python\n{body}\n```") in document
