package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;

/** How the records of a program are shuffled. */
enum Side {
    NATIVE {
        @Override
        void addTo(Properties settings, Setup setup, Optional<Fault> fault) {
            settings.put("producer.max.request.size", Texts.RECORD_LIMIT);
        }
    },
    BLOBS {
        @Override
        void addTo(Properties settings, Setup setup, Optional<Fault> fault) {
            settings.put("blobshuffle.store", "memory://drawn");
            settings.put("blobshuffle.record.max.bytes", String.valueOf(Texts.RECORD_LIMIT));
            settings.putAll(setup.batching().settings);
            BlobShuffleClientSupplier.addTo(settings);
            fault.ifPresent(each -> {
                settings.put(Fault.SETTING, each.name());
                settings.put(StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG, FaultySupplier.class.getName());
            });
        }
    };

    /**
     * Adds the settings that make an application one of this side.
     *
     * @param fault of the shuffle through blobs
     */
    abstract void addTo(Properties settings, Setup setup, Optional<Fault> fault);

    /** The prefix of all names of one run. */
    String prefix(long number) {
        return name().toLowerCase(Locale.ROOT) + number;
    }
}
