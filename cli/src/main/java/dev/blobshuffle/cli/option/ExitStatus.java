package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreAbsent;

/** The exit status of a command that failed: who can help. Stateless. */
public final class ExitStatus {
    /** The command line or the settings allow no run, whatever the servers do. */
    public static final int WRONG_USAGE = 2;

    private static final int FAILED = 1;

    private ExitStatus() {}

    /**
     * The status for a failure: 2 for wrong options and settings, else 1. An absent store is no
     * wrong usage, because another command makes it.
     */
    public static int of(RuntimeException failure) {
        return failure instanceof InvalidSettings && !(failure instanceof StoreAbsent) ? WRONG_USAGE : FAILED;
    }
}
