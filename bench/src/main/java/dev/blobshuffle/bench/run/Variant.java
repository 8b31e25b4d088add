package dev.blobshuffle.bench.run;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * A way to shuffle, to be compared with others. The application is the same, the settings differ.
 */
public enum Variant {
    /** Kafka Streams with default settings. */
    NATIVE(Carrier.KAFKA),

    /**
     * Kafka Streams with larger producer batches, {@code batch.size} 256 KiB, {@code linger.ms} 20,
     * and as many records per poll as the variants with blobs: 4,000, if the application sets no
     * number.
     */
    NATIVE_TUNED(Carrier.KAFKA),

    /** Through blobs in a memory file system. */
    BLOBS_MEMORY(Carrier.MEMORY),

    /** Through blobs in files. */
    BLOBS_FILE(Carrier.FILES),

    /**
     * Through blobs in a simulated S3 in a process of its own, over TLS, with the latencies of a
     * profile.
     */
    BLOBS_S3(Carrier.S3),

    /** Through blobs in files, by the operators in place of the client supplier. */
    OPERATORS_FILE(Carrier.FILES);

    /** The number of records that the variants with blobs poll if the application sets none. */
    private static final String POLL_RECORDS = "4000";

    private static final List<String> POLL_RECORDS_NAMES =
            List.of("max.poll.records", "consumer.max.poll.records", "main.consumer.max.poll.records");

    private final Carrier carrier;

    Variant(Carrier carrier) {
        this.carrier = carrier;
    }

    /** The carrier of the shuffled records. */
    enum Carrier {
        KAFKA,
        MEMORY,
        FILES,
        S3
    }

    /**
     * The variant of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Variant named(String label) {
        for (Variant variant : values()) {
            if (variant.label().equals(label)) {
                return variant;
            }
        }
        throw new IllegalArgumentException("Cannot compare " + label + ": there is no such variant. Give some of "
                + Arrays.stream(values()).map(Variant::label).collect(Collectors.joining(", ")) + ".");
    }

    /** The name in options and reports, for example {@code blobs-memory}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether records travel through blobs. */
    public boolean hasBlobs() {
        return carrier != Carrier.KAFKA;
    }

    /** Whether the topology uses the operators. Otherwise only settings decide. */
    public boolean hasOperators() {
        return this == OPERATORS_FILE;
    }

    Carrier carrier() {
        return carrier;
    }

    /** Adds the settings of this variant. */
    void addTo(Properties settings, String storeUri) {
        if (this == NATIVE_TUNED) {
            settings.setProperty("producer.batch.size", "262144");
            settings.setProperty("producer.linger.ms", "20");
            if (POLL_RECORDS_NAMES.stream().noneMatch(settings::containsKey)) {
                settings.setProperty("main.consumer.max.poll.records", POLL_RECORDS);
            }
        }
        if (hasBlobs()) {
            settings.setProperty("blobshuffle.store", storeUri);
        }
        if (hasOperators()) {
            // An idle thread sees no fetched segment, and sends no notification.
            settings.putIfAbsent("poll.ms", "10");
            settings.putIfAbsent("producer.linger.ms", "5");
        } else if (hasBlobs()) {
            BlobShuffleClientSupplier.addTo(settings);
        }
    }
}
