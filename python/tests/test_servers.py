"""The outcome of tests whose server is not installed."""

import pathlib
import shutil
import subprocess
import sys

import pytest
import servers


def test_a_server_that_is_not_installed_skips_the_test_and_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOBSHUFFLE_SERVERS", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match=r"Run \.ci/install-servers versitygw\."):
        servers.program("versitygw")


def test_a_skipped_test_fails_the_run_and_the_others_run(tmp_path):
    shutil.copy(pathlib.Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_two.py").write_text(
        "import pytest\ndef test_a(): pytest.skip('Do this.')\ndef test_b(): pass\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    assert "1 passed, 1 skipped" in run.stdout
    assert "test_a was skipped, which counts as failed. Skipped: Do this." in run.stdout
