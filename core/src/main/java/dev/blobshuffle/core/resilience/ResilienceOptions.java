package dev.blobshuffle.core.resilience;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.settings.Settings;
import java.time.Duration;

/**
 * What a user decides about the requests to a store.
 *
 * @param requestTimeout the longest that one request may take before it counts as failed
 * @param hedging whether slow requests are sent a second time
 */
public record ResilienceOptions(Duration requestTimeout, Hedging hedging) {
    /** Requests of up to 15 s, hedged. */
    public static final ResilienceOptions USUAL = new ResilienceOptions(Duration.ofSeconds(15), Hedging.ON);

    /** Whether slow requests are sent a second time. */
    public enum Hedging {
        /** Within the budget, where the store is a remote one. */
        ON,
        /** Nothing is sent twice, unless it failed. */
        OFF
    }

    /** Checks the timeout. */
    public ResilienceOptions {
        if (requestTimeout.toNanos() < 1) {
            throw new InvalidSettings(
                    "Cannot use a store: store.request.timeout.ms is " + requestTimeout + ". Give 1 or more.");
        }
    }

    /** The options that settings ask for. */
    public static ResilienceOptions of(Settings settings) {
        return new ResilienceOptions(
                settings.value(Settings.STORE_REQUEST_TIMEOUT),
                settings.value(Settings.STORE_HEDGE_ENABLED) ? Hedging.ON : Hedging.OFF);
    }
}
