package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers to which an application logs in, and that allow it no more than Kafka Streams needs. */
class SecuredBrokersIT {
    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required ";

    private static EmbeddedKafka kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.builder()
                .secured(SecurityProtocol.SASL_PLAINTEXT)
                .property("listener.name.secured.sasl.enabled.mechanisms", "PLAIN")
                .property("listener.name.secured.plain.sasl.jaas.config", LOGIN + "user_shuffler=\"word\";")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:ANONYMOUS")
                .start();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterAll
    static void stop() {
        admin.close();
        kafka.close();
    }

    @Test
    void theRightsThatKafkaStreamsNeedsAreEnough() throws Exception {
        Probe.createTopics(kafka.bootstrapServers(), "allowed");
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "allowed");
                Instances instances = new Instances()) {
            allow(ResourceType.TOPIC, probe.input(), PatternType.LITERAL, AclOperation.READ);
            for (String output : List.of(probe.moved(), probe.digests())) {
                allow(ResourceType.TOPIC, output, PatternType.LITERAL, AclOperation.WRITE);
            }
            allow(
                    ResourceType.TOPIC,
                    probe.applicationId(),
                    PatternType.PREFIXED,
                    AclOperation.READ,
                    AclOperation.WRITE,
                    AclOperation.CREATE,
                    AclOperation.DELETE);
            allow(ResourceType.GROUP, probe.applicationId(), PatternType.LITERAL, AclOperation.READ);
            allow(
                    ResourceType.TRANSACTIONAL_ID,
                    probe.applicationId(),
                    PatternType.PREFIXED,
                    AclOperation.WRITE,
                    AclOperation.DESCRIBE);
            instances.add(probe.instance(settings()));
            probe.awaitRecords(500);
            probe.stop();
            new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input())).await(instances);
            probe.assertExact();
        }
    }

    @Test
    void rightsOnTheClaimsTopicAreAskedForAtTheStart() throws Exception {
        Probe.createTopics(kafka.bootstrapServers(), "denied");
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "denied")) {
            assertThatThrownBy(() -> probe.instance(settings()))
                    .isInstanceOf(StoreAbsentException.class)
                    .hasMessageContaining("denied-app-blobshuffle-claims")
                    .hasMessageEndingWith("grant its principal Create, Describe, Read and Write on it.");
        }
    }

    private Map<String, Object> settings() {
        return Map.of(
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve("state").toString(),
                StreamsConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka.securedServers(),
                "security.protocol",
                SecurityProtocol.SASL_PLAINTEXT.name,
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                LOGIN + "username=\"shuffler\" password=\"word\";",
                StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG,
                SweptSupplier.class.getName(),
                "blobshuffle.store",
                "file://" + directory.resolve("blobs") + "?fsync=none",
                "blobshuffle.inline.max.bytes",
                "0");
    }

    private static void allow(ResourceType type, String name, PatternType pattern, AclOperation... operations)
            throws Exception {
        ResourcePattern resource = new ResourcePattern(type, name, pattern);
        List<AclBinding> rights = Stream.of(operations)
                .map(operation -> new AclBinding(
                        resource, new AccessControlEntry("User:shuffler", "*", operation, AclPermissionType.ALLOW)))
                .toList();
        admin.createAcls(rights).all().get();
    }
}
