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
    void everyCommandNamesItsExitStatuses() {
        namesExitStatuses(commandLine);
    }

    private static void namesExitStatuses(CommandLine command) {
        assertThat(command.getCommandSpec().usageMessage().exitCodeList())
                .as(command.getCommandSpec().qualifiedName())
                .containsOnlyKeys("0", "1", "2");
        command.getSubcommands().values().forEach(MainTest::namesExitStatuses);
    }

    @Test
    void wrongOptionsAreExplainedWithoutTheWholeUsage() {
        assertThat(commandLine.execute("bench", "run", "throughput", "--gib", "much"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("'much'", "Try 'blobshuffle bench run throughput --help'.")
                .doesNotContain("Usage:");
    }

    @Test
    void namesOfValuesMayBeWrittenInSmallLetters() {
        assertThat(commandLine
                        .parseArgs("bench", "messaging", "--workload", "w.yaml", "--systems", "kafka,blobshuffle")
                        .errors())
                .isEmpty();
    }

    @Test
    void benchWithoutACommandPrintsItsUsage() {
        assertThat(commandLine.execute("bench")).isEqualTo(2);
        assertThat(err.toString()).contains("Usage: blobshuffle bench");
    }
}
