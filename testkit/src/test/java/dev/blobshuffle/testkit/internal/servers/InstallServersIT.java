package dev.blobshuffle.testkit.internal.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The installation of servers, with tools that only look like Go and npm. */
class InstallServersIT {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    private Path cache;
    private Path path;
    private Path calls;

    @BeforeEach
    void makeDirectories() throws IOException {
        cache = directory.resolve("the cache");
        path = Files.createDirectory(directory.resolve("the path"));
        calls = directory.resolve("calls");
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                PROJECT.resolve(".ci").resolve("InstallServers.java").toString(),
                "--project=" + PROJECT));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output(command).toFile());
        builder.environment().put("BLOBSHUFFLE_SERVERS", cache.toString());
        builder.environment().put("PATH", path.toString());
        builder.environment().put("CALLS", calls.toString());
        return builder.start();
    }

    private Path output(List<String> command) throws IOException {
        return Files.createTempFile(directory, "output-" + command.size(), ".log");
    }

    private String run(int status, String... arguments) throws Exception {
        Process process = start(arguments);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        StringBuilder printed = new StringBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".log")).toList()) {
                printed.append(Files.readString(file));
                Files.delete(file);
            }
        }
        assertThat(process.exitValue()).as(printed.toString()).isEqualTo(status);
        return printed.toString();
    }

    private void tool(String name, String script) throws IOException {
        Path file =
                Files.writeString(path.resolve(name), "#!/bin/sh\necho \"" + name + " $*\" >>\"$CALLS\"\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String reason(String name) throws IOException {
        return Files.readString(cache.resolve("missing").resolve(name));
    }

    @Test
    void whatHasNoToolIsLeftOutWithItsReason() throws Exception {
        String printed = run(0, "--where-possible", "versitygw", "azurite");

        assertThat(printed).contains("Cannot install versitygw", "Cannot install azurite");
        assertThat(reason("versitygw")).contains("there is no go on the PATH. Install Go");
        assertThat(reason("azurite")).contains("there is no npm on the PATH. Install Node.js");
        assertThat(run(1, "azurite")).contains("there is no npm on the PATH");
    }

    @Test
    void whatIsPossibleIsInstalledOnce() throws Exception {
        tool(
                "go",
                "case $1 in install) echo '#!/bin/sh' >\"$GOBIN/versitygw\"; /bin/chmod +x \"$GOBIN/versitygw\";; esac\n");
        tool("npm", "echo npm error no such package; exit 3\n");

        String printed = run(0, "--where-possible", "versitygw", "azurite");

        assertThat(printed).contains("Installed versitygw", "Cannot install azurite");
        assertThat(reason("azurite")).contains("failed with status 3: npm error no such package");
        assertThat(cache.resolve("missing").resolve("versitygw")).doesNotExist();
        assertThat(cache.resolve("bin").resolve("versitygw")).isExecutable();
        long attempts = Files.readAllLines(calls).size();
        assertThat(run(0, "--where-possible", "versitygw")).isEmpty();
        assertThat(Files.readAllLines(calls)).hasSize((int) attempts);
    }

    @Test
    void aFailedInstallationIsNotRepeatedByTheNextBuild() throws Exception {
        tool("npm", "case $1 in install) echo out of space; exit 4;; esac\n");

        assertThat(run(0, "--where-possible", "azurite")).contains("failed with status 4: out of space");
        long attempts = Files.readAllLines(calls).size();
        assertThat(run(0, "--where-possible", "azurite")).contains("out of space", "try again after an hour");
        assertThat(Files.readAllLines(calls)).hasSize((int) attempts);
        assertThat(run(1, "azurite")).contains("out of space");
        assertThat(Files.readAllLines(calls)).hasSizeGreaterThan((int) attempts);
    }

    @Test
    void aRegistryThatDoesNotAnswerIsGivenUp() throws Exception {
        tool("npm", "exec /bin/sleep 600\n");

        assertThat(run(0, "--where-possible", "--patience=1", "azurite")).contains("did not end within 1 s");
        assertThat(reason("azurite")).contains("Check the network", "Run .ci/install-servers azurite");
    }

    @Test
    void buildsThatMayNotInstallSaySo() throws Exception {
        tool("npm", "");

        run(0, "--where-possible", "--offline=true", "azurite");
        assertThat(reason("azurite")).contains("the build runs offline");
        run(0, "--where-possible", "--install=false", "azurite");
        assertThat(reason("azurite")).contains("-Dservers.install=false");
        assertThat(run(0, "--where-possible", "--skip=true", "--skip=${skipITs}", "azurite"))
                .isEmpty();
        assertThat(calls).doesNotExist();
    }

    @Test
    void twoBuildsInstallOnce() throws Exception {
        tool(
                "npm",
                "case $1 in install) at=$3/node_modules/.bin; /bin/mkdir -p \"$at\";"
                        + " echo '#!/bin/sh' >\"$at/azurite-blob\"; /bin/chmod +x \"$at/azurite-blob\";; esac\n");

        Process first = start("--where-possible", "azurite");
        Process second = start("--where-possible", "azurite");

        assertThat(first.waitFor(5, TimeUnit.MINUTES) && second.waitFor(5, TimeUnit.MINUTES))
                .isTrue();
        assertThat(first.exitValue() + second.exitValue()).isZero();
        assertThat(Files.readAllLines(calls).stream().filter(call -> call.startsWith("npm install")))
                .hasSize(1);
        assertThat(cache.resolve("bin").resolve("azurite-blob")).isExecutable();
    }
}
