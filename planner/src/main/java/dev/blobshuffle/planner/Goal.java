package dev.blobshuffle.planner;

import dev.blobshuffle.core.failure.InvalidSettingsException;

/** The goal of a plan. */
public sealed interface Goal {
    /**
     * The cheapest tuning that is fast enough.
     *
     * @param seconds the longest p95 of the shuffle
     */
    record TargetP95(double seconds) implements Goal {
        /** Checks that the time is positive. */
        public TargetP95 {
            if (!(seconds > 0 && seconds < 86_400)) {
                throw new InvalidSettingsException(
                        "Cannot plan for a p95 of " + seconds + " s. Give a positive time below a day.");
            }
        }
    }

    /**
     * The fastest tuning that is cheap enough.
     *
     * @param usdPerHour the most that store, notifications and compute may cost
     */
    record MaxCost(double usdPerHour) implements Goal {
        /** Checks that the amount is positive. */
        public MaxCost {
            if (!(usdPerHour > 0 && usdPerHour < 1e9)) {
                throw new InvalidSettingsException(
                        "Cannot plan for " + usdPerHour + " USD per hour. Give more than 0 and less than 1e9.");
            }
        }
    }

    /**
     * Exactly these settings, whatever the result.
     *
     * @param tuning the settings
     */
    record Fixed(Tuning tuning) implements Goal {}
}
