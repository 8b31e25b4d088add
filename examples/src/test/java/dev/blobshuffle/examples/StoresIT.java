package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.version.Versions;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The application with the starter shuffles through S3, GCS and Azure under each line of Spring
 * Boot. A framework's dependency management chooses versions of the libraries that stores use. The
 * oldest and the newest of them that docs/compatibility.md names run here.
 */
class StoresIT {
    private static final String HTTP = "org.apache.httpcomponents.client5:httpclient5";
    private static final List<String> CLIENTS =
            List.of("com.google.cloud:google-cloud-storage", "com.azure:azure-storage-blob", HTTP);

    @TempDir
    private Path directory;

    @Test
    void theOldestLibrariesShuffleThroughEachStore() throws Exception {
        String boot = Versions.of("org.springframework.boot:spring-boot").oldest();
        shufflesThroughEachStore(pom -> withStores(pom, this::oldest), boot, "spring-boot-3");
    }

    /**
     * At night. In every build the tests of the stores run with their newest libraries, and
     * SpringBootIT starts the newest Spring Boot, but without these libraries.
     */
    @Tag("nightly")
    @Test
    void theNewestLibrariesShuffleThroughEachStore() throws Exception {
        String boot = Versions.of("org.springframework.boot:spring-boot").newest();
        shufflesThroughEachStore(pom -> withStores(pom, this::newest), boot, "spring-boot-4");
    }

    /** With the versions that Spring Boot manages. */
    @Tag("nightly")
    @Test
    void springBoot35ShufflesThroughEachStore() throws Exception {
        shufflesThroughEachStore(StoresIT::withStores, "3.5.16", "spring-boot-3");
    }

    @Tag("nightly")
    @Test
    void springBoot40ShufflesThroughEachStore() throws Exception {
        shufflesThroughEachStore(StoresIT::withStores, "4.0.9", "spring-boot-4");
    }

