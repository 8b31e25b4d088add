package dev.blobshuffle.bench.workload;

/**
 * Names of a run's topics.
 *
 * @param applicationId of the run
 * @param input the input topic
 */
public record Topics(String applicationId, String input) {
    /** A topic of this run alone, by the name that the workload gives it. */
    public String own(String name) {
        return applicationId + "-" + name;
    }

    /** The changelog of a store. */
    public String changelog(String store) {
        return applicationId + "-" + store + "-changelog";
    }
}
