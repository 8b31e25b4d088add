package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.cli.BlobTopic.Outcome;
import dev.blobshuffle.core.internal.claim.ClaimCell;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.KafkaClaims;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.server.authorizer.AclCreateResult;
import org.apache.kafka.server.authorizer.AclDeleteResult;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that {@code gc} refuses to delete in unsafe cases, although its options claim that no
 * writer runs and no instance objects.
 */
class GcAttacksIT {
    @TempDir
    private Path directory;

    private static Outcome gc(BlobTopic by, Path store, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--execute",
                "--floor",
                "0s",
                "--writers-stopped",
                "--grace",
                "0s",
                "--objection",
                "0s",
                "--confirm",
                "99"));
        arguments.addAll(Arrays.asList(more));
        return by.run(new GcCommand(), store, new StringWriter(), arguments.toArray(String[]::new));
    }

    private static void write(BlobTopic topic) {
        try (Producer<String, String> producer = topic.producer()) {
            producer.send(new ProducerRecord<>(topic.name(), 0, "k", "v"));
            producer.flush();
        }
    }

    private static long blobs(Path store) {
        return LiveFiles.blobs(store).size();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(at)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path at, BasicFileAttributes attributes) throws IOException {
                Files.copy(at, to.resolve(from.relativize(at)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static OwnerClaimant claimant(BlobStore store, EmbeddedKafka kafka, SystemTime time)
            throws InterruptedException {
        Map<String, Object> client = Map.of("bootstrap.servers", kafka.bootstrapServers());
        ClaimIdentity identity = new ClaimIdentity(
                ClaimIdentity.SHARED_TOPIC, "gc", client, new Promise(Duration.ZERO, Optional.empty()));
        return new OwnerClaimant(new KafkaClaims(identity, time).seat(store.fingerprint()), OwnerTiming.USUAL, time);
    }

    @Test
    void aCopyOfTheClusterDeletesNothingWhicheverOfTheTwoSweepsFirst() throws Exception {
        Path original = directory.resolve("original");
        Path volumes = directory.resolve("copy");
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        try (EmbeddedKafka kafka =
                EmbeddedKafka.builder().dataDirectory(original).start()) {
            write(new BlobTopic(kafka, first, "copied"));
            write(new BlobTopic(kafka, second, "copied"));
        }
        copy(original, volumes);
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.builder().dataDirectory(original).start();
                EmbeddedKafka copied =
                        EmbeddedKafka.builder().dataDirectory(volumes).start();
                SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(second.toUri().toString(), StoreContext.unmetered(time))) {
            BlobTopic topic = new BlobTopic(kafka, first, "copied");
            write(topic); // The original cluster raises first.
            Outcome outcome = gc(new BlobTopic(copied, first, "copied"), first);
            assertThat(outcome.status()).as(outcome.text()).isEqualTo(2);
            assertThat(outcome.text()).contains("a copy of the cluster").doesNotContain("--only-cluster");
            assertThat(blobs(first)).isEqualTo(2);

            // The copied cluster raises first.
            OwnerClaimant ofCopy = claimant(opened, copied, time);
            ClaimCell cell = new OwnerRegister(opened, time).cell();
            assertThat(ofCopy.raise(cell)).isEqualTo(Verdict.OWN);
            write(new BlobTopic(kafka, second, "copied"));
            assertThat(ofCopy.raise(cell)).isEqualTo(Verdict.CONTESTED);
            assertThat(ofCopy.trouble().orElseThrow()).contains("a copy of the cluster");
            assertThat(blobs(second)).isEqualTo(2);
        }
    }

    @Test
    void anotherClusterDeletesNothingOfOneThatNeverSwept() throws Exception {
        Path store = directory.resolve("store");
        BlobTopic topic = new BlobTopic(store, "owned");
        write(topic);
        try (EmbeddedKafka other = EmbeddedKafka.builder().start()) {
            other.createTopic(topic.name(), 1);
            BlobTopic wrong = new BlobTopic(other, store, "unrelated");
            for (String[] more :
                    new String[][] {{}, {"--deleted-topic", topic.name() + "x"}, {"--retention", "900000"}}) {
                Outcome outcome = gc(wrong, store, more);
                assertThat(outcome.status()).as(outcome.text()).isZero();
                assertThat(outcome.text()).contains("of cluster ", "not swept from here", "0 blobs are deleted");
            }
            assertThat(blobs(store)).isEqualTo(1);
        }
    }

    @Test
    void aPrincipalThatDoesNotSeeATopicDeletesNothingOfIt() throws Exception {
        Path store = directory.resolve("store");
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .property("authorizer.class.name", Hiding.class.getName())
                .start()) {
            BlobTopic topic = new BlobTopic(kafka, store, "hidden");
            write(topic);
            Hiding.denied = Set.of(AclOperation.READ, AclOperation.DESCRIBE);
            try {
                Outcome without = gc(topic, store);
                assertThat(without.text())
                        .contains("1 blobs are kept", "may not describe topics [" + topic.name() + "]")
                        .doesNotContain("--deleted-topic");
                Outcome with = gc(topic, store, "--deleted-topic", topic.name());
                assertThat(with.status()).as(with.text()).isEqualTo(2);
                assertThat(with.text()).contains("were not deleted, or this principal may not describe them");
            } finally {
                Hiding.denied = Set.of();
            }
            assertThat(blobs(store)).isEqualTo(1);
        }
    }

    @Test
    void ageDeletesNothingWithoutBrokersToAsk() throws Exception {
        Path store = directory.resolve("store");
        write(new BlobTopic(store, "aged"));
        StringWriter out = new StringWriter();
        int status = new picocli.CommandLine(new GcCommand())
                .setErr(new java.io.PrintWriter(out))
                .execute(
                        "--bootstrap",
                        "127.0.0.1:1",
                        "--store",
                        store.toUri().toString(),
                        "--execute",
                        "--retention",
                        "900000");
        assertThat(status).isOne();
        assertThat(blobs(store)).isEqualTo(1);
    }

    /** Refuses operations on topics whose name begins with {@code hidden}. */
    public static final class Hiding implements Authorizer {
        private static volatile Set<AclOperation> denied = Set.of();

        /** The broker creates it by this constructor. */
        public Hiding() {}

        @Override
        public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo server) {
            Map<Endpoint, CompletionStage<Void>> started = new HashMap<>();
            server.endpoints().forEach(endpoint -> started.put(endpoint, CompletableFuture.completedFuture(null)));
            return started;
        }

        @Override
        public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
            return actions.stream()
                    .map(action ->
                            action.resourcePattern().name().startsWith("hidden") && denied.contains(action.operation())
                                    ? AuthorizationResult.DENIED
                                    : AuthorizationResult.ALLOWED)
                    .toList();
        }

        @Override
        public List<? extends CompletionStage<AclCreateResult>> createAcls(
                AuthorizableRequestContext context, List<AclBinding> bindings) {
            return List.of();
        }

        @Override
        public List<? extends CompletionStage<AclDeleteResult>> deleteAcls(
                AuthorizableRequestContext context, List<AclBindingFilter> filters) {
            return List.of();
        }

        @Override
        public Iterable<AclBinding> acls(AclBindingFilter filter) {
            return List.of();
        }

        @Override
        public void configure(Map<String, ?> settings) {}

        @Override
        public void close() {}
    }
}
