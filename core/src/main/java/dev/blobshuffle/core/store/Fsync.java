package dev.blobshuffle.core.store;

/** When a file store forces bytes to the device. */
public enum Fsync {
    /** Never: a blob survives the end of the process, but not of the machine. For caches, tests, and directories in memory. */
    NONE,
    /** Each blob, and the directory that names it, before its put completes: a blob survives the end of the machine. */
    BLOB
}
