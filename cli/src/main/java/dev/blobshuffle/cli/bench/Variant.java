package dev.blobshuffle.cli.bench;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;

/** A way to shuffle that is compared with the others: the same application, other settings. */
enum Variant {
    /** Kafka Streams as it comes. */
    NATIVE(Carrier.KAFKA),

    /** Kafka Streams with larger producer batches: {@code batch.size} 256 KiB, {@code linger.ms} 20. */
    NATIVE_TUNED(Carrier.KAFKA),

    /** Through blobs in a memory file system. */
    BLOBS_MEMORY(Carrier.MEMORY),

    /** Through blobs in files. */
    BLOBS_FILE(Carrier.FILES);

    private final Carrier carrier;

    Variant(Carrier carrier) {
        this.carrier = carrier;
    }

    /** What carries the records of the shuffle. */
    private enum Carrier {
        KAFKA,
        MEMORY,
        FILES
    }

    /** The name in options and reports, for example {@code blobs-memory}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether records travel through blobs. */
    boolean hasBlobs() {
        return carrier != Carrier.KAFKA;
    }

    /** The directory of this variant's blobs; only for variants that have blobs. */
    Path store(Path memory, Path files) {
        return carrier == Carrier.MEMORY ? memory : files;
    }

    /** Adds what makes an application this variant. */
    void addTo(Properties settings, Path store) {
        if (this == NATIVE_TUNED) {
            settings.setProperty("producer.batch.size", "262144");
            settings.setProperty("producer.linger.ms", "20");
        }
        if (hasBlobs()) {
            settings.setProperty("blobshuffle.store", "file://" + store + "?fsync=none");
            BlobShuffleClientSupplier.addTo(settings);
        }
    }
}
