package dev.blobshuffle.bench.parameter;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The values of all parameters of a run, and settings of its application. A name with a dot is a
 * setting: {@code blobshuffle.} ones go to the variants with blobs only, others to all. Immutable.
 */
public final class Parameters {
    /** Short names of settings of the shuffle that are often varied. */
    private static final Map<String, String> SHORT = Map.of(
            "batch-size", "blobshuffle.batch.max.bytes",
            "batch-delay-ms", "blobshuffle.batch.max.delay.ms",
            "batch-layout", "blobshuffle.batch.layout",
            "batch-scope", "blobshuffle.batch.scope",
            "compression", "blobshuffle.compression.type",
            "inline-bytes", "blobshuffle.inline.max.bytes",
            "cache-bytes", "blobshuffle.cache.memory.bytes",
            "topology-optimization", "topology.optimization",
            "standby-replicas", "num.standby.replicas",
            "warm-up-replicas", "max.warmup.replicas");

    private static final String FOR_BLOBS = "blobshuffle.";
    private static final String OWN = "bench.";

    private final EnumMap<Parameter, String> values;
    private final SortedMap<String, String> settings;
    private final SortedMap<String, String> blobSettings;

    private Parameters(
            EnumMap<Parameter, String> values,
            SortedMap<String, String> settings,
            SortedMap<String, String> blobSettings) {
        this.values = values;
        this.settings = settings;
        this.blobSettings = blobSettings;
    }

    /** All parameters with their defaults. */
    public static Parameters defaults() {
        return new Parameters(new EnumMap<>(Parameter.class), new TreeMap<>(), new TreeMap<>());
    }

    /**
     * A copy with one other value. The name is that of a parameter, a short name of a setting, or a
     * setting.
     *
     * @throws IllegalArgumentException if there is no such name, or it cannot have the value
     */
    public Parameters with(String name, String value) {
        Optional<Parameter> parameter = Parameter.named(name);
        if (parameter.isPresent()) {
            return with(parameter.get(), value);
        }
        String setting = SHORT.getOrDefault(name, name);
        if (!setting.contains(".")) {
            throw new IllegalArgumentException(
                    "Cannot set " + name
                            + ": there is no such parameter. Give one that `bench run --list` lists, or a setting, whose name has a dot.");
        }
        return setting.startsWith(FOR_BLOBS) ? withBlobSetting(setting, value) : withSetting(setting, value);
    }

    /** These, but for one. */
    public Parameters with(Parameter parameter, String value) {
        Parameters copy = copy();
        copy.values.put(parameter, parameter.checked(value));
        return copy;
    }

    /** These, but for one. */
    public Parameters with(Parameter parameter, long value) {
        return with(parameter, Long.toString(value));
    }

    /** These, with a setting of the application in every variant. */
    public Parameters withSetting(String name, String value) {
        Parameters copy = copy();
        copy.settings.put(name, value);
        return copy;
    }

    /** These, with a setting of the variants with blobs. */
    public Parameters withBlobSetting(String name, String value) {
        Parameters copy = copy();
        copy.blobSettings.put(name, value);
        return copy;
    }

    private Parameters copy() {
        return new Parameters(new EnumMap<>(values), new TreeMap<>(settings), new TreeMap<>(blobSettings));
    }

    /** A value as it was given. */
    public String text(Parameter parameter) {
        return values.getOrDefault(parameter, parameter.byDefault());
    }

    /** A whole number. */
    public long number(Parameter parameter) {
        return Long.parseLong(text(parameter));
    }

    /** A whole number that fits an int. */
    public int count(Parameter parameter) {
        return Math.toIntExact(number(parameter));
    }

    /** A number. */
    public double decimal(Parameter parameter) {
        return Double.parseDouble(text(parameter));
    }

    /** Whether it is on. */
    public boolean flag(Parameter parameter) {
        return Boolean.parseBoolean(text(parameter));
    }

    /** Whether a load generator sends at a rate. Otherwise the input is written before. */
    public boolean hasRate() {
        return number(Parameter.RATE) > 0;
    }

    /**
     * Whether faults are injected, or instances join and leave. An instance may then process
     * records twice, or end and lose its counts, so its counts do not match the output.
     */
    public boolean hasFaults() {
        return hasKills() || number(Parameter.STORE_FAULTS) > 0 || number(Parameter.JOINS) > 0;
    }

    /** Whether processes are killed, whose CPU time ends with them. */
    public boolean hasKills() {
        return number(Parameter.KILLS) > 0 || number(Parameter.BROKER_KILLS) > 0;
    }

    /** Records of a whole run, including the warm-up. */
    public long allRecords() {
        return hasRate()
                ? number(Parameter.RATE) * (number(Parameter.WARM_UP_SECONDS) + number(Parameter.SECONDS))
                : number(Parameter.WARM_UP_RECORDS) + number(Parameter.RECORDS);
    }

    /** Settings of the application in every variant. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Settings of the variants with blobs. */
    public Map<String, String> blobSettings() {
        return blobSettings;
    }

    /**
     * Adds the parameters, under names that begin with {@code bench.}, for a process that {@link
     * #of reads} them.
     */
    public void addTo(Properties properties) {
        values.forEach((parameter, value) -> properties.setProperty(OWN + parameter.label(), value));
    }

    /** The parameters that {@link #addTo} added. */
    public static Parameters of(Properties properties) {
        Parameters parameters = defaults();
        for (Parameter parameter : Parameter.values()) {
            String value = properties.getProperty(OWN + parameter.label());
            parameters = value == null ? parameters : parameters.with(parameter, value);
        }
        return parameters;
    }

    /**
     * A copy in which environment variables override parameters: {@code BENCH_RATE} for {@code
     * rate}.
     */
    public Parameters overriddenBy(Map<String, String> environment) {
        Parameters parameters = this;
        for (Parameter parameter : Parameter.values()) {
            String value = environment.get("BENCH_" + parameter.name());
            parameters = value == null ? parameters : parameters.with(parameter, value);
        }
        return parameters;
    }

    /** All values by name, and the settings, as in a report of a run. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        for (Parameter parameter : Parameter.values()) {
            json.put(parameter.label().replace('-', '_'), typed(text(parameter)));
        }
        if (!settings.isEmpty()) {
            json.put("settings", new LinkedHashMap<>(settings));
        }
        if (!blobSettings.isEmpty()) {
            json.put("settings_blobs", new LinkedHashMap<>(blobSettings));
        }
        return json;
    }

    private static Object typed(String value) {
        if (value.matches("[0-9]{1,18}")) {
            return Long.parseLong(value);
        }
        if (value.matches("[0-9]+\\.[0-9]+")) {
            return Double.parseDouble(value);
        }
        return value.equals("true") || value.equals("false") ? Boolean.valueOf(value) : value;
    }

    /** The short names, and the settings that they stand for. */
    public static Map<String, String> shortNames() {
        return new TreeMap<>(SHORT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Parameters that
                && values.equals(that.values)
                && settings.equals(that.settings)
                && blobSettings.equals(that.blobSettings);
    }

    @Override
    public int hashCode() {
        return values.hashCode() * 31 + settings.hashCode() * 7 + blobSettings.hashCode();
    }

    @Override
    public String toString() {
        return values + " " + settings + " " + blobSettings;
    }
}
