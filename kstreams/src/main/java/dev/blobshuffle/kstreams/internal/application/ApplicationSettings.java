package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.TopicPolicies;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.StreamsConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checked settings of a Kafka Streams application, as far as the shuffle needs them. Immutable.
 *
 * @param all every setting as the application gave it
 * @param blobs the {@code blobshuffle.*} settings
 * @param mode follows from {@code processing.guarantee}
 * @param topics the topics that shuffle through blobs
 * @param waitLimit the longest time that a commit may wait for uploads without losing the
 *     transaction or the group membership
 */
public record ApplicationSettings(
        Map<String, Object> all, Settings blobs, Mode mode, TopicMatcher topics, Duration waitLimit) {
    /** A setting of Kafka Streams since 4.1. Named here, because 4.0 has no constant for it. */
    public static final String GROUP_PROTOCOL = "group.protocol";

    /**
     * An internal setting of Kafka Streams since 4.1: the class that wraps the consumer that Kafka
     * Streams makes itself.
     */
    public static final String CONSUMER_WRAPPER = "__internal.consumer.wrapper__";

    /** Named by a string, because the class cannot be loaded on Kafka 4.0. */
    public static final String WRAPPER_CLASS = "dev.blobshuffle.kstreams.BlobConsumerWrapper";

    /** The same, for {@code default.client.supplier}. */
    public static final String SUPPLIER_CLASS = "dev.blobshuffle.kstreams.BlobShuffleClientSupplier";

    private static final Logger LOG = LoggerFactory.getLogger(SUPPLIER_CLASS);
    private static final int BLOB_POLL_RECORDS = 4000;

    /**
     * The names of the setting by which an application chooses the number of records per poll of
     * the main consumer.
     */
    private static final List<String> POLL_RECORDS = List.of(
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
            StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));

    private static final String INTERCEPTORS = "interceptor.classes";
    private static final int DEFAULT_MAX_POLL_INTERVAL_MS = 300_000;

    /**
     * The part of the transaction timeout that a commit may always wait, however long the commit
     * interval is. A transaction begins with the first record after a commit, so it is rarely as
     * old as the interval. If the broker aborts it first, the tasks roll back to the last commit,
     * as in native Kafka Streams.
     */
    private static final int LEAST_PART = 5;

    public static ApplicationSettings of(Map<String, ?> given) {
        KafkaVersion.requireSupported();
        Map<String, Object> all = nonNull(given);
        QuietStreamsConfig streams = new QuietStreamsConfig(all);
        Settings blobs = blobs(all, streams);
        checkWrapper(all);
        checkInterceptors(all, streams);
        return of(all, streams, blobs);
    }

    /**
     * The settings of an application that uses operators instead of wrapped clients. It needs no
     * consumer wrapper. Its interceptors see the records of a repartition topic, as they do
     * natively.
     *
     * @throws InvalidSettingsException fatal: the settings cannot work; the message says what to
     *     change
     */
    public static ApplicationSettings ofOperators(Map<String, ?> given) {
        KafkaVersion.requireSupported();
        Map<String, Object> all = nonNull(given);
        QuietStreamsConfig streams = new QuietStreamsConfig(all);
        return of(all, streams, blobs(all, streams));
    }

    private static ApplicationSettings of(Map<String, Object> all, QuietStreamsConfig streams, Settings blobs) {
        boolean exactlyOnce =
                StreamsConfig.EXACTLY_ONCE_V2.equals(streams.getString(StreamsConfig.PROCESSING_GUARANTEE_CONFIG));
        Duration waitLimit = waitLimit(streams, exactlyOnce, blobs);
        ProducerWiring.requireNotifiedInTime(
                blobs, streams.notificationTimeout(exactlyOnce), streams.deliveryTimeout());
        if (blobs.value(KafkaSettings.WRITE_ENABLED)) {
            TopicPolicies.requireRoomForNotifications(streams.maxRequestSize());
            TopicPolicies.requireFitForNotifications(
                    streams.originalsWithPrefix(StreamsConfig.TOPIC_PREFIX), StreamsConfig.TOPIC_PREFIX);
        }
        warnOfEarlyCommits(streams, blobs);
        return new ApplicationSettings(
                Map.copyOf(all),
                blobs,
                exactlyOnce ? Mode.KAFKA_STREAMS_EOS : Mode.KAFKA_STREAMS_ALO,
                topics(streams, blobs),
                waitLimit);
    }

    /**
     * The records per poll of the main consumer; empty if the application has set a number. A poll
     * has about the same cost for Kafka Streams and the consumer, however many records it returns.
     * A segment has many records, so this number is larger than Kafka Streams' default. A partition
     * still returns only about a mebibyte per poll. Kafka Streams polls again in time
     * ({@code max.poll.interval.ms}) even if it has not processed all records.
     */
    public Optional<Integer> pollRecords() {
        boolean isChosen = POLL_RECORDS.stream().anyMatch(all::containsKey);
        return isChosen ? Optional.empty() : Optional.of(BLOB_POLL_RECORDS);
    }

    private static Map<String, Object> nonNull(Map<String, ?> given) {
        Map<String, Object> all = new HashMap<>();
        given.forEach((name, value) -> {
            if (value != null) {
                all.put(name, value);
            }
        });
        return all;
    }

    private static Settings blobs(Map<String, Object> all, QuietStreamsConfig streams) {
        Settings blobs = KafkaSettings.parse(forOwnSettings(all, streams));
        StoreSettings.uri(blobs);
        return blobs;
    }

    /**
     * Whether the application's clients come from {@code BlobShuffleClientSupplier}, according to
     * its settings.
     */
    public boolean hasWrappedClients() {
        Object supplier = all.get(StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG);
        return supplier != null && isClass(supplier, SUPPLIER_CLASS);
    }

    /**
     * Rejects settings that name {@code BlobShuffleClientSupplier} if the application's clients
     * come from another supplier. Call it on a stream thread, because stream threads start after
     * their clients are made.
     *
     * @throws InvalidSettingsException fatal: the message says what to change
     */
    public void requireSupplierInUse() {
        String application = String.valueOf(all.get(StreamsConfig.APPLICATION_ID_CONFIG));
        if (hasWrappedClients() && !SupplierCheck.PROCESS.isConfigured(application)) {
            throw new InvalidSettingsException("Cannot run application " + application + ": "
                    + StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG + " names "
                    + SUPPLIER_CLASS
                    + ", but another client supplier was passed to the constructor of KafkaStreams and takes"
                    + " precedence. Pass new BlobShuffleClientSupplier(settings), or remove the setting.");
        }
    }

    /**
     * The {@code blobshuffle.*} settings that follow from Kafka's settings. Kafka Streams also
     * passes {@code client.rack} to its consumers under a prefix. Blobs have the producer's
     * compression unless {@code blobshuffle.compression.type} is set.
     */
    private static Map<String, Object> forOwnSettings(Map<String, Object> all, QuietStreamsConfig streams) {
        Map<String, Object> own = new HashMap<>(all);
        Object rack = streams.mainConsumer().get(ConsumerConfig.CLIENT_RACK_CONFIG);
        if (rack != null) {
            own.put(ConsumerConfig.CLIENT_RACK_CONFIG, rack);
        }
        Object compression = streams.producer().get(ProducerConfig.COMPRESSION_TYPE_CONFIG);
        String codec = compression == null ? null : codec(compression.toString());
        if (codec != null && own.putIfAbsent(WriteSettings.COMPRESSION_TYPE.name(), codec) == null) {
            LOG.info(
                    "Blobs are compressed with {}, because the producer's {} is {}. {} sets another codec, or none.",
                    codec,
                    ProducerConfig.COMPRESSION_TYPE_CONFIG,
                    compression,
                    WriteSettings.COMPRESSION_TYPE);
        }
        return own;
    }

    /**
     * Our codec for a codec of Kafka; null for none. The blob format has neither gzip nor snappy.
     */
    private static @Nullable String codec(String compression) {
        return switch (compression.strip().toLowerCase(Locale.ROOT)) {
            case "lz4", "snappy" -> "lz4";
            case "zstd", "gzip" -> "zstd";
            default -> null;
        };
    }

    public static boolean isStreamsProtocol(@Nullable Object protocol) {
        return protocol != null && protocol.toString().equalsIgnoreCase("streams");
    }

    public static boolean isClass(Object value, String name) {
        return value instanceof Class<?> type
                ? type.getName().equals(name)
                : value.toString().equals(name);
    }

    private static void checkWrapper(Map<String, Object> all) {
        if (!isStreamsProtocol(all.get(GROUP_PROTOCOL))) {
            return;
        }
        Object wrapper = all.get(CONSUMER_WRAPPER);
        if (wrapper == null || !isClass(wrapper, WRAPPER_CLASS)) {
            throw new InvalidSettingsException("Cannot shuffle through blobs with " + GROUP_PROTOCOL
                    + "=streams: Kafka Streams makes the main"
                    + " consumer itself, and " + CONSUMER_WRAPPER + " is " + (wrapper == null ? "not set" : wrapper)
                    + ", so processors would get notifications for records. Set it to " + WRAPPER_CLASS
                    + ", or use BlobShuffleClientSupplier.addTo(settings).");
        }
    }

    /**
     * With the streams protocol, Kafka Streams makes the main consumer itself, including its
     * interceptors.
     */
    private static void checkInterceptors(Map<String, Object> all, QuietStreamsConfig streams) {
        Object interceptors = streams.mainConsumer().get(INTERCEPTORS);
        boolean none = interceptors == null
                || interceptors.toString().isBlank()
                || interceptors instanceof Collection<?> list && list.isEmpty();
        if (!none && isStreamsProtocol(all.get(GROUP_PROTOCOL))) {
            throw new InvalidSettingsException("Cannot shuffle through blobs with consumer interceptors and "
                    + GROUP_PROTOCOL
                    + "=streams: " + INTERCEPTORS + " is " + interceptors
                    + ", and they would see notifications for records. Remove the setting, or use " + GROUP_PROTOCOL
                    + "=classic.");
        }
    }

    private static Duration waitLimit(QuietStreamsConfig streams, boolean exactlyOnce, Settings blobs) {
        CommitLimit commit = CommitLimit.of(streams, exactlyOnce);
        Duration limit = commit.longest();
        Duration delivery = blobs.value(WriteSettings.DELIVERY_TIMEOUT);
        if (delivery.compareTo(limit) <= 0) {
            return delivery;
        }
        if (blobs.isGiven(WriteSettings.DELIVERY_TIMEOUT) || commit.isTight()) {
            LOG.warn(
                    "A commit waits {} ms for uploads, not {} ms ({}): {} leave no more. A slower store rolls the thread's"
                            + " tasks back to the last commit. Raise the former, with the prefix 'producer.' or 'consumer.',"
                            + " or lower commit.interval.ms.",
                    limit.toMillis(),
                    delivery.toMillis(),
                    WriteSettings.DELIVERY_TIMEOUT,
                    commit.reason());
        }
        return limit;
    }

    private static Duration millis(Map<String, Object> config, String name, int absent) {
        Object value = config.get(name);
        try {
            return Duration.ofMillis(
                    value == null ? absent : Long.parseLong(value.toString().strip()));
        } catch (NumberFormatException e) {
            throw new ConfigException(name, value, "It must be a number of milliseconds.");
        }
    }

    private static void warnOfEarlyCommits(QuietStreamsConfig streams, Settings blobs) {
        Duration delay = blobs.value(WriteSettings.BATCH_MAX_DELAY);
        Duration commit = streams.commitInterval();
        if (commit.compareTo(delay) < 0 && blobs.value(KafkaSettings.WRITE_ENABLED)) {
            LOG.warn(
                    "Batches end at every commit: {} ms ({}) is below the delay budget of {} ms ({}), so blobs hold"
                            + " the records of {} ms, are smaller and cost more"
                            + " requests. Raise the commit interval, or lower the delay budget if you want the lower"
                            + " latency.",
                    commit.toMillis(),
                    StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                    delay.toMillis(),
                    WriteSettings.BATCH_MAX_DELAY,
                    commit.toMillis());
        }
    }

    private static TopicMatcher topics(QuietStreamsConfig streams, Settings blobs) {
        List<String> exclude = blobs.value(KafkaSettings.TOPICS_EXCLUDE);
        return blobs.isGiven(KafkaSettings.TOPICS_INCLUDE)
                ? TopicMatcher.of(blobs.value(KafkaSettings.TOPICS_INCLUDE), exclude)
                : TopicMatcher.repartitionTopics(streams.getString(StreamsConfig.APPLICATION_ID_CONFIG), exclude);
    }

    /** A client's settings without ours, which Kafka would report as unused. */
    static Map<String, Object> withoutOwn(Map<String, Object> config) {
        Map<String, Object> kafkas = new HashMap<>(config);
        kafkas.keySet().removeIf(name -> name.startsWith(Setting.PREFIX));
        return kafkas;
    }

    /**
     * The longest time that a stream thread's producer holds a notification before it delivers it
     * or gives it up.
     */
    public Duration notificationTimeout() {
        return new QuietStreamsConfig(all).notificationTimeout(mode == Mode.KAFKA_STREAMS_EOS);
    }

    /**
     * The longest time until a record becomes visible: the commit interval under exactly-once,
     * otherwise zero.
     */
    Duration hiddenFor() {
        return mode == Mode.KAFKA_STREAMS_EOS ? new QuietStreamsConfig(all).commitInterval() : Duration.ZERO;
    }

    /**
     * The membership topic if the settings name none. Its name begins with the application's id, so
     * principals that may create the application's internal topics may create it too.
     */
    public String membershipTopic() {
        return all.get(StreamsConfig.APPLICATION_ID_CONFIG) + "-blobshuffle-members";
    }

    /**
     * The identity under which the application claims stores.
     *
     * @param client broker addresses and security
     */
    public ClaimIdentity claimIdentity(Map<String, Object> client) {
        return ClaimIdentity.ofStreams(String.valueOf(all.get(StreamsConfig.APPLICATION_ID_CONFIG)), client, blobs);
    }

    /**
     * Broker addresses and security: the settings of an admin client of the application, without
     * ours.
     */
    public Map<String, Object> adminSettings() {
        return withoutOwn(new QuietStreamsConfig(all).getAdminConfigs("blobshuffle"));
    }

    /**
     * The settings of a stream thread's producer, without ours.
     *
     * @param thread the stream thread's name
     */
    public Map<String, Object> producerSettings(String thread) {
        return withoutOwn(new QuietStreamsConfig(all).getProducerConfigs(thread + "-producer"));
    }

    /**
     * The supplier whose clients are wrapped: the user's, or one that makes Kafka's own clients.
     */
    KafkaClientSupplier wrappedSupplier() {
        String name = blobs.value(KafkaSettings.CLIENT_SUPPLIER).orElse(null);
        if (name == null) {
            return new PlainClientSupplier();
        }
        try {
            KafkaClientSupplier supplier = Utils.newInstance(name, KafkaClientSupplier.class);
            if (supplier.getClass().getName().equals(SUPPLIER_CLASS)) {
                throw new InvalidSettingsException("Cannot wrap " + name + " in itself. Name your own supplier in "
                        + KafkaSettings.CLIENT_SUPPLIER + ", or leave the setting out.");
            }
            if (supplier instanceof Configurable configurable) {
                configurable.configure(all);
            }
            return supplier;
        } catch (ClassNotFoundException | ClassCastException e) {
            throw new InvalidSettingsException(
                    "Cannot make " + KafkaSettings.CLIENT_SUPPLIER + "=" + name + ": " + e
                            + ". Name a public class on the class path that implements KafkaClientSupplier.",
                    e);
        }
    }

    /**
     * The longest time of an application's commit.
     *
     * @param given the application's settings
     */
    public static CommitLimit commitLimit(Map<String, ?> given) {
        return CommitLimit.of(new QuietStreamsConfig(nonNull(given)), isExactlyOnce(given));
    }

    /** Whether an application commits in transactions. */
    public static boolean isExactlyOnce(Map<String, ?> given) {
        return StreamsConfig.EXACTLY_ONCE_V2.equals(given.get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG));
    }

    /**
     * The longest time of a commit. Under exactly-once, a transaction is open from the first record
     * after the last commit, and the broker aborts it after its timeout. Under both guarantees, the
     * group removes a thread that does not poll.
     *
     * @param longest time from the beginning of a commit to its end
     * @param reason the settings that limit it
     * @param isTight whether that is less than a store may need
     */
    public record CommitLimit(Duration longest, String reason, boolean isTight) {
        private static CommitLimit of(QuietStreamsConfig streams, boolean exactlyOnce) {
            Duration poll = millis(
                    streams.mainConsumer(), ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, DEFAULT_MAX_POLL_INTERVAL_MS);
            CommitLimit limit = new CommitLimit(
                    atLeastOneMilli(poll.dividedBy(2)), "max.poll.interval.ms=" + poll.toMillis(), false);
            if (!exactlyOnce) {
                return limit;
            }
            Duration transaction = millis(streams.producer(), ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 10_000);
            Duration interval = streams.commitInterval();
            Duration rest = transaction.multipliedBy(9).dividedBy(10).minus(interval);
            boolean isTight = rest.compareTo(transaction.dividedBy(LEAST_PART)) < 0;
            Duration wait = isTight ? transaction.dividedBy(LEAST_PART) : rest;
            return wait.compareTo(limit.longest) >= 0
                    ? limit
                    : new CommitLimit(
                            atLeastOneMilli(wait),
                            "transaction.timeout.ms=" + transaction.toMillis() + " and commit.interval.ms="
                                    + interval.toMillis(),
                            isTight);
        }

        private static Duration atLeastOneMilli(Duration time) {
            return time.toMillis() < 1 ? Duration.ofMillis(1) : time;
        }
    }

    /** Kafka Streams' parser of the settings, without its log of every value. */
    private static final class QuietStreamsConfig extends StreamsConfig {
        private final Map<String, Object> mainConsumer;
        private final Map<String, Object> producer;

        private QuietStreamsConfig(Map<String, Object> settings) {
            super(settings, false);
            mainConsumer = getMainConsumerConfigs(getString(APPLICATION_ID_CONFIG), "blobshuffle", 1);
            producer = getProducerConfigs("blobshuffle");
        }

        private Map<String, Object> mainConsumer() {
            return mainConsumer;
        }

        private Map<String, Object> producer() {
            return producer;
        }

        private Duration deliveryTimeout() {
            return millis(producer, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 120_000);
        }

        private int maxRequestSize() {
            Object given = producer.getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 1 << 20);
            return (Integer) ConfigDef.parseType(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, given, ConfigDef.Type.INT);
        }

        /**
         * Under exactly-once, Kafka Streams sets the delivery timeout to its maximum, so the
         * transaction timeout is the limit.
         */
        private Duration notificationTimeout(boolean exactlyOnce) {
            Duration transaction = millis(producer, ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 10_000);
            return ProducerWiring.notificationTimeout(exactlyOnce, deliveryTimeout(), transaction);
        }

        private Duration commitInterval() {
            return Duration.ofMillis(getLong(COMMIT_INTERVAL_MS_CONFIG));
        }
    }
}
