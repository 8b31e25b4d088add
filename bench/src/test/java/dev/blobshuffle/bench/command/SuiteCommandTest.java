package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class SuiteCommandTest {
    private static final SuitePlan SOUND = new SuitePlan("sound", 1, "what there is", "run --list");
    private static final SuitePlan WRONG = new SuitePlan("wrong", 1, "nothing", "run --list --nonsense");
    private static final SuitePlan LAST = new SuitePlan("last", 1, "what there is", "run --list");

    @TempDir
    private Path directory;

    private final StringWriter text = new StringWriter();

    private int run(String... arguments) {
        PrintWriter out = new PrintWriter(text);
        return new CommandLine(new SuiteCommand(List.of(SOUND, WRONG, LAST)))
                .setOut(out)
                .setErr(out)
                .execute(arguments);
    }

    @Test
    void whatFailsKeepsNothingElseFromRunning() throws IOException {
        assertThat(run("--out", directory.toString())).isEqualTo(1);

        assertThat(text.toString())
                .contains("[1/3] sound", "[2/3] wrong", "[3/3] last", "Unknown option: '--nonsense'", "FAILED: wrong");
        assertThat(directory.resolve("last/output.txt")).content().contains("store-latency");
        assertThat(directory.resolve("index.html"))
                .content()
                .contains("href=\"sound/output.txt\"", "wrong (failed, or not at its end)", "<h2>last</h2>");
    }

    @Test
    void whatWentThroughIsNotRunAgainUnlessItChanges() throws IOException {
        run("--out", directory.toString());
        text.getBuffer().setLength(0);

        run("--out", directory.toString());
        assertThat(text.toString()).contains("1 of 3 plan(s)", "[1/1] wrong");

        Files.writeString(directory.resolve("last/done"), "parameters --of-an-earlier-version");
        assertThat(run("--out", directory.toString(), "last")).isZero();
        assertThat(text.toString()).contains("[1/1] last");

        text.getBuffer().setLength(0);
        assertThat(run("--out", directory.toString(), "--again", "sound", "last"))
                .isZero();
        assertThat(text.toString()).contains("[1/2] sound", "[2/2] last");
    }

    @Test
    void plansThatDoNotExistAreRefused() {
        assertThat(run("--out", directory.toString(), "nothing")).isEqualTo(2);
        assertThat(text.toString()).contains("there is no such plan", "sound, wrong, last");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void resultsThatCannotBeWrittenAreAnError() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "in the way");

        assertThat(run("--out", file.toString())).isEqualTo(1);
        assertThat(text.toString()).contains("Cannot write results to " + file, "Give another --out");
    }

    static List<SuitePlan> plans() {
        return SuitePlan.ALL;
    }

    @ParameterizedTest
    @MethodSource("plans")
    void everyPlanIsACommandWithParametersThatExist(SuitePlan plan) {
        ParseResult parsed = BenchCommand.commandLine()
                .parseArgs(plan.words().toArray(String[]::new))
                .subcommand();
        parsed = parsed.hasSubcommand() ? parsed.subcommand() : parsed;

        RunOptions options = new RunOptions();
        options.with = parsed.matchedOptionValue("--with", List.of());
        List<String> varied = parsed.matchedOptionValue("--vary", List.of());
        assertThatCode(() -> RunCommand.cells(options.parameters(Parameters.defaults()), varied))
                .doesNotThrowAnyException();
    }

    @Test
    void docsHaveTheTableOfPlans() throws IOException {
        String rows = SuitePlan.ALL.stream().map(SuitePlan::row).collect(Collectors.joining("\n"));

        assertThat(Files.readString(Path.of("..", "docs", "benchmarks", "running.md")))
                .withFailMessage("docs/benchmarks/running.md has other plans than the suite. Its table is:\n" + rows)
                .contains(rows);
    }
}
