package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.s3sim.LifecycleRule;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFaultPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the doctor on stores that have one defect each. */
class DoctorCommandTest {
    private static final String KEY_ID = "AKIDOCTOR";
    private static final String SECRET = "very-secret-indeed";

    private S3Sim sim = start();
    private String output = "";

    @TempDir
    Path directory;

    private static S3Sim start() {
        return S3Sim.builder()
                .bucket("blobs")
                .region("eu-central-1")
                .accessKeyId(KEY_ID)
                .start();
    }

    @BeforeAll
    static void setCredentials() {
        System.setProperty("aws.accessKeyId", KEY_ID);
        System.setProperty("aws.secretAccessKey", SECRET);
    }

    @AfterAll
    static void clearCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @AfterEach
    void closeAndSeeThatNothingSecretWasPrinted() {
        sim.close();
        assertThat(output).doesNotContain(KEY_ID, SECRET);
    }

    /** The tools accept a profile of IAM Identity Center, and report that its login is missing. */
    @Test
    void aProfileOfSingleSignOnWorksInTheTools() throws IOException {
        Path config = directory.resolve("config");
        Files.writeString(config, """
                [profile dev]
                sso_session = corp
                sso_account_id = 111122223333
                sso_role_name = dev
                [sso-session corp]
                sso_region = eu-central-1
                sso_start_url = https://corp.awsapps.com/start
                """);
        clearCredentials();
        System.setProperty("aws.configFile", config.toString());
        System.setProperty("aws.profile", "dev");
        System.setProperty("aws.disableEc2Metadata", "true");
        try {
            doctor(uri("blobs", "eu-central-1"));
            assertThat(output)
                    .contains("there are no credentials, since", "Run aws sso login")
                    .doesNotContain("module must be on the class path");
        } finally {
            System.clearProperty("aws.configFile");
            System.clearProperty("aws.profile");
            System.clearProperty("aws.disableEc2Metadata");
            setCredentials();
        }
    }

    @Test
    void aSoundStoreHasNoErrorsAndIsLeftEmpty() {
        sim.lifecycle("blobs", List.of(new LifecycleRule("shuffle/blobs/", 7)));
        assertThat(doctor(uri("blobs", "eu-central-1"))).isZero();
        assertThat(output)
                .contains("the service deletes blobs after 7 days", "clock is that of this machine", "All is well.")
                .contains("the bucket is in eu-central-1", "an existing object is not overwritten")
                .contains("ok      store    put:", "store    list:", "missing blob", "put latency");
        assertThat(sim.keys("blobs")).allMatch(key -> key.endsWith("blobshuffle-store"));
    }

    @Test
    void whatKeepsOrLosesBlobsIsWarnedOf() {
        sim.startVersioning("blobs");
        assertThat(doctor(uri("blobs", "eu-central-1"))).isZero();
        assertThat(output)
                .contains(
                        "no rule of the service deletes old blobs",
                        "below 'shuffle/blobs/'",
                        "the bucket keeps versions");
        sim.lifecycle("blobs", List.of(new LifecycleRule("", 1)));
        assertThat(doctor(uri("blobs", "eu-central-1"))).isZero();
        assertThat(output)
                .contains("deletes blobs after 1 day, read or not", "also deletes the store's marker", "3 warnings");
    }

    @Test
    void aClockThatIsOffIsAnErrorBeyondWhatTheServiceTolerates() {
        sim.skew(Duration.ofMinutes(5));
        assertThat(doctor(uri("blobs", "eu-central-1"))).isZero();
        assertThat(output)
                .containsPattern("WARNING store    clock: the store's clock is (29|30)[0-9] s ahead of this machine's");
        sim.skew(Duration.ofHours(-1));
        assertThat(doctor(uri("blobs", "eu-central-1"))).isEqualTo(1);
        assertThat(output).containsPattern("ERROR   store    clock: the store's clock is 3[56][0-9][0-9] s behind");
    }

    @Test
    void wrongThingsAboutTheBucketAreErrorsWithARemedy() {
        expectError(uri("missing", "eu-central-1"), "open", "missing");
        expectError(uri("blobs", "us-east-1"), "open", "region");
        expectError(uri("blobs", "eu-central-1") + "&regoin=x", "open", "regoin");
    }

