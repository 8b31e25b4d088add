package dev.blobshuffle.bench.search;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The unit of the numbers of {@code --loads}. Theodolite's loads are sensors, and for UC4 nested
 * groups.
 */
public enum LoadKind {
    /** Records per second, of as many sensors as the parameters say. */
    RATE("records per second"),

    /** Sensors; each sends a record per second. */
    SENSORS("sensors"),

    /** The depth of UC4's groups: 4 to this power are its sensors, a record per second each. */
    GROUPS("nested groups");

    private static final String HIERARCHY = "uc4";
    private static final int CHILDREN = 4;
    private static final int DEEPEST = 10;

    private final String unit;

    LoadKind(String unit) {
        this.unit = unit;
    }

    /** The unit of a load, for output. */
    public String unit() {
        return unit;
    }

    /** The kind of a name in lower case. */
    public static LoadKind named(String name) {
        for (LoadKind kind : values()) {
            if (kind.label().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("Cannot search loads of " + name + ": there is no such kind. Give one of "
                + Arrays.stream(values()).map(LoadKind::label).collect(Collectors.joining(", ")) + ".");
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Checks that a workload has such loads.
     *
     * @throws IllegalArgumentException if not
     */
    public void check(String workload, Iterable<Long> loads) {
        boolean isHierarchy = workload.equals(HIERARCHY);
        if (this == GROUPS != isHierarchy && this != RATE) {
            throw new IllegalArgumentException("Cannot search loads of " + label() + " with " + workload + ". Give "
                    + (isHierarchy ? GROUPS.label() : SENSORS.label()) + " or " + RATE.label() + ".");
        }
        for (long load : loads) {
            if (load < 1 || this == GROUPS && load > DEEPEST) {
                throw new IllegalArgumentException("Cannot search a load of " + load + " " + unit + ". Give 1 "
                        + (this == GROUPS ? "to " + DEEPEST : "or more") + ".");
            }
        }
    }

    /** Records per second of a load. */
    public long recordsPerSecond(long load) {
        return this == GROUPS ? Math.round(Math.pow(CHILDREN, load)) : load;
    }

    /** The parameters of a run with a load. */
    public Parameters over(Parameters base, long load) {
        Parameters parameters = base.with(Parameter.RATE, recordsPerSecond(load));
        return switch (this) {
            case RATE -> parameters;
            case SENSORS -> parameters.with(Parameter.KEYS, load);
            case GROUPS -> parameters.with(Parameter.GROUPS, load);
        };
    }
}
