package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How tenants share what the daemon has only some of. A tenant is the set of namespaces that a
 * token opens.
 *
 * @param putsOfTenant most puts at a time of one tenant; empty: all but one if there are several
 *     tenants
 * @param callsOfTenant most calls at a time of one tenant, puts included
 * @param leastRate bytes per second that a client must send or read while others wait for what it
 *     holds
 * @param rateTime in which it must have moved as many bytes as that rate gives
 * @param longestWait how long a tenant without a put waits before the tenant with the most puts
 *     loses one
 */
public record Sharing(
        OptionalInt putsOfTenant, int callsOfTenant, long leastRate, Duration rateTime, Duration longestWait) {
    /** A tenant of a thousand workers has as many calls. */
    private static final int USUAL_CALLS = 10_000;

    /** For networks within a data centre. */
    public static final Sharing DEFAULT =
            new Sharing(OptionalInt.empty(), 64 << 10, Duration.ofSeconds(30), Duration.ofMinutes(2));

    /** With the usual number of calls. */
    public Sharing(OptionalInt putsOfTenant, long leastRate, Duration rateTime, Duration longestWait) {
        this(putsOfTenant, USUAL_CALLS, leastRate, rateTime, longestWait);
    }

    /** Checks that there is something to share. */
    public Sharing {
        if (callsOfTenant < 1) {
            throw new InvalidSettings("Cannot serve with " + callsOfTenant
                    + " calls of a tenant: at least one is needed. Correct --calls-per-tenant.");
        }
        if (putsOfTenant.orElse(1) < 1) {
            throw new InvalidSettings("Cannot serve with " + putsOfTenant.getAsInt()
                    + " puts of a tenant: at least one is needed. Correct --puts-per-tenant.");
        }
        if (leastRate < 1 || leastRate > 1 << 30 || rateTime.toMillis() < 1 || rateTime.toHours() > 24) {
            throw new InvalidSettings("Cannot serve with a least rate of " + leastRate + " bytes per second in "
                    + rateTime + ": legal are 1 byte to 1 GiB, and up to 24 hours."
                    + " Correct --least-rate or --least-rate-time.");
        }
        if (longestWait.toMillis() < 1) {
            throw new InvalidSettings("Cannot serve with a longest wait of " + longestWait
                    + ": it must be positive. Correct --longest-wait.");
        }
    }

    /** Bytes that a client must move in {@link #rateTime}; at least one. */
    long leastBytes() {
        return Math.max(1, leastRate * rateTime.toMillis() / 1000);
    }

    /** The rate as a message names it. */
    String asked() {
        return leastRate + " bytes per second in " + rateTime.toMillis() / 1000.0 + " s";
    }
}
