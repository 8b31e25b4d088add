package dev.blobshuffle.cli;

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
    void versionNamesTheProgramKafkaAndTheJvm() {
        assertThat(commandLine.execute("--version")).isZero();
        assertThat(out.toString().lines())
                .satisfiesExactly(
                        program -> assertThat(program).startsWith("blobshuffle "),
                        kafka -> assertThat(kafka).matches("kafka-clients [0-9]+[.][0-9]+[.][0-9]+"),
                        java -> assertThat(java).isEqualTo("Java " + Runtime.version()));
    }

    @Test
    void helpListsTheCommands() {
        assertThat(commandLine.execute("help")).isZero();
        assertThat(out.toString()).contains("Usage: blobshuffle", "help");
    }

    @Test
    void unknownCommandIsWrongUsage() {
        assertThat(commandLine.execute("no-such-command")).isEqualTo(2);
        assertThat(err.toString()).contains("no-such-command");
    }

    @Test
    void aWrongOptionIsToldWithoutAllTheUsage() {
        assertThat(commandLine.execute("plan", "--throughput", "100MiB")).isEqualTo(2);
        assertThat(err.toString())
                .contains("Cannot read '100MiB'. Give a rate", "Try 'blobshuffle plan --help'.")
                .doesNotContain("Usage:");
    }

    @Test
    void helpHidesNoUnknownOption() {
        assertThat(commandLine.execute("plan", "--help", "--no-such-option")).isEqualTo(2);
        assertThat(err.toString()).contains("Unknown option: '--no-such-option'");
        assertThat(out.toString()).isEmpty();
        assertThat(commandLine.execute("plan", "--help")).isZero();
    }

    @Test
    void noCommandPrintsTheUsageAndIsWrongUsage() {
        assertThat(commandLine.execute()).isEqualTo(2);
        assertThat(err.toString()).contains("Usage: blobshuffle");
    }

    @Test
    void helpOfEachCommandPrintsNoJavaAndFitsItsWidth() {
        help(commandLine);
    }

    private void help(CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        int width = command.getUsageHelpWidth();
        assertThat(command.getUsageMessage())
                .as(name)
                .doesNotContain("Optional.empty", "Optional[", "dev.blobshuffle.cli")
                .satisfies(text -> assertThat(
                                text.lines().mapToInt(String::length).max().orElse(0))
                        .isLessThanOrEqualTo(width));
        // Otherwise picocli breaks a line of the description again and leaves one or two words.
        for (String line : command.getCommandSpec().usageMessage().description()) {
            assertThat(line.length()).as(name + ": " + line).isLessThanOrEqualTo(width);
        }
        assertThat(command.getCommandSpec().usageMessage().exitCodeList())
                .as(name)
                .containsOnlyKeys("0", "1", "2");
        assertThat(command.getCommandSpec().exitCodeOnInvalidInput()).as(name).isEqualTo(2);
        command.getSubcommands().values().forEach(this::help);
    }
}
