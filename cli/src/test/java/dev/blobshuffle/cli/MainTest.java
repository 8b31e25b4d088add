package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

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

    /** Otherwise picocli would keep the last group of options, and defaults for those before it. */
    @ParameterizedTest
    @ValueSource(
            strings = {"--throughput 2MiB/s", "--zones 2 --kafka msk --throughput 2MiB/s", "--kafka msk --kafka msk"})
    void anOptionOfAGroupIsGivenOnce(String more) {
        String[] arguments = ("plan --throughput 1MiB/s " + more).split(" ");
        assertThat(commandLine.execute(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains("should be specified only once", "Try 'blobshuffle plan --help'.");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void optionsOfAGroupComeInAnyOrder() {
        assertThat(commandLine.execute(
                        "plan --zones 2 --kafka msk --json --throughput 1MiB/s --target-p95 3s".split(" ")))
                .isZero();
        assertThat(out.toString()).contains("\"zones\": 2");
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
        for (OptionSpec option : command.getCommandSpec().options()) {
            Stream.of(option.description())
                    .filter(line -> option.description().length > 1 && !line.endsWith(".") && !line.contains("${"))
                    .map(line -> line.replace("%%", "%"))
                    .forEach(line -> assertThat(command.getUsageMessage().lines())
                            .as(name + " " + option.longestName())
                            .anyMatch(each -> each.endsWith(line)));
        }
        assertThat(command.getCommandSpec().usageMessage().exitCodeList())
                .as(name)
                .containsOnlyKeys("0", "1", "2");
        assertThat(command.getCommandSpec().exitCodeOnInvalidInput()).as(name).isEqualTo(2);
        command.getSubcommands().values().forEach(this::help);
    }
}
