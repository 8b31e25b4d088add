package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.util.Locale;
import java.util.Properties;

/** How the records of a program are moved. */
enum Side {
    NATIVE {
        @Override
        void addTo(Properties settings, Setup setup) {
            settings.put("producer.max.request.size", Texts.RECORD_LIMIT);
        }
    },
    BLOBS {
        @Override
        void addTo(Properties settings, Setup setup) {
            settings.put("blobshuffle.store", "memory://drawn");
            settings.put("blobshuffle.record.max.bytes", String.valueOf(Texts.RECORD_LIMIT));
            settings.putAll(setup.batching().settings);
            BlobShuffleClientSupplier.addTo(settings);
        }
    };

    abstract void addTo(Properties settings, Setup setup);

    /** The start of all names of one run. */
    String prefix(long number) {
        return name().toLowerCase(Locale.ROOT) + number;
    }
}
