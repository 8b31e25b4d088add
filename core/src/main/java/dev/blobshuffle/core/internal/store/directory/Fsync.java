package dev.blobshuffle.core.internal.store.directory;

/** The policy for when a file store forces bytes to the device. */
public enum Fsync {
    /**
     * Never. A blob survives a crash of the process, but not of the machine. For caches, tests, and
     * directories in memory.
     */
    NONE,
    /**
     * Each blob and its directory entry, before the put completes. A blob survives a crash of the
     * machine.
     */
    BLOB
}
