package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SparkBenchCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();
    private Path bundle;

    @BeforeEach
    void aJar() throws Exception {
        bundle = Files.createFile(directory.resolve("bundle.jar"));
    }

    private int execute(String... arguments) {
        return new CommandLine(new SparkBenchCommand())
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void withoutTheBundleItSaysHowToBuildIt() {
        assertThat(execute("--bundle", directory.resolve("none.jar").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("none.jar. Run `make dist`, or give --bundle.");
    }

    @Test
    void theOtherPluginNeedsItsJar() {
        assertThat(execute("--systems", "NATIVE,OBJECTS")).isEqualTo(2);
        assertThat(err.toString()).contains("Give --objects-jar");
    }

    @Test
    void anUnknownLatencyIsRefused() {
        assertThat(execute("--bundle", bundle.toString(), "--store-latency", "fast"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("Cannot find latency profile 'fast': there are zero,");
    }

    @Test
    void noRoundIsRefused() {
        assertThat(execute("--bundle", bundle.toString(), "--rounds", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("must be above 0");
    }

    @Test
    void outsideACheckoutItSaysWhatIsMissing() {
        assertThat(execute(
                        "--bundle", bundle.toString(),
                        "--python-project", directory.toString(),
                        "--cache", directory.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("Cannot run Python's programs").contains("--python-project");
    }
}
