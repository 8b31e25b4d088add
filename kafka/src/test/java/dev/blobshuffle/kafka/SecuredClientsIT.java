package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plain clients on brokers that ask for a login or a certificate. All clients inside get the
 * settings for it: those that claim the store, record members, look at topics and find times.
 */
class SecuredClientsIT {
    private static final String MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required";
    private static final String LOGIN = MODULE + " username=\"shuffler\" password=\"word\";";
    private static final String PASSWORD = "not-a-secret";

    private static EmbeddedKafka withLogins;

    @TempDir
    private Path directory;

    private final String topic = "secured-" + System.nanoTime();
    private final TopicPartition partition = new TopicPartition(topic, 0);
    private final long written = System.currentTimeMillis();

    @BeforeAll
    static void start() {
        withLogins = EmbeddedKafka.builder()
                .secured(SecurityProtocol.SASL_PLAINTEXT)
                .property("listener.name.secured.sasl.enabled.mechanisms", "PLAIN")
                .property("listener.name.secured.plain.sasl.jaas.config", MODULE + " user_shuffler=\"word\";")
                .start();
    }

    @AfterAll
    static void stop() {
        withLogins.close();
    }

    @Test
    void everyClientLogsIn() throws Exception {
        Map<String, Object> settings = withLogin();
        settings.put("sasl.jaas.config", LOGIN);
        requireRoundTrip(withLogins, settings);
    }

    /** Secrets and our own settings may be in a file, as those of Kafka's clients. */
    @Test
    void everyClientLogsInWithSecretsOfAConfigurationProvider() throws Exception {
        Path secrets = directory.resolve("secrets.properties");
        Properties written = new Properties();
        written.setProperty("login", LOGIN);
        written.setProperty("store", store());
        try (var out = Files.newOutputStream(secrets)) {
            written.store(out, null);
        }
        Map<String, Object> settings = withLogin();
        settings.put("config.providers", "file");
        settings.put("config.providers.file.class", FileConfigProvider.class.getName());
        settings.put("sasl.jaas.config", "${file:" + secrets + ":login}");
        settings.put("blobshuffle.store", "${file:" + secrets + ":store}");
        requireRoundTrip(withLogins, settings);
    }

    /** An application's own class for security reads settings that Kafka does not know. */
    @Test
    void everyClientLogsInWithTheApplicationsOwnClass() throws Exception {
        Map<String, Object> settings = withLogin();
        settings.put("sasl.jaas.config", MODULE + ";");
        settings.put("sasl.client.callback.handler.class", OwnLogin.class.getName());
        settings.put("own.password", "word");
        requireRoundTrip(withLogins, settings);
    }

    /** Nightly, because each client's handshake takes long on a slow machine. */
    @Tag("nightly")
    @Test
    void everyClientHasTheCertificate() throws Exception {
        Path keys = certificate();
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .secured(SecurityProtocol.SSL)
                .property("listener.name.secured.ssl.keystore.location", keys.toString())
                .property("listener.name.secured.ssl.keystore.password", PASSWORD)
                .property("listener.name.secured.ssl.truststore.location", keys.toString())
                .property("listener.name.secured.ssl.truststore.password", PASSWORD)
                .property("listener.name.secured.ssl.client.auth", "required")
                .start()) {
            Map<String, Object> settings = settings(kafka, SecurityProtocol.SSL);
            for (String kind : List.of("keystore", "truststore")) {
                settings.put("ssl." + kind + ".location", keys.toString());
                settings.put("ssl." + kind + ".password", PASSWORD);
            }
            requireRoundTrip(kafka, settings);
        }
    }

    private Map<String, Object> withLogin() {
        Map<String, Object> settings = settings(withLogins, SecurityProtocol.SASL_PLAINTEXT);
        settings.put("sasl.mechanism", "PLAIN");
        return settings;
    }

    private Map<String, Object> settings(EmbeddedKafka kafka, SecurityProtocol protocol) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", kafka.securedServers());
        settings.put("security.protocol", protocol.name);
        settings.put("blobshuffle.store", store());
        settings.put("blobshuffle.topics.include", topic);
        settings.put("blobshuffle.membership.topic", members());
        settings.put("blobshuffle.inline.max.bytes", "0");
        return settings;
    }

    private String store() {
        return "file://" + directory.resolve("blobs") + "?fsync=none";
    }

    private String members() {
        return topic + "-members";
    }

    private void requireRoundTrip(EmbeddedKafka kafka, Map<String, Object> settings) throws Exception {
        try (Admin outside = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            outside.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                    .all()
                    .get();
            write(settings);
            read(settings);
            Clients.waitFor("the record of a member").until(() -> hasRecords(outside, members()));
            try (KafkaNotificationLogs logs = new KafkaNotificationLogs(settings, new SystemTime())) {
                assertThat(logs.topics()).contains(topic, members(), members() + "-claims");
                assertThat(logs.read(Set.of(topic), new Ignored())).hasSize(1);
            }
        }
    }

    private static boolean hasRecords(Admin outside, String name) throws Exception {
        TopicPartition first = new TopicPartition(name, 0);
        return outside.listOffsets(Map.of(first, OffsetSpec.latest()))
                        .partitionResult(first)
                        .get()
                        .offset()
                > 0;
    }

    private void write(Map<String, Object> settings) throws Exception {
        try (Producer<String, String> producer =
                new BlobProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, written, "k", "v"));
            producer.flush();
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, 7, "k", "v"))
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InvalidPartitionsException.class);
        }
    }

    private void read(Map<String, Object> settings) throws Exception {
        Map<String, Object> reading = new HashMap<>(settings);
        reading.put("auto.offset.reset", "earliest");
        try (Consumer<String, String> consumer =
                        new BlobConsumer<>(reading, new StringDeserializer(), new StringDeserializer());
                Admin admin = BlobAdmin.create(settings)) {
            consumer.assign(List.of(partition));
            assertThat(Clients.valuesOf(Clients.read(consumer, 1))).containsExactly("v");
            assertThat(consumer.offsetsForTimes(Map.of(partition, written))
                            .get(partition)
                            .timestamp())
                    .isEqualTo(written);
            assertThat(admin.listOffsets(Map.of(partition, OffsetSpec.forTimestamp(written)))
                            .partitionResult(partition)
                            .get()
                            .timestamp())
                    .isEqualTo(written);
        }
    }

    /** A key and a certificate that brokers and clients have. */
    private Path certificate() throws Exception {
        Path keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        keys.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        return keys;
    }

    private static final class Ignored implements NotificationLogs.Receiver {
        @Override
        public void notification(Partition partition, long position, Notification notification, boolean isMarked) {}

        @Override
        public void read(long bytes) {}
    }

    /** Has the password from a setting of its own. */
    public static final class OwnLogin implements AuthenticateCallbackHandler {
        private char[] password = {};

        @Override
        public void configure(Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {
            Object given = Objects.requireNonNull(settings.get("own.password"), "own.password");
            password = given.toString().toCharArray();
        }

        @Override
        public void handle(Callback[] callbacks) {
            for (Callback callback : callbacks) {
                if (callback instanceof NameCallback name) {
                    name.setName("shuffler");
                } else if (callback instanceof PasswordCallback asked) {
                    asked.setPassword(password);
                }
            }
        }

        @Override
        public void close() {}
    }
}
