package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Checks that all commands name and parse their options alike. */
class OptionNamesTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private static Stream<OptionSpec> options() {
        return commands(Main.commandLine()).flatMap(command -> command.getCommandSpec().options().stream());
    }

    /** The commands at all levels below this one. */
    private static Stream<CommandLine> commands(CommandLine above) {
        return above.getSubcommands().values().stream()
                .flatMap(command -> Stream.concat(Stream.of(command), commands(command)));
    }

    @Test
    void noOptionHasItsUnitInItsName() {
        assertThat(options())
                .extracting(OptionSpec::longestName)
                .isNotEmpty()
                .noneMatch(name -> name.matches(".*-(seconds|minutes|bytes|ms).*"));
    }

    /** The list of commands shows only the first line of a description. */
    @Test
    void theFirstLineOfEachCommandIsASentence() {
        assertThat(commands(Main.commandLine())
                        .map(CommandLine::getCommandSpec)
                        .filter(command -> !command.name().equals("help")))
                .isNotEmpty()
                .allSatisfy(command -> assertThat(command.usageMessage().description()[0])
                        .as(command.qualifiedName())
                        .endsWith("."));
    }

    @Test
    void timesAreReadByTheirConverter() {
        assertThat(options().filter(option -> option.type() == Duration.class))
                .isNotEmpty()
                .allMatch(option -> option.converters().length == 1);
    }

    @Test
    void whatChangesSomethingHasExecute() {
        assertThat(options().filter(option -> option.longestName().equals("--execute")))
                .extracting(option -> option.command().qualifiedName())
                .containsExactlyInAnyOrder(
                        "blobshuffle doctor",
                        "blobshuffle gc",
                        "blobshuffle skip",
                        "blobshuffle messaging setup",
                        "blobshuffle messaging topics change",
                        "blobshuffle messaging topics delete",
                        "blobshuffle messaging groups seek",
                        "blobshuffle messaging groups delete",
                        "blobshuffle messaging gc");
    }

    @Test
    void aBareTimeIsWrongUsage() {
        assertThat(gc("--grace", "3600")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot read '3600': it has no unit. Give a time such as");
    }

    @Test
    void aBareSizeCountsBytes() {
        assertThat(run("plan", "--throughput", "1MiB/s", "--record-size", "1000B", "--json"))
                .isZero();
        String withUnit = out.toString();
        assertThat(run("plan", "--throughput", "1MiB/s", "--record-size", "1000", "--json"))
                .isZero();
        assertThat(out.toString()).isEqualTo(withUnit).startsWith("{");
    }

    @Test
    void noStoreAndNoBrokersAreWrongUsage() {
        assertThat(run("gc", "--bootstrap", "127.0.0.1:1")).isEqualTo(2);
        assertThat(run("gc", "--bootstrap-server", "127.0.0.1:1"))
                .as("as Kafka's own commands name it")
                .isEqualTo(2);
        assertThat(run("skip", "--store", "file://" + directory, "--group", "g", "--topic", "t"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("Give --bootstrap, or --config or --profile with bootstrap.servers.");
        assertThat(run("cache", "--zone", "a", "--listen", "127.0.0.1:0", "--capacity", "1MiB"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("Give --store, or --config or --profile with blobshuffle.store.");
        assertThat(run("drained", "--application-id", "a")).isEqualTo(2);
        assertThat(run("doctor")).isEqualTo(2);
    }

    @Test
    void noLogIsWrongUsage() {
        assertThat(run("messaging", "topics", "list")).isEqualTo(2);
        assertThat(err.toString()).contains("Give --log, or --config or --profile with blobshuffle.log.");
        assertThat(run("messaging", "setup", "--log", "postgresql://app:secret@db/app"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("it holds a user").doesNotContain("secret");
        assertThat(run("messaging")).isEqualTo(2);
        assertThat(run("messaging", "groups")).isEqualTo(2);
    }

    private int gc(String... more) {
        String[] first = {"gc", "--bootstrap", "127.0.0.1:1", "--store", "file://" + directory};
        return run(Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new));
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine command = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(arguments);
    }
}
