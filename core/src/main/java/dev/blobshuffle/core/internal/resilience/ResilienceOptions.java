package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import java.time.Duration;

/**
 * The user's options for requests to a store.
 *
 * @param requestTimeout the longest that one request may take before it counts as failed
 * @param hedging whether slow requests are sent a second time
 */
public record ResilienceOptions(Duration requestTimeout, Hedging hedging) {
    /** Requests take at most 15 s and are hedged. */
    public static final ResilienceOptions USUAL = new ResilienceOptions(Duration.ofSeconds(15), Hedging.ON);

    /** Whether slow requests are sent a second time. */
    public enum Hedging {
        /** Slow requests to a remote store are repeated, within the budget. */
        ON,
        /** Only failed requests are sent again. */
        OFF
    }

    /** Checks the timeout. */
    public ResilienceOptions {
        if (requestTimeout.toNanos() < 1) {
            throw new InvalidSettingsException(
                    "Cannot use a store: store.request.timeout.ms is " + requestTimeout + ". Give 1 or more.");
        }
    }

    /** The options that the settings define. */
    public static ResilienceOptions of(Settings settings) {
        return new ResilienceOptions(
                settings.value(StoreSettings.REQUEST_TIMEOUT),
                settings.value(StoreSettings.HEDGE_ENABLED) ? Hedging.ON : Hedging.OFF);
    }
}
