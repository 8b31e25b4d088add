package dev.blobshuffle.core.internal.server;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections that a server closed because their clients were slow or too many. Warns at
 * most once a minute. Thread-safe.
 */
public final class EndedConnections {
    private static final Logger LOG = LoggerFactory.getLogger(EndedConnections.class);
    private static final long BETWEEN_WARNINGS_NANOS = Duration.ofMinutes(1).toNanos();

    private final String server;
    private final Runnable counter;
    private final Time time;

    /** Guarded by this, as are the fields below. */
    private long nextWarningNanos;

    private long sinceLastWarning;

    /**
     * A counter that starts at 0.
     *
     * @param server names the server in the warning
     * @param counter runs for each connection
     */
    public EndedConnections(String server, Runnable counter, Time time) {
        this.server = server;
        this.counter = counter;
        this.time = time;
        nextWarningNanos = time.nanos();
    }

    /** Counts a connection from an address that was closed for a reason. */
    public void ended(Object address, String reason) {
        counter.run();
        long count;
        synchronized (this) {
            sinceLastWarning++;
            if (time.nanos() - nextWarningNanos < 0) {
                return;
            }
            nextWarningNanos = time.nanos() + BETWEEN_WARNINGS_NANOS;
            count = sinceLastWarning;
            sinceLastWarning = 0;
        }
        LOG.warn(
                "{} closed {} connections since the last such warning. The last one came from {}: {}. Clients that send complete requests are still served."
                        + " Find out which clients connect, and allow only members and monitoring to reach the port.",
                server,
                count,
                address,
                reason);
    }
}
