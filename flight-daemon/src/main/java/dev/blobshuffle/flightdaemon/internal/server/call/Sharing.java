package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How tenants share the daemon's limited resources. A tenant is the set of namespaces that a token
 * permits.
 *
 * @param putsOfTenant most concurrent puts of one tenant; empty: all but one if there are several
 *     tenants
 * @param callsOfTenant most concurrent calls of one tenant, including puts
 * @param leastRate bytes per second that a client must send or read while others wait for its
 *     resources
 * @param rateTime period over which the rate is measured
 * @param longestWait how long a tenant without a put waits before the tenant with the most puts
 *     loses one
 */
public record Sharing(
        OptionalInt putsOfTenant, int callsOfTenant, long leastRate, Duration rateTime, Duration longestWait) {
    /** Enough for a tenant of a thousand workers. */
    private static final int USUAL_CALLS = 10_000;

    /** Defaults for networks within a data centre. */
    public static final Sharing DEFAULT =
            new Sharing(OptionalInt.empty(), 64 << 10, Duration.ofSeconds(30), Duration.ofMinutes(2));

    /** With the usual number of calls. */
    public Sharing(OptionalInt putsOfTenant, long leastRate, Duration rateTime, Duration longestWait) {
        this(putsOfTenant, USUAL_CALLS, leastRate, rateTime, longestWait);
    }

    /** Checks the limits. */
    public Sharing {
        if (callsOfTenant < 1) {
            throw new InvalidSettingsException("Cannot serve with " + callsOfTenant
                    + " calls of a tenant: at least one is needed. Correct --calls-per-tenant.");
        }
        if (putsOfTenant.orElse(1) < 1) {
            throw new InvalidSettingsException("Cannot serve with " + putsOfTenant.getAsInt()
                    + " puts of a tenant: at least one is needed. Correct --puts-per-tenant.");
        }
        if (leastRate < 1 || leastRate > 1 << 30 || rateTime.toMillis() < 1 || rateTime.toHours() > 24) {
            throw new InvalidSettingsException(
                    "Cannot serve with a least rate of " + leastRate + " bytes per second in "
                            + rateTime + ": legal are 1 byte to 1 GiB, and up to 24 hours."
                            + " Correct --least-rate or --least-rate-time.");
        }
        if (longestWait.toMillis() < 1) {
            throw new InvalidSettingsException("Cannot serve with a longest wait of " + longestWait
                    + ": it must be positive. Correct --longest-wait.");
        }
    }

    /** Bytes that a client must move in {@link #rateTime}; at least one. */
    long leastBytes() {
        return Math.max(1, leastRate * rateTime.toMillis() / 1000);
    }

    /** The rate, as messages state it. */
    public String asked() {
        return leastRate + " bytes per second in " + rateTime.toMillis() / 1000.0 + " s";
    }
}
