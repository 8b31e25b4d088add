package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine commandLine =
            Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @Test
    void demoAndBenchStandBesideTheTools() {
        assertThat(commandLine.execute("help")).isZero();
        assertThat(out.toString()).contains("demo", "bench", "doctor").doesNotContain("source checkout");
    }

    @Test
    void wrongOptionsAreExplainedWithoutTheWholeUsage() {
        assertThat(commandLine.execute("bench", "shuffle", "--gib", "much")).isEqualTo(2);
        assertThat(err.toString())
                .contains("'much'", "Try 'blobshuffle bench shuffle --help'.")
                .doesNotContain("Usage:");
    }

    @Test
    void benchWithoutACommandPrintsItsUsage() {
        assertThat(commandLine.execute("bench")).isEqualTo(2);
        assertThat(err.toString()).contains("Usage: blobshuffle bench");
    }
}
