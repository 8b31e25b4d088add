package dev.blobshuffle.bench.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.bench.command.BenchCommand;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFaultPlan;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The check of a bucket, at real servers. The environment has the credentials of versitygw. */
class CloudCheckIT {
    private static final int ENDED_BY_SIGTERM = 143;
    private static final Pattern PLACE = Pattern.compile("Checking (\\S+)");

    private final SystemTime time = new SystemTime();
    private String output = "";

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        time.close();
    }

    @Test
    void s3IsCheckedAndLeftAsItWas() throws Exception {
        String query = bucket("checked");
        Path profile = directory.resolve("profile.json");
        try (NamedBlobs others = BlobStores.openNamed("s3://checked" + query, StoreContext.unmetered(time))) {
            others.put("team/of/others", BlobContent.of(new byte[1]));
            assertThat(check("s3://checked/team" + query, "--prices", "aws", "--profile-out", profile.toString()))
                    .as(() -> output)
                    .isZero();
            assertThat(others.list("team/")).extracting(NamedBlobs.Entry::name).containsExactly("team/of/others");
        }
        assertThat(output)
                .contains("ok      conditional write:", "ok      times:", "ok      shuffle:")
                .containsPattern("checks +\\d+ ok, \\d+ warnings, 0 errors")
                .containsPattern("shuffle +12,000 records, 11\\.7 MiB, with \\d+ puts")
                .containsPattern("put +1 MiB: \\d+ ms at the median")
                .containsPattern("cost +\\d+ puts, .*: 0\\.00\\d\\d USD by the prices of aws-us-east-1")
                .containsPattern("clean-up +\\d+ objects deleted, nothing is left");
        assertThat(Files.readString(profile)).contains("millis");
    }

    @Test
    void googleCloudStorageIsCheckedAndLeftAsItWas() {
        FakeGcsServer server = FakeGcsServer.shared();
        server.makeBucket("checked");
        leavesNothing("gs://checked", "?endpoint=" + server.endpoint());
    }

    @Test
    @Tag("nightly")
    void azureIsCheckedAndLeftAsItWas() {
        Azurite server = Azurite.shared();
        server.makeContainer("checked");
        leavesNothing("az://" + Azurite.ACCOUNT + "/checked", "?endpoint=" + server.endpoint());
    }

    /** The marker is deleted last. */
    private void leavesNothing(String place, String query) {
        assertThat(check(place + "/team" + query)).as(() -> output).isZero();
        assertThat(output).contains("ok      shuffle:", "no list prices for this endpoint", "nothing is left");
        Matcher checked = PLACE.matcher(output);
        assertThat(checked.find()).isTrue();
        assertThatThrownBy(() -> BlobStores.openUnchecked(
                        checked.group(1) + query, StoreContext.unmetered(time).existing()))
                .isInstanceOf(StoreAbsentException.class);
        try (BlobStore made = BlobStores.openUnchecked(checked.group(1) + query, StoreContext.unmetered(time))) {
            assertThat(made.owners().toCompletableFuture().join()).isEmpty();
            assertThat(made.registers()
                            .orElseThrow()
                            .read("cloud-check")
                            .toCompletableFuture()
                            .join())
                    .isEmpty();
        }
    }

    @Test
    void aBucketThatIsNotThereIsAnErrorWithARemedy() {
        assertThat(check("s3://absent/team" + bucket("present"))).isEqualTo(1);
        assertThat(output)
                .contains("ERROR   open:", "Create the bucket, or name another")
                .doesNotContain("clean-up");
    }

    @Test
    void aRightThatLacksIsNamedAndWhatWasWrittenIsDeleted() {
        try (S3Sim sim = S3Sim.builder().bucket("limited").start()) {
            String uri = "s3://limited/team?region=us-east-1&path-style=true&endpoint=" + sim.endpoint();
            sim.follow(WireFaultPlan.on(Set.of(Operation.GET_OBJECT), WireFault.of(WireFault.Kind.FLIP)));
            assertThat(check(uri)).isEqualTo(1);
            assertThat(sim.keys("limited")).isEmpty();

            sim.follow(WireFaultPlan.on(
                    Set.of(Operation.DELETE_OBJECT, Operation.DELETE_OBJECTS), WireFault.error(S3Error.ACCESS_DENIED)));
            assertThat(check(uri)).isEqualTo(1);
            assertThat(output)
                    .contains(
                            "ERROR   delete:",
                            "Allow s3:GetObject, s3:PutObject and s3:DeleteObject",
                            "ERROR   clean-up:")
                    .containsPattern("clean-up +something may be left: delete everything below s3://limited/team/"
                            + TrialStore.NAME)
                    .doesNotContain("Shuffling");
        }
    }

    @Test
    void aSignalLeavesNothingBehind() throws Exception {
        String query = bucket("ended");
        Path log = directory.resolve("log");
        Path files = Files.createDirectory(directory.resolve("files"));
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + files,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.blobshuffle.bench.Main",
                        "bench",
                        "cloud-check",
                        "s3://ended/team" + query,
                        "--requests=100000"))
                .redirectError(log.toFile())
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("Timing")) {
                line = lines.readLine();
            }
            assertThat(line).as("it writes").isNotNull();
            process.toHandle().destroy();
            while (line != null && !line.startsWith("Deleting")) {
                line = lines.readLine();
            }
            assertThat(line).as("it says what takes a moment").isNotNull();
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(ENDED_BY_SIGTERM);
        } finally {
            process.destroyForcibly();
        }
        try (NamedBlobs bucket = BlobStores.openNamed("s3://ended" + query, StoreContext.unmetered(time))) {
            assertThat(bucket.list("team/")).isEmpty();
        }
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith("blobshuffle")))
                    .isEmpty();
        }
    }

    @Test
    void whatIsNoBucketIsWrongUsage() {
        for (String wrong : List.of("file:///tmp/blobs", "s3:///prefix", "az://account", "nonsense")) {
            assertThat(check(wrong)).as(wrong).isEqualTo(2);
        }
        assertThat(check("s3://bucket", "--timeout", "1ms")).isEqualTo(2);
    }

    private static String bucket(String name) {
        VersityGateway server = VersityGateway.shared();
        server.makeBucket(name);
        return "?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
    }

    private int check(String store, String... more) {
        StringWriter text = new StringWriter();
        CommandLine command =
                BenchCommand.commandLine().setOut(new PrintWriter(text)).setErr(new PrintWriter(text));
        String[] arguments = Stream.concat(Stream.of("cloud-check", store, "--requests=20"), Stream.of(more))
                .toArray(String[]::new);
        int status = command.execute(arguments);
        output = text.toString();
        return status;
    }
}
