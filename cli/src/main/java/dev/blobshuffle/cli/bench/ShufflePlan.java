package dev.blobshuffle.cli.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * How the runs of a comparison shall be.
 *
 * @param instances processes of the application
 * @param threads stream threads of each
 * @param partitions partitions of the input; the shuffle has twice as many
 * @param recordBytes bytes of a value
 * @param warmUpRecords records after the shuffle before a run is measured
 * @param measuredRecords records that are measured
 * @param guarantee Kafka Streams' {@code processing.guarantee}
 * @param commitIntervalMillis its {@code commit.interval.ms}
 * @param extra settings of every variant
 * @param blobExtra settings of the variants with blobs
 * @param hasOutput whether every record is also written to an output topic
 * @param jvmOptions of the application
 * @param directory where files go
 * @param memory where the blobs of {@link Variant#BLOBS_MEMORY} go
 */
record ShufflePlan(
        int instances,
        int threads,
        int partitions,
        int recordBytes,
        long warmUpRecords,
        long measuredRecords,
        String guarantee,
        long commitIntervalMillis,
        Properties extra,
        Properties blobExtra,
        boolean hasOutput,
        List<String> jvmOptions,
        Path directory,
        Path memory) {
    ShufflePlan {
        requirePositive("instances", instances);
        requirePositive("threads", threads);
        requirePositive("partitions", partitions);
        requirePositive("measured records", measuredRecords);
        if (recordBytes < Value.LEAST_BYTES) {
            throw new IllegalArgumentException("Cannot shuffle records of " + recordBytes + " bytes: key and time need "
                    + Value.LEAST_BYTES + ". Give --record-bytes " + Value.LEAST_BYTES + " or more.");
        }
    }

    private static void requirePositive(String what, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("Cannot run with " + value + " " + what + ". Give 1 or more.");
        }
    }

    long records() {
        return warmUpRecords + measuredRecords;
    }

    Properties settings(Variant variant, String applicationId, String bootstrapServers, Path store) {
        Properties settings = new Properties();
        settings.setProperty("application.id", applicationId);
        settings.setProperty("bootstrap.servers", bootstrapServers);
        settings.setProperty("num.stream.threads", Integer.toString(threads));
        settings.setProperty("processing.guarantee", guarantee);
        settings.setProperty("commit.interval.ms", Long.toString(commitIntervalMillis));
        settings.setProperty("auto.offset.reset", "earliest");
        settings.setProperty(ShuffleApplication.OWN + "input", "input");
        settings.setProperty(ShuffleApplication.OWN + "output", hasOutput ? applicationId + "-output" : "");
        settings.setProperty(ShuffleApplication.OWN + "partitions", Integer.toString(2 * partitions));
        settings.putAll(extra);
        variant.addTo(settings, store);
        if (variant.hasBlobs()) {
            settings.putAll(blobExtra);
        }
        return settings;
    }
}
