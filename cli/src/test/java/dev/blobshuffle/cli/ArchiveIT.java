package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic.Outcome;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses the archive as a user does: unpacked into an empty directory outside the checkout, with Java
 * and without a build tool.
 */
class ArchiveIT {
    private static final long MOST_BYTES = 76L << 20;

    @TempDir
    private static Path directory;

    private static Path archive;
    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        archive = only(Path.of("target"), "blobshuffle-*.tar.gz").toAbsolutePath();
        Process tar = InstalledTool.start(
                new ProcessBuilder("tar", "-xzf", archive.toString()).directory(directory.toFile()),
                "apt-get install tar gzip");
        assertThat(new String(tar.getInputStream().readAllBytes())).isEmpty();
        home = only(directory, "blobshuffle-*");
    }

    @AfterAll
    static void leaveNothingBehind() throws IOException {
        if (home == null) {
            return; // The archive was not unpacked.
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(home.getFileName().toString(), "blobshuffle", "store");
        }
    }

    @Test
    void archiveIsSmallAndCarriesItsLicence() throws IOException {
        assertThat(Files.size(archive)).isLessThanOrEqualTo(MOST_BYTES);
        assertThat(home).isDirectoryContaining("glob:**/{LICENSE,NOTICE,README.txt}");
        try (Stream<Path> files = Files.list(home)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("LICENSE", "NOTICE", "README.txt", "bin", "lib");
        }
    }

    @Test
    void helpAndVersionNeedNothingButJava() {
        assertThat(blobshuffle("help").text()).contains("Usage: blobshuffle", "doctor", "inspect");
        String version = home.getFileName().toString().replace("blobshuffle-", "");
        assertThat(blobshuffle("--version").text().lines().toList())
                .contains("blobshuffle " + version)
                .anyMatch(line -> line.matches("kafka-clients [0-9.]+"));
    }

    @Test
    void wrongUsageEndsWithItsStatus() {
        Outcome wrong = blobshuffle("plan", "--throughput", "fast");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.text()).contains("Cannot read 'fast'");
    }

    @Test
    void missingJavaIsAnErrorThatSaysWhatToDo() throws Exception {
        Outcome missing = process(
                Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", "/no/such/java"),
                home.resolve("bin/blobshuffle").toString(),
                "help");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.text()).contains("Cannot run blobshuffle: there is no /no/such/java/bin/java", "JAVA_HOME");
    }

    @Test
    void planComputesACost() {
        Outcome plan = blobshuffle("plan", "--throughput", "100MiB/s");
        assertThat(plan.status()).isZero();
        assertThat(plan.text()).contains("native, replication 3", "blobshuffle.batch.max.bytes=");
    }

    @Test
    void toolsLookAfterATopicOfBlobs() throws Exception {
        Path store = directory.resolve("store");
        BlobTopic topic = new BlobTopic(store, "archived");
        try (Producer<String, String> producer = topic.producer()) {
            producer.send(new ProducerRecord<>(topic.name(), 0, "key", "value"));
        }
        String[] where = {
            "--bootstrap",
            EmbeddedKafka.shared().bootstrapServers(),
            "--store",
            store.toUri().toString()
        };

        Outcome doctor = blobshuffle("doctor", where, "--samples", "1");
        assertThat(doctor.text()).contains("ok      kafka    brokers: 1 answers");
        assertThat(doctor.status()).as(doctor.text()).isZero();

        Outcome gc = blobshuffle("gc", where, "--writers-stopped", "--grace", "0s");
        assertThat(gc.text()).contains("1 blobs are needed");
        assertThat(blobshuffle("inspect", blob(store).toString()).text()).contains("Sound: 1 segments");
    }

    /** Starts the launcher through a symbolic link in another directory, as one on the PATH. */
    private static Outcome blobshuffle(String command, String[] where, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(Arrays.asList(where));
        arguments.addAll(Arrays.asList(more));
        return blobshuffle(arguments.toArray(String[]::new));
    }

    private static Outcome blobshuffle(String... arguments) {
        try {
            Path link = directory.resolve("blobshuffle");
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, home.getFileName().resolve("bin/blobshuffle"));
            }
            List<String> command = new ArrayList<>(List.of(link.toString()));
            command.addAll(Arrays.asList(arguments));
            Map<String, String> environment = Map.of(
                    "PATH",
                    "/usr/bin:/bin",
                    "JAVA_HOME",
                    System.getProperty("java.home"),
                    "BLOBSHUFFLE_JAVA_OPTS",
                    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
            return process(environment, command.toArray(String[]::new));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Runs a command with this environment only. The outcome has standard output and standard
     * error.
     */
    private static Outcome process(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), text);
    }

    private static Path blob(Path store) {
        return LiveFiles.blobs(store).stream()
                .filter(file -> !file.toString().contains("/0000000000/"))
                .findFirst()
                .orElseThrow();
    }

    private static Path only(Path directory, String glob) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, glob)) {
            List<Path> all = new ArrayList<>();
            found.forEach(all::add);
            assertThat(all).as(glob + " in " + directory).hasSize(1);
            return all.get(0);
        }
    }
}
