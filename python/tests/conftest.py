import pathlib

import pytest
from hypothesis import settings

# The same examples in each run, so that a change fails its own build; --examples draws others.
settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("default")

GOLDEN = pathlib.Path(__file__).parents[2] / "core/src/test/resources/golden/v2"


@pytest.fixture
def golden():
    return lambda name: (GOLDEN / f"{name}.blob").read_bytes()


def pytest_addoption(parser):
    parser.addoption(
        "--examples", type=int, help="examples that each property draws, for a long run"
    )


def pytest_configure(config):
    examples = config.getoption("--examples")
    if examples:
        settings.register_profile("long", deadline=None, max_examples=examples)
        settings.load_profile("long")


_skipped: list[str] = []


def pytest_runtest_logreport(report):
    """Remember each skipped test and its reason."""
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        _skipped.append(f"{report.nodeid} was skipped, which counts as failed. {reason}")


def pytest_sessionfinish(session, exitstatus):
    """Fail the run if a test was skipped: a skipped test proves nothing."""
    if _skipped and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    for line in _skipped:
        terminalreporter.write_line(line)
