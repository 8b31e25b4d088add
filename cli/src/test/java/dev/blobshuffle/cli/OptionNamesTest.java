package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Options are alike in all commands, and those that others replaced still work. */
class OptionNamesTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private static Stream<OptionSpec> options() {
        return commands(Main.commandLine()).flatMap(command -> command.getCommandSpec().options().stream());
    }

    /** Those at all depths below one. */
    private static Stream<CommandLine> commands(CommandLine above) {
        return above.getSubcommands().values().stream()
                .flatMap(command -> Stream.concat(Stream.of(command), commands(command)));
    }

    @Test
    void noVisibleOptionHasItsUnitInItsName() {
        assertThat(options().filter(option -> !option.hidden()))
                .extracting(OptionSpec::longestName)
                .isNotEmpty()
                .noneMatch(
                        name -> name.matches("--(delete|dry-run|mib|command-config)|.*-(seconds|minutes|bytes|ms).*"));
    }

    @Test
    void everyHiddenOptionSaysWhatReplacesIt() {
        List<OptionSpec> hidden = options().filter(OptionSpec::hidden).toList();
        assertThat(hidden)
                .extracting(OptionSpec::longestName)
                .contains("--delete", "--grace-seconds", "--objection-seconds", "--timeout-seconds", "--mib")
                .contains("--batch-bytes", "--inline-bytes", "--command-config");
        assertThat(hidden).allMatch(option -> option.description()[0].startsWith("Deprecated: "));
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
    void aFormerOptionWorksAndSaysWhatReplacesIt() {
        assertThat(gc("--grace-seconds", "3599")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--grace-seconds is deprecated: use --grace, with a unit.", "--grace is 3599s");
        assertThat(gc("--grace", "3599s")).isEqualTo(2);
        assertThat(err.toString()).contains("--grace is 3599s").doesNotContain("deprecated");
        assertThat(gc("--objection-seconds", "179")).isEqualTo(2);
        assertThat(err.toString()).contains("--objection is 179s");
        assertThat(gc("--grace", "1h", "--grace-seconds", "3600")).isEqualTo(2);
        assertThat(err.toString()).contains("Give --grace alone.");
    }

    @Test
    void deleteIsExecute() {
        for (String word : List.of("--delete", "--execute")) {
            assertThat(gc(word, "--dry-run")).isEqualTo(2);
            assertThat(err.toString()).contains("--execute and --dry-run contradict each other");
            assertThat(gc("--only-cluster", word, "--grace", "1s")).isEqualTo(2);
            assertThat(err.toString()).contains("--grace is 1s");
        }
        assertThat(gc("--only-cluster")).isEqualTo(2);
        assertThat(err.toString()).contains("--execute is not given");
    }

    @Test
    void aBareTimeIsWrongUsage() {
        assertThat(gc("--grace", "3600")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot read '3600': it has no unit. Give a time such as");
    }

    @Test
    void aBareSizeIsReadAndItsUnitNamed() {
        assertThat(run("plan", "--throughput", "1MiB/s", "--record-size", "1000", "--json"))
                .isZero();
        assertThat(err.toString()).contains("--record-size 1000 has no unit: write 1000B.");
        assertThat(out.toString()).startsWith("{");
    }

    @Test
    void formerOptionsOfPlanPriceTheSame() {
        assertThat(run("plan", "--throughput", "1MiB/s", "--batch-size", "1MiB", "--delay", "1s", "--json"))
                .isZero();
        String now = out.toString();
        assertThat(run("plan", "--throughput", "1MiB/s", "--batch-bytes", "1MiB", "--delay", "1s", "--json"))
                .isZero();
        assertThat(out.toString()).isEqualTo(now).contains("1048576");
        assertThat(err.toString()).contains("--batch-bytes is deprecated");
    }

    @Test
    void doctorTakesFormerOptions() {
        String store = "file://" + directory;
        assertThat(run("doctor", "--store", store, "--create", "--execute", "--samples", "1", "--mib", "1"))
                .isZero();
        assertThat(out.toString()).contains("1 of 1.0 MiB");
        assertThat(err.toString()).contains("--mib is deprecated: use --blob-size, with a unit.");
        assertThat(run("doctor", "--store", store, "--mib", "65")).isEqualTo(2);
        assertThat(err.toString()).contains("--blob-size 1B to 64MiB");
        assertThat(run("doctor", "--store", store, "--timeout-seconds", "0")).isEqualTo(2);
    }

    @Test
    void noStoreAndNoBrokersAreWrongUsage() {
        assertThat(run("gc", "--bootstrap", "127.0.0.1:1")).isEqualTo(2);
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
