package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of an application that its commits and a store's latency depend on, with Kafka
 * Streams' defaults.
 *
 * @param exactlyOnce whether commits are transactions
 * @param linger how long the producer delays notifications; zero where clients are wrapped, because
 *     they flush them
 * @param batchDelay the longest time of a record in a batch
 */
record CommitSettings(
        boolean exactlyOnce,
        Duration commitInterval,
        Duration transactionTimeout,
        Duration linger,
        Duration batchDelay) {
    /**
     * The name of class {@code BlobShuffleClientSupplier}. The command line has no Kafka Streams on
     * its class path.
     */
    static final String CLIENT_SUPPLIER = "dev.blobshuffle.kstreams.BlobShuffleClientSupplier";

    private static final long COMMIT_MILLIS = 30_000;
    private static final long COMMIT_MILLIS_EXACTLY_ONCE = 100;
    private static final long TRANSACTION_MILLIS = 10_000;
    private static final long LINGER_MILLIS = 100;

    /**
     * Reads them from an application's configuration.
     *
     * @throws InvalidSettingsException fatal: a value is malformed, or a key below
     *     {@code blobshuffle.} is unknown
     */
    static CommitSettings of(Map<String, String> configuration) {
        boolean exactlyOnce = "exactly_once_v2".equals(configuration.get("processing.guarantee"));
        return new CommitSettings(
                exactlyOnce,
                millis(configuration, exactlyOnce ? COMMIT_MILLIS_EXACTLY_ONCE : COMMIT_MILLIS, "commit.interval.ms"),
                millis(configuration, TRANSACTION_MILLIS, "producer.transaction.timeout.ms", "transaction.timeout.ms"),
                linger(configuration),
                KafkaSettings.parse(configuration).value(WriteSettings.BATCH_MAX_DELAY));
    }

    private static Duration linger(Map<String, String> configuration) {
        boolean isPushed = CLIENT_SUPPLIER.equals(configuration.get("default.client.supplier"));
        return isPushed ? Duration.ZERO : millis(configuration, LINGER_MILLIS, "producer.linger.ms", "linger.ms");
    }

    private static Duration millis(Map<String, String> configuration, long absent, String... names) {
        for (String name : names) {
            Optional<String> value = Optional.ofNullable(configuration.get(name));
            if (value.isPresent()) {
                try {
                    return Duration.ofMillis(Long.parseLong(value.get().strip()));
                } catch (NumberFormatException e) {
                    throw new InvalidSettingsException(
                            "Cannot use setting " + name + ": it is not a number of milliseconds. Give one.", e);
                }
            }
        }
        return Duration.ofMillis(absent);
    }
}
