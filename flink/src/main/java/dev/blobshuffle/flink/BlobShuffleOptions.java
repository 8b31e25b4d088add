package dev.blobshuffle.flink;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.flink.util.function.SerializableFunction;

/**
 * The options of one shuffle. Each method returns a copy with one change. Immutable.
 */
public final class BlobShuffleOptions {
    private static final String DEFAULT_NAME = "blobshuffle";

    private final String name;
    private final Map<String, String> settings;
    private final OptionalInt parallelism;
    private final OptionalInt maxParallelism;
    private final SerializableFunction<String, String> zones;

    private BlobShuffleOptions(
            String name,
            Map<String, String> settings,
            OptionalInt parallelism,
            OptionalInt maxParallelism,
            SerializableFunction<String, String> zones) {
        this.name = name;
        this.settings = settings;
        this.parallelism = parallelism;
        this.maxParallelism = maxParallelism;
        this.zones = zones;
    }

    /**
     * Options of a shuffle with a name: letters, digits, dots, dashes and underscores. The name is
     * part of the ids of its operators, by which Flink finds their state in a savepoint. Each
     * shuffle of a job needs another one.
     *
     * @throws InvalidSettingsException the name has other characters, or none, or more than 100
     */
    public static BlobShuffleOptions named(String name) {
        if (!name.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new InvalidSettingsException("Cannot name a shuffle '" + name
                    + "': use 1 to 100 letters, digits, dots, dashes and underscores.");
        }
        return new BlobShuffleOptions(name, Map.of(), OptionalInt.empty(), OptionalInt.empty(), taskManager -> "");
    }

    static BlobShuffleOptions usual() {
        return named(DEFAULT_NAME);
    }

    /**
     * Gives a setting for this shuffle. It goes before Flink's configuration.
     *
     * @param key its name, such as {@code blobshuffle.store}
     */
    public BlobShuffleOptions setting(String key, String value) {
        if (!key.startsWith("blobshuffle.")) {
            throw new InvalidSettingsException("Cannot use setting " + key
                    + " for a shuffle: the names of its settings begin with blobshuffle. Correct the name.");
        }
        if (key.equals(ZoneSettings.ZONE.name())) {
            throw new InvalidSettingsException(
                    "Cannot use setting " + key + " for a shuffle: its subtasks run in several"
                            + " zones. Set it in the configuration of each TaskManager, or use zones(…).");
        }
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(key, value);
        return new BlobShuffleOptions(name, more, parallelism, maxParallelism, zones);
    }

    /**
     * Sets the parallelism behind the shuffle. The operator that follows needs the same. By default
     * the shuffle has that of this operator.
     */
    public BlobShuffleOptions parallelism(int subtasks) {
        return new BlobShuffleOptions(
                name, settings, OptionalInt.of(positive("parallelism", subtasks)), maxParallelism, zones);
    }

    /**
     * Sets the number of key groups. It must not change while state is kept. The operators that
     * follow get it, and must not set another. By default it is that of the environment, or what
     * Flink takes for the parallelism.
     */
    public BlobShuffleOptions maxParallelism(int groups) {
        return new BlobShuffleOptions(
                name, settings, parallelism, OptionalInt.of(positive("max parallelism", groups)), zones);
    }

    /**
     * Names the zone of each TaskManager, where neither its configuration ({@code
     * blobshuffle.zone}) nor its environment ({@code TOPOLOGY_ZONE}) can. It goes before both.
     *
     * @param byTaskManager called in each task with Flink's id of the TaskManager; it may ask the
     *     provider's metadata service. An empty answer means that it does not know
     */
    public BlobShuffleOptions zones(SerializableFunction<String, String> byTaskManager) {
        return new BlobShuffleOptions(name, settings, parallelism, maxParallelism, byTaskManager);
    }

    private static int positive(String what, int number) {
        if (number < 1 || number > 1 << 15) {
            throw new InvalidSettingsException(
                    "Cannot use " + what + " " + number + " for a shuffle. Give 1 to " + (1 << 15) + ".");
        }
        return number;
    }

    String name() {
        return name;
    }

    Map<String, String> settings() {
        return settings;
    }

    OptionalInt parallelism() {
        return parallelism;
    }

    OptionalInt maxParallelism() {
        return maxParallelism;
    }

    SerializableFunction<String, String> zones() {
        return zones;
    }

    @Override
    public String toString() {
        return name;
    }
}
