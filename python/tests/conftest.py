import pathlib

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=60)
settings.load_profile("default")

GOLDEN = pathlib.Path(__file__).parents[2] / "core/src/test/resources/golden/v2"


@pytest.fixture
def golden():
    return lambda name: (GOLDEN / f"{name}.blob").read_bytes()


def pytest_runtest_logreport(report):
    """Fail the run if a test was skipped: a skipped test proves nothing."""
    if report.skipped:
        pytest.exit(f"{report.nodeid} was skipped, which counts as failed.", returncode=1)
