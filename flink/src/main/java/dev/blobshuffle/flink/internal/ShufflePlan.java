package dev.blobshuffle.flink.internal;

import dev.blobshuffle.core.internal.format.Partition;
import java.io.Serializable;
import java.util.Map;

/**
 * What the operators of a shuffle have in common; fixed when the job is built. Immutable.
 *
 * @param name of the shuffle, unique in its job
 * @param settings the settings that were given, by their names
 * @param maxParallelism the number of key groups
 */
public record ShufflePlan(String name, Map<String, String> settings, int maxParallelism) implements Serializable {
    /** Copies the settings. */
    public ShufflePlan {
        settings = Map.copyOf(settings);
    }

    /** A key group, as the engine knows it. */
    public Partition partition(int group) {
        return new Partition(name, group);
    }
}
