package dev.blobshuffle.flight.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the Python package wrote, read by the Flight clients of pyarrow and Go, and by HTTP. Needs
 * Python and Go, and brings their packages itself.
 */
class StockClientsIT {
    private static final SystemTime TIME = new SystemTime();

    @TempDir
    private static Path directory;

    @TempDir
    private static Path files;

    private static Path python;
    private static SecureDaemon secure;
    private static FlightDaemon daemon;
    private static FlightDaemon secured;

    @BeforeAll
    static void start() throws Exception {
        python = python();
        secure = new SecureDaemon(files);
        daemon = start(Daemons.insecure(Map.of("default", List.of(directory))));
        secured = start(secure.config(directory));
    }

    private static FlightDaemon start(FlightConfig config) {
        return FlightDaemon.start(
                Daemons.withHttp(config, HttpConfig.Transport.AS_FLIGHT, HttpConfig.Limits.DEFAULT), TIME);
    }

    @AfterAll
    static void close() {
        daemon.close();
        secured.close();
        TIME.close();
    }

    /** The environment that the package's own tests use, or one of the build's own. */
    private static Path python() throws Exception {
        Path known = Path.of("..", "python", ".venv", "bin", "python").toAbsolutePath();
        if (Files.isExecutable(known)) {
            return known;
        }
        Path own = Path.of("target", "venv").toAbsolutePath();
        Path interpreter = own.resolve("bin").resolve("python");
        if (!Files.isExecutable(interpreter)) {
            run(List.of("python3", "-m", "venv", own.toString()));
            run(List.of(interpreter.toString(), "-m", "pip", "install", "-q", "../python"));
        }
        return interpreter;
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        return run(command, Path.of("").toAbsolutePath());
    }

    private static String run(List<String> command, Path at) throws IOException, InterruptedException {
        Path output = Files.createTempFile("stock-client", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(at.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean isEnded = process.waitFor(10, TimeUnit.MINUTES);
            String text = Files.readString(output);
            assertThat(isEnded && process.exitValue() == 0)
                    .as("%s: %s", command, text)
                    .isTrue();
            return text;
        } finally {
            Files.delete(output);
        }
    }

    private static String shuffle(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                python.toString(),
                Path.of("src/test/python/shuffle.py").toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void pyarrowReadsThePartitions(String codec) throws Exception {
        String written = shuffle("write", directory.toString(), codec, codec);
        String read = shuffle("read", Integer.toString(daemon.port()), codec);

        assertThat(written.lines()).hasSize(3).anyMatch(line -> line.startsWith("150000 "));
        assertThat(read).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void pyarrowPutsMaps(String codec) throws Exception {
        String written = shuffle("write", directory.toString(), "written-" + codec, codec);
        String put = shuffle("put", Integer.toString(daemon.port()), "put-" + codec, codec);
        String read = shuffle("read", Integer.toString(daemon.port()), "put-" + codec);

        String url = daemon.httpLocation().orElseThrow() + "/default";
        String port = Integer.toString(daemon.port());
        String byPackage = shuffle("package", port, url, "package-" + codec, codec);

        assertThat(put).isEmpty();
        assertThat(read).isEqualTo(written);
        assertThat(byPackage).isEqualTo(written);
        assertThat(shuffle("read", port, "package-" + codec)).isEqualTo(written);
    }

    @Test
    void whatPyarrowAbandonsIsNotStored() throws Exception {
        assertThat(shuffle("abandon", Integer.toString(daemon.port()), "abandoned"))
                .isEqualTo("True\nTrue\n");
        assertThat(directory.resolve("shuffles").resolve("abandoned")).doesNotExist();
    }

    /** Killed by SIGKILL in the middle of a partition, it leaves nothing behind. */
    @Test
    void aKilledReaderOfPyarrowFreesItsMemory() throws Exception {
        Process reader = new ProcessBuilder(
                        python.toString(),
                        Path.of("src/test/python/shuffle.py").toAbsolutePath().toString(),
                        "stop",
                        Integer.toString(daemon.port()),
                        directory.toString(),
                        "stopped")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (FlightShuffles client = Daemons.client(daemon)) {
            assertThat(Integer.parseInt(reader.inputReader().readLine())).isBetween(1, 1_000_000);
            assertThat(stat(client, "running_streams")).isOne();
            reader.destroyForcibly().waitFor();

            long end = System.nanoTime() + 60_000_000_000L;
            while (stat(client, "running_streams") + stat(client, "memory_used_bytes") > 0) {
                assertThat(System.nanoTime()).as(client.stats()).isLessThan(end);
            }
        } finally {
            reader.destroyForcibly();
        }
    }

    private static long stat(FlightShuffles client, String name) {
        return JsonParser.parseString(client.stats())
                .getAsJsonObject()
                .get(name)
                .getAsLong();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void thePackageReadsByHttp(String codec) throws Exception {
        String written = shuffle("write", directory.toString(), "http-" + codec, codec);
        String plain = daemon.httpLocation().orElseThrow() + "/default";
        String encrypted = secured.httpLocation().orElseThrow() + "/default";

        assertThat(shuffle("http", plain, directory.toString(), "http-" + codec))
                .isEqualTo(written);
        assertThat(shuffle(
                        "http",
                        encrypted,
                        directory.toString(),
                        "http-" + codec,
                        SecureDaemon.TOKEN,
                        secure.certificate().toString()))
                .isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void goReadsAndPutsThePartitions(String codec) throws Exception {
        String written = shuffle("write", directory.toString(), "go-" + codec, codec);
        Path client = Path.of("target", "go-client").toAbsolutePath();
        run(
                List.of("go", "build", "-o", client.toString(), "."),
                Path.of("src/test/go").toAbsolutePath());
        List<String> command = new ArrayList<>(List.of(
                client.toString(),
                "localhost:" + secured.port(),
                secure.certificate().toString(),
                SecureDaemon.TOKEN,
                "go-" + codec,
                "3",
                "3"));

        assertThat(run(command)).isEqualTo(written);

        command.add("go-put-" + codec);
        assertThat(run(command)).isEqualTo(written);
    }
}