    @Tag("nightly")
    @Test
    void aLibraryThatIsTooOldIsRefusedAtTheStart() throws Exception {
        Example example = Example.build(
                "spring-boot",
                directory.resolve("project"),
                pom -> withStores(pom, artifact -> artifact.equals(HTTP) ? "5.3.1" : newest(artifact)),
                "-Pspring-boot-3");
        VersityGateway server = VersityGateway.shared();
        server.makeBucket("refused");
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            Process application = example.start(environment(
                    kafka,
                    "too-old",
                    Map.of("BLOB_STORE", "s3://refused/x?path-style=true&endpoint=" + server.endpoint())));
            try {
                assertThat(application.waitFor(3, TimeUnit.MINUTES)).isTrue();
                assertThat(application.exitValue()).isNotZero();
            } finally {
                Example.stop(application);
            }
        }
        assertThat(example.output())
                .contains("Cannot open store s3://: httpclient5 5.3.1 is too old: BlobShuffle needs 5.4 or newer");
    }

    /** Without a framework that manages versions, the nearest in Maven's tree is taken. */
    @Test
    void aPlainProjectHasWhatTheStoresCall() throws Exception {
        Map<String, UnaryOperator<String>> edits = new HashMap<>();
        for (String store : List.of("s3", "gcs", "azure")) {
            edits.put(store, pom -> withStores(pom, List.of(store)));
        }
        for (Map.Entry<String, Example> one :
                Example.buildCopies("kafka-streams", directory, edits).entrySet()) {
            assertThat(Linkage.missing(one.getValue().file().resolveSibling("lib")))
                    .as(one.getKey())
                    .isEmpty();
        }
    }

    private void shufflesThroughEachStore(UnaryOperator<String> edit, String boot, String profile) throws Exception {
        VersityGateway s3 = VersityGateway.shared();
        FakeGcsServer gcs = FakeGcsServer.shared();
        Azurite azure = Azurite.shared();
        String bucket = "stores-" + boot.replace('.', '-');
        s3.makeBucket(bucket);
        gcs.makeBucket(bucket);
        azure.makeContainer(bucket);
        Example example = Example.build(
                "spring-boot", directory.resolve("project"), edit, "-P" + profile, "-Dspring-boot.version=" + boot);

        assertThat(Linkage.missing(libraries(example.file(), directory.resolve("libraries"))))
                .as("members of libraries that we call, and that these versions lack")
                .isEmpty();
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            OrderBook orders = OrderBook.send(kafka.bootstrapServers());
            Map<String, String> byS3 = Map.of(
                    "BLOB_STORE",
                    "s3://" + bucket + "/x?region=us-east-1&path-style=true&endpoint=" + s3.endpoint(),
                    "AWS_ACCESS_KEY_ID",
                    VersityGateway.ACCESS_KEY,
                    "AWS_SECRET_ACCESS_KEY",
                    VersityGateway.SECRET_KEY);
            Map<String, String> byGcs = Map.of("BLOB_STORE", "gs://" + bucket + "/x?endpoint=" + gcs.endpoint());
            Map<String, String> byAzure = Map.of(
                    "BLOB_STORE",
                    "az://" + Azurite.ACCOUNT + "/" + bucket + "/x?endpoint=" + azure.endpoint(),
                    "AZURE_STORAGE_KEY",
                    Azurite.ACCOUNT_KEY);
            shuffle(
                    example,
                    orders,
                    List.of(
                            environment(kafka, "by-s3", byS3),
                            environment(kafka, "by-gs", byGcs),
                            environment(kafka, "by-az", byAzure)));
        }
    }

    /** Runs one application for each environment, all at the same time. */
    private static void shuffle(Example example, OrderBook orders, List<Map<String, String>> environments)
            throws Exception {
        Map<String, Process> running = new LinkedHashMap<>();
        try {
            for (Map<String, String> environment : environments) {
                running.put(environment.get("SPRING_KAFKA_STREAMS_APPLICATION_ID"), example.start(environment));
            }
            for (Map.Entry<String, Process> one : running.entrySet()) {
                assertThat(orders.totalsOf(one.getValue(), one.getKey()))
                        .as(() -> one.getKey() + "\n" + example.output())
                        .isEqualTo(orders.expected());
            }
        } finally {
            running.values().forEach(Process::destroy);
            for (Process process : running.values()) {
                Example.stop(process);
            }
        }
        for (String application : running.keySet()) {
            assertThat(example.output())
                    .contains("started for application " + application + ": ")
                    .doesNotContain("natively", "NoSuchMethodError", "NoClassDefFoundError");
            assertThat(orders.records(application + "-by-customer-repartition")).isBetween(1L, OrderBook.ORDERS / 4L);
        }
    }

    private Map<String, String> environment(EmbeddedKafka kafka, String application, Map<String, String> more)
            throws IOException {
        kafka.createTopic(application, 2);
        Map<String, String> environment = new HashMap<>(more);
        environment.put("KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers());
        environment.put("STATE_DIR", directory.resolve("state-" + application).toString());
        environment.put("SPRING_KAFKA_STREAMS_APPLICATION_ID", application);
        environment.put("TOTALS", application);
        environment.put("PORT", "0");
        return environment;
    }

    private String oldest(String artifact) {
        return Versions.of(artifact).oldest();
    }

    private String newest(String artifact) {
        return Versions.of(artifact).newest();
    }

    /** Adds the artifact of each store, as their guides say. */
    private static String withStores(String pom) {
        return withStores(pom, List.of("s3", "gcs", "azure"));
    }

    private static String withStores(String pom, List<String> names) {
        StringBuilder stores = new StringBuilder("<dependencies>");
        for (String store : names) {
            stores.append("<dependency><groupId>dev.blobshuffle</groupId><artifactId>blobshuffle-")
                    .append(store)
                    .append("</artifactId></dependency>");
        }
        int at = pom.indexOf("</dependencyManagement>") + "</dependencyManagement>".length();
        String rest = pom.substring(at).replaceFirst("<dependencies>", stores.toString());
        return pom.substring(0, at) + rest;
    }

    /** Adds the artifact of each store, and chooses the versions of the libraries that they use. */
    private static String withStores(String pom, UnaryOperator<String> version) {
        StringBuilder chosen = new StringBuilder("<dependencyManagement><dependencies>");
        for (String artifact : CLIENTS) {
            String[] parts = artifact.split(":");
            chosen.append(
                    "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                            .formatted(parts[0], parts[1], version.apply(artifact)));
        }
        chosen.append("<dependency><groupId>software.amazon.awssdk</groupId><artifactId>bom</artifactId>"
                + "<version>%s</version><type>pom</type><scope>import</scope></dependency>"
                        .formatted(version.apply("software.amazon.awssdk:s3")));
        return withStores(pom).replaceFirst("<dependencyManagement>\\s*<dependencies>", chosen.toString());
    }

    /** Unpacks the libraries of a jar that Spring Boot packed. */
    private static Path libraries(Path jar, Path to) throws IOException {
        Files.createDirectories(to);
        try (ZipFile file = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : file.stream().toList()) {
                if (entry.getName().startsWith("BOOT-INF/lib/") && !entry.isDirectory()) {
                    try (InputStream bytes = file.getInputStream(entry)) {
                        Files.copy(bytes, to.resolve(entry.getName().substring("BOOT-INF/lib/".length())));
                    }
                }
            }
        }
        return to;
    }
}
