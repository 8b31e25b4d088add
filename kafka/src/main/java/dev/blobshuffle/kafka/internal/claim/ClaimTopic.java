package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.log.BrokerTime;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafka.internal.settings.ConnectionSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claims topic: compacted, with one record per raise and owner, keyed by the store's fingerprint
 * and the application. It opens clients for each use and closes them again. Owned by one thread.
 */
final class ClaimTopic {
    /** The longest wait for the brokers. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The remedy if the brokers deny the topic. */
    static final String GRANT = "grant its principal Create, Describe, Read and Write on it";

    private static final Logger LOG = LoggerFactory.getLogger(ClaimTopic.class);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final String VERSION = "2";

    /** The beginning of the key of an owner's record. */
    private static final String OWNER = "owner-";

    private static final Pattern OWNER_KEY = Pattern.compile(OWNER + "([0-9a-f]{6})");

    private final String name;
    private final Map<String, Object> client;
    private final String application;
    private final String fingerprint;
    private final Time time;
    private final Function<Map<String, Object>, Admin> admins;

    /**
     * @param identity the application that uses the store, and the brokers that it uses
     * @param fingerprint of the store
     */
    ClaimTopic(String name, ClaimIdentity identity, int fingerprint, Time time) {
        this(name, identity, fingerprint, time, Admin::create);
    }

    /** @param admins opens an admin client with the settings, which its user closes */
    ClaimTopic(
            String name,
            ClaimIdentity identity,
            int fingerprint,
            Time time,
            Function<Map<String, Object>, Admin> admins) {
        this.name = name;
        this.client = common(identity.client());
        this.application = identity.application();
        this.fingerprint = Integer.toHexString(fingerprint);
        this.time = time;
        this.admins = admins;
    }

