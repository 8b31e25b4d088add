package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import dev.blobshuffle.testkit.internal.servers.FlightPrograms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Flight clients of pyarrow and Go, and HTTP, read what the Python package wrote. A test is
 * skipped if its client is not installed.
 */
class StockClientsIT {
    private static final SystemTime TIME = new SystemTime();
    private static final Map<String, String> WRITTEN = new HashMap<>();

    @TempDir
    private static Path directory;

    @TempDir
    private static Path files;

    private static SecureDaemon secure;
    private static FlightDaemon daemon;
    private static FlightDaemon secured;

    @BeforeAll
    static void start() throws Exception {
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

    private static String shuffle(String... arguments) throws IOException, InterruptedException {
        return run("shuffle.py", arguments);
    }

    private static String run(String program, String... arguments) throws IOException, InterruptedException {
        return FlightPrograms.run(program(program, arguments));
    }

    private static ProcessBuilder program(String program, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Path.of("src/test/python", program).toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return FlightPrograms.python(command);
    }

    /** Writes a shuffle once for all tests. Returns the rows and sums of its partitions. */
    private static String written(String codec) throws IOException, InterruptedException {
        String known = WRITTEN.get(codec);
        if (known == null) {
            known = shuffle("write", directory.toString(), codec, codec);
            assertThat(known.lines()).hasSize(3).anyMatch(line -> line.startsWith("150000 "));
            WRITTEN.put(codec, known);
        }
        return known;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void pyarrowReadsThePartitions(String codec) throws Exception {
        assertThat(written(codec)).isEqualTo(shuffle("read", Integer.toString(daemon.port()), codec));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void pyarrowPutsMaps(String codec) throws Exception {
        String port = Integer.toString(daemon.port());

        assertThat(shuffle("put", port, "put-" + codec, codec)).isEmpty();
        assertThat(shuffle("read", port, "put-" + codec)).isEqualTo(written(codec));
    }

    @Test
    void thePackagePutsMaps() throws Exception {
        String port = Integer.toString(daemon.port());
        String url = daemon.httpLocation().orElseThrow() + "/default";

        assertThat(shuffle("package", port, url, "package", "zstd")).isEqualTo(written("zstd"));
        assertThat(shuffle("read", port, "package")).isEqualTo(written("zstd"));
    }

    @Test
    void pyarrowListsTheCommittedShufflesThatItMayRead() throws Exception {
        String port = Integer.toString(daemon.port());
        shuffle("write", directory.toString(), "listed", "lz4");
        shuffle("write", directory.toString(), "uncommitted", "lz4");
        try (FlightShuffles client = Daemons.client(daemon)) {
            client.commit("listed", 3);
        }

        assertThat(shuffle("flights", port, "").lines())
                .contains("default listed 0-3 -1 300000")
                .noneMatch(line -> line.contains("uncommitted"));
        assertThat(shuffle("flights", port, "default")).isEqualTo(shuffle("flights", port, ""));
        assertThat(securedFlights("", SecureDaemon.TOKEN)).contains("default listed 0-3 -1 300000");
        assertThat(securedFlights("", SecureDaemon.OTHER_TOKEN)).isEmpty();
        assertThat(securedFlights("default", SecureDaemon.OTHER_TOKEN)).isEqualTo("refused\n");
    }

    private static String securedFlights(String namespace, String token) throws IOException, InterruptedException {
        String port = Integer.toString(secured.port());
        return shuffle("flights", port, namespace, token, secure.certificate().toString());
    }

    @Test
    void whatPyarrowAbandonsIsNotStored() throws Exception {
        assertThat(shuffle("abandon", Integer.toString(daemon.port()), "abandoned"))
                .isEqualTo("True\nTrue\n");
        assertThat(directory.resolve("shuffles").resolve("abandoned")).doesNotExist();
    }

    /**
     * The reader is killed by SIGKILL in the middle of a partition. The daemon frees all that it
     * held.
     */
    @Test
    void aKilledReaderOfPyarrowFreesItsMemory() throws Exception {
        Process reader = program("shuffle.py", "stop", Integer.toString(daemon.port()), directory.toString(), "stopped")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (FlightShuffles client = Daemons.client(daemon)) {
            assertThat(Integer.parseInt(reader.inputReader().readLine())).isBetween(1, 1_000_000);
            assertThat(stat(client, "running_streams")).isOne();
            reader.destroyForcibly().waitFor();

            Daemons.patiently("the daemon frees what the reader held")
                    .until(() -> stat(client, "running_streams") + stat(client, "memory_used_bytes") == 0);
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
    @ValueSource(strings = {"none", "zstd"})
    void thePackageReadsByHttp(String codec) throws Exception {
        String plain = daemon.httpLocation().orElseThrow() + "/default";
        String written = written(codec);

        assertThat(shuffle("http", plain, directory.toString(), codec)).isEqualTo(written);
    }

    @Test
    void thePackageReadsByHttps() throws Exception {
        String encrypted = secured.httpLocation().orElseThrow() + "/default";
        String written = written("lz4");

        assertThat(shuffle(
                        "http",
                        encrypted,
                        directory.toString(),
                        "lz4",
                        SecureDaemon.TOKEN,
                        secure.certificate().toString()))
                .isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void goReadsAndPutsThePartitions(String codec) throws Exception {
        String written = written(codec);
        List<String> arguments = new ArrayList<>(List.of(
                "localhost:" + secured.port(), secure.certificate().toString(), SecureDaemon.TOKEN, codec, "3", "3"));

        assertThat(FlightPrograms.run(FlightPrograms.go(arguments))).isEqualTo(written);

        arguments.add("go-put-" + codec);
        assertThat(FlightPrograms.run(FlightPrograms.go(arguments))).isEqualTo(written);
    }

    @Test
    void goPutsByKeyAsThePackageDoes() throws Exception {
        String keys = run("keys.py", "write", directory.toString(), "keys", "7", "all");
        List<String> arguments = new ArrayList<>(List.of(
                "localhost:" + secured.port(), secure.certificate().toString(), SecureDaemon.TOKEN, "keys", "1", "7"));
        arguments.add("go-keys");
        arguments.addAll(keys.lines().toList());
        FlightPrograms.run(FlightPrograms.go(arguments));

        List<String> check = new ArrayList<>(List.of("check", Integer.toString(daemon.port()), "keys", "go-keys", "7"));
        check.addAll(keys.lines().toList());
        assertThat(keys.lines()).hasSizeGreaterThan(40);
        assertThat(run("keys.py", check.toArray(String[]::new)))
                .isEqualTo(keys.lines().count() + "\n");
    }
}
