"""The session of Dask's shuffle method `blobs`: where its blobs are, and when they are deleted."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

from dask import config
from dask.callbacks import Callback

from blobshuffle import dask_method
from blobshuffle.arrow import Codec
from blobshuffle.dask_tasks import WHOLE, WRITE, Place, Written
from blobshuffle.lifecycle import release, releasing
from blobshuffle.store import StoreLike, new_shuffle, open_store

_SETTING = "dataframe.shuffle.method"


class Session:
    """Lets Dask shuffle its data frames through blobs until it is closed. Thread-safe.

    Blobs of a shuffle are deleted when Dask needs them no more, and all that are left when the
    session is closed, or its program ends. If the program is killed, its lease expires.
    """

    def __init__(self, store: StoreLike, codec: Codec, memory: int, lease: float) -> None:
        """Write the lease, then change Dask's method."""
        name = new_shuffle("dask")
        self._place = Place(open_store(store), name, codec, memory)
        self._runs: dict[str, list[tuple[str | None, str]]] = {}
        self._lock = threading.Lock()
        self._deleter = ThreadPoolExecutor(1, "blobshuffle-delete")
        self._clients: weakref.WeakSet[Any] = weakref.WeakSet()
        self._callback = _LocalRuns(self)
        self._is_closed = False
        self._process = os.getpid()
        with contextlib.ExitStack() as stack:
            stack.enter_context(releasing(self._place.store, name, lease=lease))
            # A map may commit while the first release is at work; afterwards it sees no lease.
            stack.callback(release, self._place.store, name)
            stack.callback(self._deleter.shutdown)
            _sessions.add(self)
            stack.callback(_sessions.remove, self)
            self._callback.register()
            stack.callback(self._unwatch_local_runs)
            self._stack = stack.pop_all()
        atexit.register(self.close)

    @property
    def shuffle(self) -> str:
        """The name that the session's blobs have in the store."""
        return self._place.shuffle

    def place(self) -> Place:
        """Return where a shuffle's blobs go, and watch the client that will run it."""
        self._watch_client()
        return self._place

    def close(self) -> None:
        """Delete all blobs, and let Dask shuffle as before. Idempotent; in a fork without effect.

        Compute results, and wait for persisted ones, before. Raises `StoreUnavailable` if the store
        refuses; the blobs go when the lease has expired.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        atexit.unregister(self.close)
        for client in list(self._clients):
            # The client may be closed, or its scheduler gone.
            with contextlib.suppress(Exception):
                client.unsubscribe_topic(self.shuffle)
        self._stack.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def wrote(self, run: str, store: str | None, path: str) -> None:
        """Note a committed blob."""
        with self._lock:
            self._runs.setdefault(run, []).append((store, path))

    def delete(self, run: str) -> None:
        """Delete the blobs that a run has written so far. It may write others later."""
        with self._lock:
            blobs = self._runs.pop(run, [])
        for store, path in blobs:
            self._place.store.at(store).delete(path)

    def _unwatch_local_runs(self) -> None:
        # Dask hides its callbacks while a run of another thread has them.
        with contextlib.suppress(KeyError):
            self._callback.unregister()

    def _watch_client(self) -> None:
        """Hear from the scheduler when it needs refs no more."""
        client = _current_client()
        if client is None or client in self._clients:
            return
        self._clients.add(client)
        client.subscribe_topic(self.shuffle, self._heard)
        from blobshuffle.dask_plugin import RefsWatch

        client.register_plugin(RefsWatch(self.shuffle))

    def _heard(self, event: Any) -> None:
        """Handle an event, on the client's loop."""
        _, message = event
        if "path" in message:
            self.wrote(message["run"], message["store"], message["path"])
        else:
            # The session may have been closed: it deletes all blobs.
            with contextlib.suppress(RuntimeError):
                self._deleter.submit(self.delete, message["run"])


def _current_client() -> Any:
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        client = default_client()
    except ValueError:
        return None
    return None if client.asynchronous else client


class _Sessions:
    """The open sessions of this process; the last one takes the shuffles."""

    def __init__(self) -> None:
        self._open: list[Session] = []
        self._lock = threading.Lock()
        self._before: Any = None

    def add(self, session: Session) -> None:
        with self._lock:
            if not self._open:
                self._before = config.get(_SETTING, None)
                dask_method.install(self._place, self._before)
                config.set({_SETTING: dask_method.METHOD})
            self._open.append(session)

    def remove(self, session: Session) -> None:
        with self._lock:
            self._open.remove(session)
            if not self._open:
                dask_method.uninstall()
                if config.get(_SETTING, None) == dask_method.METHOD:
                    config.set({_SETTING: self._before})

    def _place(self) -> Place:
        return self._open[-1].place()


_sessions = _Sessions()


class _LocalRuns(Callback):  # type: ignore[misc]
    """Follows the runs of Dask's schedulers of one machine. They call it from one thread each."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._needed: dict[int, set[str]] = {}

    def _start_state(self, dsk: Any, state: Any) -> None:
        shuffle = [key for key in dsk if isinstance(key, str) and key.startswith(WHOLE)]
        self._needed[id(state)] = set(shuffle)

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        if isinstance(key, tuple) and isinstance(result, Written) and key[0].startswith(WRITE):
            run, ref = key[0].removeprefix(WRITE), result.ref
            self._session.wrote(run, ref.store, ref.path)
        needed = self._needed.get(id(state), set())
        for each in needed & state["released"]:
            needed.remove(each)
            self._session.delete(each.removeprefix(WHOLE))

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        for each in self._needed.pop(id(state), set()):
            self._session.delete(each.removeprefix(WHOLE))
