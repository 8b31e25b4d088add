package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tools report an unreachable server by name at once. The clients alone would report a time-out
 * after half a minute.
 */
class RefusedConnectionTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    private Path directory;

    private RefusingPort port;
    private String refused;

    @BeforeEach
    void findRefusedAddress() throws IOException {
        port = new RefusingPort();
        refused = "127.0.0.1:" + port.number();
    }

    @AfterEach
    void releasePort() throws IOException {
        port.close();
    }

    /** A line for each command that connects to brokers. */
    static Stream<String> commandsOfBrokers() {
        return Stream.of(
                "status --application-id a",
                "tail --topic t",
                "drained --application-id a",
                "skip --group g --topic t --store STORE",
                "gc --store STORE",
                "doctor --store STORE --samples 1 --blob-size 1KiB");
    }

    @ParameterizedTest
    @MethodSource("commandsOfBrokers")
    void commandsNameBrokersThatRefuse(String line) {
        assertThat(run(line + " --bootstrap ADDRESS")).as(out.toString()).isOne();

        assertThat(out.toString())
                .contains("connection refused at " + refused, "Check that the brokers run")
                .doesNotContain("TimeoutException", "Timed out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "inspect 29000000-0123456789abcdef-7 --store S3",
                "cache --store S3 --zone a --listen 127.0.0.1:0 --capacity 64MiB --secret-file none",
                "doctor --store S3"
            })
    void commandsNameStoresThatRefuse(String line) {
        assertThat(run(line)).as(out.toString()).isOne();

        assertThat(out.toString()).contains(refused, "refused", "Check that the store runs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plan --from-metrics http://ADDRESS/metrics",
                "messaging topics list --log postgresql://ADDRESS/app",
                "flight stats --server ADDRESS --insecure-loopback"
            })
    void commandsNameOtherServersThatRefuse(String line) {
        assertThat(run(line)).as(out.toString()).isOne();

        assertThat(out.toString()).contains(refused).containsIgnoringCase("check");
    }

    @AfterEach
    void forgetCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private int run(String line) {
        String s3 = "s3://blobs/x?region=us-east-1&path-style=true&endpoint=http://" + refused;
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        List<String> words = Stream.of(line.split(" "))
                .map(word -> word.equals("STORE") ? "file://" + directory : word)
                .map(word -> word.equals("S3") ? s3 : word.replace("ADDRESS", refused))
                .toList();
        PrintWriter writer = new PrintWriter(out);
        return Main.commandLine().setOut(writer).setErr(writer).execute(words.toArray(String[]::new));
    }
}
