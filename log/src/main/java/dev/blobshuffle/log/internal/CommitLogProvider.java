package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.time.Time;

/**
 * Opens the commit logs of one scheme. Found by {@code java.util.ServiceLoader}.
 */
public interface CommitLogProvider {
    /** The scheme, such as {@code postgresql}. */
    String scheme();

    /**
     * Opens a log and checks that it answers, that its schema is of a version this library knows,
     * and that the role has the rights it needs.
     *
     * @param uri the setting {@code blobshuffle.log}
     * @param applicationName names this instance to the log's database
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fix the settings
     * @throws dev.blobshuffle.log.failure.LogUnavailableException try again
     */
    CommitLog open(String uri, String applicationName, Time time);
}
