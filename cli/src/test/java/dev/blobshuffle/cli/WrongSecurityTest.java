package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
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
 * The tools report what is wrong with security settings, and no secret. The client reports that it
 * cannot be created, and hides the reason two causes deeper.
 */
class WrongSecurityTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    private Path directory;

    private ServerSocket brokers;

    @BeforeEach
    void listen() throws IOException {
        brokers = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try (SystemTime time = new SystemTime()) {
            BlobStores.open(directory.resolve("store").toUri().toString(), time).close();
        }
    }

    @AfterEach
    void end() throws IOException {
        brokers.close();
    }

    @ParameterizedTest
    @MethodSource("dev.blobshuffle.cli.RefusedConnectionTest#commandsOfBrokers")
    void commandsNameATrustStoreThatIsNotThere(String line) throws IOException {
        run(line, "security.protocol=SSL", "ssl.truststore.location=/no/such.jks", "ssl.truststore.password=secret");
        assertThat(out.toString()).contains("/no/such.jks").doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Login required password=\"secret;",
                "Login required password=\"my\"secret\";",
                "Login required password=\"secret\"",
                "secret"
            })
    void aLoginThatCannotBeParsedIsNotShown(String login) throws IOException {
        run(
                "status --application-id a",
                "security.protocol=SASL_PLAINTEXT",
                "sasl.mechanism=PLAIN",
                "sasl.jaas.config=" + login);
        assertThat(out.toString()).contains("sasl.jaas.config").doesNotContain("secret");
    }

    private void run(String line, String... settings) throws IOException {
        Path config = Files.write(directory.resolve("app.properties"), List.of(settings));
        String[] arguments = Stream.of((line + " --config CONFIG --bootstrap ADDRESS").split(" "))
                .map(word -> switch (word) {
                    case "CONFIG" -> config.toString();
                    case "ADDRESS" -> "127.0.0.1:" + brokers.getLocalPort();
                    case "STORE" -> directory.resolve("store").toUri().toString();
                    default -> word;
                })
                .toArray(String[]::new);
        PrintWriter writer = new PrintWriter(out);
        int status = Main.commandLine().setOut(writer).setErr(writer).execute(arguments);
        assertThat(status).as(out.toString()).isNotZero();
    }
}
