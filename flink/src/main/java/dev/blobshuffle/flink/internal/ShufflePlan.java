package dev.blobshuffle.flink.internal;

import dev.blobshuffle.core.internal.format.Partition;
import java.io.Serializable;
import java.util.Map;
import org.apache.flink.util.function.SerializableFunction;

/**
 * The parameters that all operators of a shuffle share. Fixed when the job is built. Immutable.
 *
 * @param name of the shuffle, unique in its job
 * @param submission a random number in hexadecimal digits, the same for all shuffles of a job and
 *     new whenever the job is built
 * @param settings the settings that were given, by their names
 * @param maxParallelism the number of key groups
 * @param zones says in which zone a TaskManager is, by its id; empty if it does not know
 */
public record ShufflePlan(
        String name,
        String submission,
        Map<String, String> settings,
        int maxParallelism,
        SerializableFunction<String, String> zones)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Copies the settings. */
    public ShufflePlan {
        settings = Map.copyOf(settings);
    }

    /** A key group, as the engine knows it. */
    public Partition partition(int group) {
        return new Partition(name, group);
    }

    /**
     * Names the job as an owner of blobs. Flink's id alone would not do, because clusters with one
     * job may all give it the same id. The submission alone would not do either, because a graph
     * can be submitted twice.
     *
     * @param id Flink's id of the job, in hexadecimal digits
     */
    public String job(String id) {
        return submission + "-" + id;
    }
}
