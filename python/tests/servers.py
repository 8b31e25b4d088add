"""Real object stores on this machine: `.ci/install-servers` installs them.

A test that needs one which is not installed is skipped, and conftest.py counts that as failed.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.request

import pytest

KEY, SECRET = "blobshuffle", "blobshuffle-secret"
BUCKET = "blobs"

# Every Azurite has these.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


def program(name):
    cache = os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")
    servers = os.environ.get("BLOBSHUFFLE_SERVERS", pathlib.Path(cache) / "blobshuffle-servers")
    path = pathlib.Path(servers, "bin", name)
    if not path.exists():
        pytest.skip(f"{path} is missing. Run .ci/install-servers {name}.")
    return str(path)


@contextlib.contextmanager
def server(name, port, *arguments):
    """Run a server until the block ends."""
    with subprocess.Popen(
        [program(name), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not accepts(port):
                assert process.poll() is None, f"{name} ended with {process.returncode}"
                assert time.monotonic() < deadline, f"{name} does not answer"
            yield
        finally:
            process.kill()


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@contextlib.contextmanager
def versitygw(directory):
    """An S3 server with one bucket; yields its endpoint."""
    (directory / "sidecar").mkdir(parents=True)
    (directory / "buckets" / BUCKET).mkdir(parents=True)
    port = free_port()
    with server(
        "versitygw",
        port,
        *("--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET, "--quiet"),
        *("posix", "--sidecar", str(directory / "sidecar"), str(directory / "buckets")),
    ):
        yield f"127.0.0.1:{port}"


@contextlib.contextmanager
def fake_gcs():
    """A server of Google Cloud Storage with one bucket; yields its endpoint."""
    port = free_port()
    with server(
        "fake-gcs-server",
        port,
        *("-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory"),
        *("-external-url", f"http://127.0.0.1:{port}"),
    ):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/storage/v1/b?project=test",
            data=json.dumps({"name": BUCKET}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request):
            yield f"127.0.0.1:{port}"


@contextlib.contextmanager
def azurite(directory):
    """A server of Azure Blob Storage; yields its endpoint."""
    port = free_port()
    with server(
        "azurite-blob",
        port,
        *("--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(directory)),
        *("--disableTelemetry", "--skipApiVersionCheck", "--silent"),
    ):
        yield f"127.0.0.1:{port}"
