package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Advises on Kafka client settings whose effect differs with blobs, or is lost: partitioner,
 * interceptors, compression. Stateless.
 */
final class ClientAdvice {
    private static final String PARTITIONER = "partitioner.class";
    private static final String INTERCEPTORS = "interceptor.classes";
    private static final String COMPRESSION = "compression.type";

    private ClientAdvice() {}

    /**
     * A finding for each such setting.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a value is malformed, or
     *     a key below {@code blobshuffle.} is unknown
     */
    static List<Finding> of(Map<String, String> configuration) {
        List<Finding> findings = new ArrayList<>();
        named(configuration, PARTITIONER, "producer.")
                .ifPresent(name -> findings.add(Finding.ok(
                        Finding.SETTINGS,
                        "partitioner",
                        "records without a partition go where " + name + " says, with and without blobs")));
        named(configuration, INTERCEPTORS, "producer.")
                .ifPresent(names -> findings.add(Finding.ok(
                        Finding.SETTINGS,
                        "interceptors",
                        "producer interceptors " + names + " get the application's records, not notifications")));
        named(configuration, INTERCEPTORS, "main.consumer.", "consumer.")
                .ifPresent(names -> findings.add(consumerInterceptors(configuration, names)));
        compression(configuration).ifPresent(findings::add);
        return findings;
    }

    private static Finding consumerInterceptors(Map<String, String> configuration, String names) {
        boolean isStreamsProtocol = "streams".equalsIgnoreCase(configuration.getOrDefault("group.protocol", ""));
        return isStreamsProtocol && isStreams(configuration)
                ? Finding.error(
                        Finding.SETTINGS,
                        "interceptors",
                        "consumer interceptors " + names + " would see notifications under group.protocol=streams,"
                                + " so the application does not start",
                        "Remove " + INTERCEPTORS + ", or set group.protocol=classic.")
                : Finding.ok(
                        Finding.SETTINGS,
                        "interceptors",
                        "consumer interceptors " + names + " get the application's records, not notifications");
    }

    private static Optional<Finding> compression(Map<String, String> configuration) {
        Settings settings = KafkaSettings.parse(configuration);
        String producer = named(configuration, COMPRESSION, "producer.")
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> !name.equals("none"))
                .orElse("");
        if (settings.isGiven(WriteSettings.COMPRESSION_TYPE)) {
            return Optional.of(Finding.ok(
                    Finding.SETTINGS,
                    "compression",
                    "blobs: "
                            + settings.value(WriteSettings.COMPRESSION_TYPE)
                                    .name()
                                    .toLowerCase(Locale.ROOT) + "; plain records: "
                            + (producer.isEmpty() ? "none" : producer)));
        }
        if (producer.isEmpty()) {
            return Optional.of(
                    Finding.of(
                            Finding.SETTINGS,
                            StoreFinding.hint(
                                    "compression",
                                    "blobs are not compressed",
                                    "Set " + WriteSettings.COMPRESSION_TYPE
                                            + "=zstd or lz4 if your records shrink: stored bytes and traffic shrink with them.")));
        }
        if (isStreams(configuration)) {
            String codec = producer.equals("zstd") || producer.equals("gzip") ? "zstd" : "lz4";
            return Optional.of(Finding.ok(
                    Finding.SETTINGS,
                    "compression",
                    "blobs: " + codec + ", because the producer's " + COMPRESSION + " is " + producer));
        }
        return Optional.of(Finding.of(
                Finding.SETTINGS,
                StoreFinding.hint(
                        "compression",
                        COMPRESSION + "=" + producer + " is for plain records; blobs are not compressed",
                        "Set " + WriteSettings.COMPRESSION_TYPE + "=zstd or lz4 as well.")));
    }

    private static boolean isStreams(Map<String, String> configuration) {
        return configuration.containsKey("application.id");
    }

    /** The first value under one of the prefixes, else the value without a prefix. */
    private static Optional<String> named(Map<String, String> configuration, String name, String... prefixes) {
        return Stream.concat(Stream.of(prefixes).map(prefix -> prefix + name), Stream.of(name))
                .map(configuration::get)
                .filter(value -> value != null && !value.isBlank())
                .map(String::strip)
                .findFirst();
    }
}
