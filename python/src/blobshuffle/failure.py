"""Failures, typed by what the caller must do."""


class BlobShuffleError(Exception):
    """The root of all failures of this package."""


class BlobMissing(BlobShuffleError):
    """A blob that a `Ref` names is not in the store. Run its map again; never skip it."""


class BlobCorrupt(BlobShuffleError):
    """Stored bytes differ from the written ones. Stop or run the map again; never skip."""


class StoreUnavailable(BlobShuffleError):
    """The store or the disk did not take or return bytes. Retry when its cause is gone."""


class IncompleteShuffle(BlobShuffleError):
    """The given refs are not exactly one per map of one shuffle."""


class SchemaMismatch(BlobShuffleError, ValueError):
    """The rows of maps have no common schema. Cast the column that it names in all maps."""


class WorkerLost(BlobShuffleError):
    """A task has lost its worker too often. Find what kills workers, and run the job again."""