    @Test
    void wrongCredentialsAreAnError() {
        System.setProperty("aws.accessKeyId", "AKISOMEBODY");
        try {
            expectError(uri("blobs", "eu-central-1"), "open", "redentials");
        } finally {
            System.setProperty("aws.accessKeyId", KEY_ID);
        }
    }

    @Test
    void anExpiredTokenIsAnError() {
        sim.follow(WireFaultPlan.always(WireFault.error(S3Error.EXPIRED_TOKEN)));
        expectError(uri("blobs", "eu-central-1"), "open", "xpired");
    }

    @Test
    void eachMissingPermissionIsAnErrorOfItsOwn() {
        deny(Operation.DELETE_OBJECT, Operation.DELETE_OBJECTS);
        expectError(uri("blobs", "eu-central-1"), "delete", "denied");
        assertThat(output).contains("ok      store    put:", "ok      store    list:");
        deny(Operation.LIST_OBJECTS);
        expectError(uri("blobs", "eu-central-1"), "list", "denied");
        assertThat(output).contains("ok      store    delete:");
        assertThat(sim.keys("blobs"))
                .as("the marker, and two probes that could not be deleted")
                .hasSize(3);
    }

    private void deny(Operation... operations) {
        sim.follow(WireFaultPlan.on(Set.of(operations), WireFault.error(S3Error.ACCESS_DENIED)));
    }

    @Test
    void aStoreThatCanOnlyBeReadIsAnError() {
        assertThat(doctor(uri("blobs", "eu-central-1"))).isZero();
        sim.follow(WireFaultPlan.readOnly());
        expectError(uri("blobs", "eu-central-1"), "put", "denied");
    }

    @Test
    void aStoreThatIsNotThereIsAnErrorAndNotAHang() {
        sim.goDown();
        expectError(uri("blobs", "eu-central-1"), "open", "refused");
        sim.comeBack();
        sim.follow(WireFaultPlan.always(WireFault.stall(WireFault.Kind.STALL, Duration.ofHours(1))));
        assertThat(doctor(uri("blobs", "eu-central-1"), "--timeout", "1s")).isEqualTo(1);
        assertThat(output).contains("no answer for 1 s");
    }

    @Test
    void bytesThatChangeOnTheWayAreAnError() {
        sim.follow(WireFaultPlan.on(Set.of(Operation.GET_OBJECT), WireFault.of(WireFault.Kind.FLIP)));
        assertThat(doctor(uri("blobs", "eu-central-1"))).isEqualTo(1);
    }

    @Test
    void settingsAreHeldAgainstTheLatency() throws IOException {
        Path config = directory.resolve("app.properties");
        Files.writeString(
                config,
                "processing.guarantee=exactly_once_v2\nproducer.transaction.timeout.ms=2000\nblobshuffle.store="
                        + uri("blobs", "eu-central-1").replace("\\", "\\\\") + "\n");
        assertThat(doctor("", "--config", config.toString(), "--json")).isZero();
        assertThat(output)
                .contains("\"subject\": \"commit interval\"", "\"subject\": \"transaction timeout\"", "\"p95_ms\"")
                .contains("\"errors\": 0");
        Files.writeString(config, "blobshuffle.batch.max.delya.ms=1\n");
        expectError(
                uri("blobs", "eu-central-1"), "form", "blobshuffle.batch.max.delay.ms", "--config", config.toString());
    }

    @Test
    void aFileStoreNeedsNoBuckets() {
        assertThat(doctor("file://" + directory)).isZero();
        assertThat(doctor("nothing://x")).isEqualTo(1);
        assertThat(output).contains("nothing on the class path knows this scheme");
        assertThat(doctor("")).isEqualTo(2);
    }

    @Test
    void aStoreOfTwoSpeedsIsSound() {
        assertThat(doctor("two-speed:fast=file://" + directory.resolve("a") + ",durable=file://"
                        + directory.resolve("b")))
                .isZero();
    }

