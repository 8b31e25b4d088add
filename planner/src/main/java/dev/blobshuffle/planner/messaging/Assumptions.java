package dev.blobshuffle.planner.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A value for each {@link Quantity}. Immutable.
 *
 * @param values one per quantity, in the order of the quantities
 */
public record Assumptions(Map<Quantity, Assumption> values) {
    /**
     * Checks that there is a value for each quantity.
     *
     * @throws InvalidSettingsException if one is missing
     */
    public Assumptions {
        List<String> missing = new ArrayList<>();
        for (Quantity quantity : Quantity.values()) {
            if (!values.containsKey(quantity)) {
                missing.add(quantity.key());
            }
        }
        if (!missing.isEmpty()) {
            throw new InvalidSettingsException("Cannot use the assumptions: there is no value for "
                    + String.join(", ", missing) + ". Add a line for each.");
        }
        values = Collections.unmodifiableMap(new EnumMap<>(values));
    }

    /** The value of a quantity, in its unit. */
    public double of(Quantity quantity) {
        Assumption assumption = values.get(quantity);
        if (assumption == null) {
            throw new IllegalStateException("Cannot find " + quantity.key() + ".");
        }
        return assumption.value();
    }

    /**
     * The same with another value.
     *
     * @param key the quantity's key
     * @param value the value as text, in the quantity's unit
     * @param source where the value comes from
     * @throws InvalidSettingsException if the key is unknown, or the value is not a number within
     *     the bounds
     */
    public Assumptions with(String key, String value, String source) {
        Quantity quantity = AssumptionsFile.quantity(key);
        Map<Quantity, Assumption> changed = new EnumMap<>(values);
        changed.put(quantity, new Assumption(quantity, AssumptionsFile.number(quantity, value), source, "-"));
        return new Assumptions(changed);
    }
}