    private static Map<String, Object> common(Map<String, ?> client) {
        Map<String, Object> common = ConnectionSettings.ofAdmin(client, "blobshuffle-claim");
        common.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        common.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis() / 2);
        return common;
    }

    /**
     * The id of the cluster.
     *
     * @throws KafkaException the brokers do not answer
     */
    static String cluster(Map<String, ?> client) throws InterruptedException {
        try (Admin admin = Admin.create(common(client))) {
            return admin.describeCluster().clusterId().get();
        } catch (ExecutionException e) {
            throw new KafkaException("Cannot ask for the cluster's id: " + e.getCause(), e.getCause());
        }
    }

    /**
     * Whether the application has ever used a store.
     *
     * @throws KafkaException the brokers do not answer, or the client may not read the topic
     */
    boolean remembersApplication() throws InterruptedException {
        Map<String, String> records = new HashMap<>();
        try (Admin admin = admins.apply(client)) {
            if (!read(admin, records)) {
                return false;
            }
        }
        return records.values().stream()
                .map(value -> value.split(" ", 4))
                .anyMatch(words -> words.length == 4 && words[3].equals(application));
    }

    /** The topic's records about this store; none if the topic does not exist. */
    ClaimsTopic owners() throws InterruptedException {
        try (Admin admin = admins.apply(client)) {
            Map<String, String> records = new LinkedHashMap<>();
            long deadline = time.nanos() + PATIENCE.toNanos() / 3;
            while (!read(admin, records)
                    && time.nanos() - deadline < 0) { // A broker may not have heard of a young topic.
                pause();
            }
            return known(records);
        } catch (KafkaException | IllegalStateException e) { // A scan without progress is an illegal state.
            return new ClaimsTopic.Unreadable(unusable(e));
        }
    }

    private ClaimsTopic known(Map<String, String> records) {
        Set<String> raises = new HashSet<>();
        List<Integer> owners = new ArrayList<>();
        records.forEach((key, value) -> {
            Matcher owner = OWNER_KEY.matcher(key);
            if (!owner.matches()) {
                raises.add(key);
            } else if (isOfStore(value.split(" ", 4))) {
                owners.add(Integer.parseInt(owner.group(1), 16));
            }
        });
        return new ClaimsTopic.Known(raises, owners);
    }

    private boolean isOfStore(String[] words) {
        return words.length == 4 && words[0].equals(VERSION) && words[1].equals(fingerprint);
    }

    private boolean isOurs(String[] words) {
        return isOfStore(words) && words[3].equals(application);
    }

    private String unusable(RuntimeException e) {
        return isDenied(e)
                ? "application '" + application + "' may not use Kafka topic " + name
                        + "; grant its principal Describe and Read on it"
                : "application '" + application + "' cannot use Kafka topic " + name + ": " + e.getMessage();
    }

    /** The counters of this application's ids for this store that may be deleted. */
    private Map<String, Long> counters(Map<String, String> records) {
        Map<String, Long> counters = new HashMap<>();
        records.forEach((id, value) -> {
            String[] words = value.split(" ", 4);
            if (isOurs(words) && words[2].matches("[0-9]{1,18}")) {
                counters.put(id, Long.parseLong(words[2]));
            }
        });
        return counters;
    }

    private void pause() throws InterruptedException {
        Signal never = time.signal();
        boolean ignored = never.await(never.count(), time.nanos() + PAUSE.toNanos());
    }

    /** Reads the topic's latest records by key; false if there is no topic. */
    private boolean read(Admin admin, Map<String, String> records) throws InterruptedException {
        List<TopicPartition> partitions;
        try {
            partitions = admin.describeTopics(List.of(name)).allTopicNames().get().values().stream()
                    .flatMap(topic ->
                            topic.partitions().stream().map(info -> new TopicPartition(topic.name(), info.partition())))
                    .toList();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw failure("read", e.getCause());
        }
        Map<TopicPartition, Long> starts = new HashMap<>();
        partitions.forEach(partition -> starts.put(partition, 0L));
        Map<String, Object> settings = ConnectionSettings.ofConsumer(client);
        new LogScan(settings, "read_uncommitted", time).read(starts, PATIENCE, record -> {
            if (record.key() != null) {
                String key = new String(record.key(), StandardCharsets.UTF_8);
                if (record.value() == null) {
                    records.remove(key);
                } else {
                    records.remove(key); // The order is that of the latest records.
                    records.put(key, new String(record.value(), StandardCharsets.UTF_8));
                }
            }
        });
        return true;
    }

    /** Writes a record. Returns the reason if that fails, or empty. */
    Optional<String> remember(Remember what) throws InterruptedException {
        String key;
        String word;
        if (what instanceof Remember.Raise raise) {
            key = raise.id();
            word = Long.toString(raise.counter());
        } else {
            key = OWNER + BlobId.hex(((Remember.Owner) what).owner());
            word = "owner";
        }
        try {
            boolean isAltered = make();
            remember(key, VERSION + " " + fingerprint + " " + word + " " + application, isAltered);
            return Optional.empty();
        } catch (KafkaException e) {
            return Optional.of(
                    isDenied(e)
                            ? "application '" + application + "' may not use its claims topic " + name + "; " + GRANT
                            : "application '" + application + "' cannot use its claims topic " + name + ": "
                                    + e.getMessage());
        }
    }

    /** Retries if the topic was altered: its leader may not know the new setting yet. */
    private void remember(String key, String value, boolean isAltered) throws InterruptedException {
        long deadline = time.nanos() + PATIENCE.toNanos();
        while (true) {
            try {
                send(Map.of(key, Optional.of(value)));
                return;
            } catch (KafkaException e) {
                if (!isAltered
                        || !(e.getCause() instanceof InvalidTimestampException)
                        || time.nanos() - deadline >= 0) {
                    throw e;
                }
                pause();
            }
        }
    }

    /** Deletes old raises of this application and store. If that fails, they stay. */
    void forget(long before, Set<String> kept) throws InterruptedException {
        try {
            forgetOld(before, kept);
        } catch (KafkaException | IllegalStateException e) {
            LOG.debug("Old ids stay in claims topic {} until the next raise.", name, e);
        }
    }

    private void forgetOld(long before, Set<String> kept) throws InterruptedException {
        Map<String, String> records = new HashMap<>();
        try (Admin admin = admins.apply(client)) {
            if (!read(admin, records)) {
                return;
            }
        }
        Map<String, Optional<String>> tombstones = new HashMap<>();
        counters(records).forEach((id, counter) -> {
            if (counter < before && !kept.contains(id)) {
                tombstones.put(id, Optional.empty());
            }
        });
        if (!tombstones.isEmpty()) {
            send(tombstones);
        }
    }

    /** Writes records and waits until the brokers have them. An empty value is a tombstone. */
    private void send(Map<String, Optional<String>> records) throws InterruptedException {
        Map<String, Object> settings = ConnectionSettings.ofProducer(client);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE.toMillis());
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 1L << 20);
        try (Producer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            records.forEach((id, value) ->
                    sent.add(producer.send(new ProducerRecord<>(name, 0, time.wallMillis(), id, value.orElse(null)))));
            for (Future<RecordMetadata> one : sent) {
                RecordMetadata ignored = one.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException e) {
            throw failure("write", e.getCause());
        } catch (TimeoutException e) {
            throw failure("write", e);
        }
    }

    /**
     * Creates the topic, or alters one of an earlier version.
     *
     * @return whether the topic was altered
     */
    private boolean make() throws InterruptedException {
        try (Admin admin = admins.apply(client)) {
            try {
                admin.describeTopics(List.of(name)).allTopicNames().get();
                return BrokerTime.ensure(admin, name);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw failure("describe", e.getCause());
                }
            }
            NewTopic topic = new NewTopic(name, Optional.of(1), Optional.empty())
                    .configs(Map.ofEntries(
                            Map.entry(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT),
                            BrokerTime.SETTING));
            try {
                admin.createTopics(List.of(topic)).all().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw failure("create", e.getCause());
                }
            }
            return false;
        }
    }

    private KafkaException failure(String verb, @Nullable Throwable cause) {
        if (cause instanceof InvalidTimestampException) {
            return new KafkaException(
                    "Cannot " + verb + " claims topic " + name + ": " + cause
                            + " This machine's clock is wrong, and the topic keeps the times of its"
                            + " writers. Correct the clock (NTP), or set the topic's "
                            + BrokerTime.SETTING.getKey() + " to " + BrokerTime.SETTING.getValue() + ".",
                    cause);
        }
        KafkaException failure = new KafkaException(
                "Cannot " + verb + " claims topic " + name + ": " + cause
                        + ". Check the brokers, and that the principal may create, describe, read and write the topic.",
                cause);
        return cause instanceof KafkaException known && isDenied(known) ? known : failure;
    }

    /** Whether the principal lacks the right for an operation. */
    static boolean isDenied(Throwable failure) {
        return failure instanceof org.apache.kafka.common.errors.AuthorizationException
                || failure.getCause() instanceof org.apache.kafka.common.errors.AuthorizationException;
    }
}
