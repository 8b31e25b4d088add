package dev.blobshuffle.planner.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;

/**
 * One value of the comparison and where it comes from. Immutable.
 *
 * @param quantity the quantity, which has a unit
 * @param value the value
 * @param source where the value comes from
 * @param date when it was valid or read
 */
public record Assumption(Quantity quantity, double value, String source, String date) {
    /**
     * Checks the value.
     *
     * @throws InvalidSettingsException if the value is not a number within the quantity's bounds
     */
    public Assumption {
        if (!(value >= quantity.least() && value <= quantity.most())) {
            throw new InvalidSettingsException(
                    "Cannot use " + quantity.key() + ": the value is " + value + ". Give a number from "
                            + quantity.least() + " to " + quantity.most() + ", in " + quantity.unit() + ".");
        }
    }
}
