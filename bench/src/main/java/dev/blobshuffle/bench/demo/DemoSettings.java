package dev.blobshuffle.bench.demo;

import java.util.List;
import java.util.Properties;

/**
 * The settings of an instance: the same for all variants, except those that turn on blobs and
 * combining.
 * Stateless.
 */
final class DemoSettings {
    static final String APPLICATION_ID = "concordance";
    static final int COMMIT_INTERVAL_MS = 500;
    private static final long CENTURY_MS = 100L * 365 * 24 * 60 * 60 * 1000;

    private DemoSettings() {}

    static Properties of(
            DemoVariant variant,
            DemoOptions options,
            String bootstrapServers,
            String store,
            String stateDirectory,
            String secretFile,
            int instance) {
        List<String> zones = options.zoneNames();
        Properties settings = new Properties();
        settings.setProperty("application.id", APPLICATION_ID);
        settings.setProperty("bootstrap.servers", bootstrapServers);
        settings.setProperty("processing.guarantee", options.guarantee());
        settings.setProperty("state.dir", stateDirectory);
        settings.setProperty("client.rack", zones.get(instance % zones.size()));
        settings.setProperty("replication.factor", Integer.toString(options.replicationFactor()));
        settings.setProperty("commit.interval.ms", Integer.toString(COMMIT_INTERVAL_MS));
        settings.setProperty("producer.linger.ms", "5");
        settings.setProperty("producer.transaction.timeout.ms", "60000");
        settings.setProperty("auto.offset.reset", "earliest");
        // At the end, the logs of the repartition topics must still have all records that went
        // through them.
        settings.setProperty("repartition.purge.interval.ms", Long.toString(CENTURY_MS));
        // The text's timestamps are old.
        settings.setProperty("windowstore.changelog.additional.retention.ms", Long.toString(CENTURY_MS));
        if (variant != DemoVariant.NATIVE) {
            settings.setProperty("default.client.supplier", "dev.blobshuffle.kstreams.BlobShuffleClientSupplier");
            settings.setProperty("blobshuffle.store", store);
            settings.setProperty("blobshuffle.inline.max.bytes", "0");
            settings.setProperty(
                    "blobshuffle.batch.max.delay.ms",
                    Long.toString(options.delay().toMillis()));
            // Cost metrics would otherwise be 0 with a directory.
            settings.setProperty("blobshuffle.store.prices", "aws");
            settings.setProperty("blobshuffle.cache.zone.enabled", "true");
            settings.setProperty("blobshuffle.cache.memory.bytes", "32 MiB");
            settings.setProperty("blobshuffle.peer.listen", "127.0.0.1:0");
            settings.setProperty("blobshuffle.peer.secret.file", secretFile);
            if (variant == DemoVariant.COMBINED) {
                settings.setProperty("blobshuffle.combine.enabled", "auto");
                settings.setProperty("blobshuffle.combine.serve", "true");
            }
            options.metrics(instance)
                    .ifPresent(address -> settings.setProperty("blobshuffle.metrics.listen", address.toString()));
        }
        return settings;
    }
}