    @Test
    void aStoreIsMadeOnlyWhenThatIsAskedFor() throws IOException {
        Path root = Files.createDirectory(directory.resolve("unmounted"));
        StringWriter text = new StringWriter();
        int status = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(text))
                .setErr(new PrintWriter(text))
                .execute("--store", "file://" + root);
        assertThat(status).isEqualTo(1);
        assertThat(text.toString()).contains("it has no marker", "not mounted");
        assertThat(root).isEmptyDirectory();
        assertThat(doctor("file://" + root)).isZero();
        assertThat(root.resolve("blobshuffle-store")).exists();
    }

    @Test
    void createOnlySaysWhatItWouldDoUnlessItExecutes() {
        Path root = directory.resolve("new");
        assertThat(run("--store", "file://" + root, "--create")).isEqualTo(1);
        assertThat(output)
                .contains(
                        "there is no store at file://" + root + ", and --create would create one. Nothing was changed")
                .contains("-> Check that the place is the right one, and run it with --execute.");
        assertThat(root).doesNotExist();
        assertThat(run("--store", "file://" + root, "--create", "--execute")).isZero();
        assertThat(root.resolve("blobshuffle-store")).exists();
        assertThat(run("--store", "file://" + root, "--create")).isZero();
        assertThat(run("--store", "file://" + root, "--execute")).isEqualTo(2);
        assertThat(output).contains("the doctor changes nothing without --create");
    }

    @Test
    void aDirectoryIsAddedToAStoreOnlyWhenItExecutes() throws IOException {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        assertThat(run("--store", "file://" + one, "--create", "--execute", "--samples", "1"))
                .isZero();
        String both = "file://" + one + "," + two;
        for (String[] asked : new String[][] {{"--store", both}, {"--store", both, "--create"}}) {
            assertThat(run(asked)).isEqualTo(1);
            assertThat(output).contains("has 1 directory", two + " has no marker", "--create --execute");
            assertThat(two).doesNotExist();
        }
        assertThat(run("--store", both, "--create", "--execute", "--samples", "1"))
                .isZero();
        assertThat(two.resolve("blobshuffle-store")).exists();
        assertThat(run("--store", "file://" + two, "--create", "--execute")).isEqualTo(1);
        assertThat(output).contains("has 2 directories", "Name all directories of the store");
    }

    @Test
    void aDirectoryIsRemovedFromAStoreOnlyWhenItExecutes() throws IOException {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        assertThat(run("--store", "file://" + one + "," + two, "--create", "--execute", "--samples", "1"))
                .isZero();
        String rest = "file://" + one;
        assertThat(run("--store", rest)).isEqualTo(1);
        Matcher id = Pattern.compile("--remove-directory ([0-9a-f]{8})").matcher(output);
        assertThat(id.find()).isTrue();
        assertThat(run("--store", rest, "--remove-directory", id.group(1))).isEqualTo(1);
        assertThat(output).contains("Nothing was changed", "run it with --execute");
        assertThat(run("--store", rest)).isEqualTo(1);
        assertThat(run("--store", rest, "--remove-directory", id.group(1), "--execute", "--samples", "1"))
                .isZero();
        assertThat(run("--store", rest, "--samples", "1")).isZero();
        assertThat(run("--store", rest, "--remove-directory", id.group(1), "--execute"))
                .isEqualTo(1);
        assertThat(output).contains("Name all directories but the one to remove");
        assertThat(run("--store", rest, "--remove-directory", id.group(1), "--create"))
                .isEqualTo(2);
        assertThat(output).contains("Cannot create and remove at once");
    }

    private int run(String... arguments) {
        StringWriter text = new StringWriter();
        int status = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(text))
                .setErr(new PrintWriter(text))
                .execute(arguments);
        output = text.toString();
        return status;
    }

    private void expectError(String uri, String subject, String word, String... more) {
        assertThat(doctor(uri, more)).as(output).isEqualTo(1);
        assertThat(output.lines().filter(line -> line.startsWith("ERROR")))
                .anyMatch(line -> line.contains(" " + subject + ": "));
        assertThat(output).contains("-> ").containsIgnoringCase(word);
    }

    private String uri(String bucket, String region) {
        return "s3://" + bucket + "/shuffle?path-style=true&region=" + region + "&endpoint=" + sim.endpoint();
    }

    private int doctor(String uri, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--samples", "2", "--blob-size", "1MiB", "--create", "--execute"));
        if (!uri.isEmpty()) {
            arguments.addAll(List.of("--store", uri));
        }
        arguments.addAll(List.of(more));
        StringWriter text = new StringWriter();
        int status = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(text))
                .setErr(new PrintWriter(text))
                .execute(arguments.toArray(String[]::new));
        output = text.toString();
        return status;
    }
}
