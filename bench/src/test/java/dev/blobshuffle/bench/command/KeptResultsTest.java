package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.report.SourceTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class KeptResultsTest {
    @TempDir
    private Path checkout;

    private Path kept;

    /** A benchmark that writes a file. */
    @CommandLine.Command(name = "measure")
    static final class Measure implements Callable<Integer> {
        @CommandLine.Option(names = "--json")
        Path json;

        @Override
        public Integer call() throws IOException {
            Files.writeString(json, "{}");
            return 0;
        }
    }

    @BeforeEach
    void commitOneFile() throws Exception {
        Files.writeString(checkout.resolve("Code.java"), "1");
        kept = Files.createDirectories(checkout.resolve("docs/results")).resolve("result.json");
        git("init", "-q");
        git("add", "Code.java");
        git("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "-m", "Begin");
    }

    private void git(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("git", "-C", checkout.toString()));
        command.addAll(List.of(words));
        Process git = new ProcessBuilder(command).inheritIO().start();
        assertThat(git.waitFor()).isZero();
    }

    private int measure(Path file, StringWriter said) {
        PrintWriter writer = new PrintWriter(said);
        return new CommandLine(new Measure())
                .setErr(writer)
                .setOut(writer)
                .setExecutionStrategy(KeptResults.checked(new CommandLine.RunLast()))
                .execute("--json", file.toString());
    }

    @Test
    void aResultOfACommitIsKept() {
        assertThat(measure(kept, new StringWriter())).isZero();
        assertThat(kept).exists();
        assertThat(measure(kept, new StringWriter())).as("after another result").isZero();
        assertThat(new SourceTree(checkout).commit()).get().asString().matches("[0-9a-f]{8,}");
    }

    @Test
    void aResultOfChangedCodeIsRefusedBeforeItIsMeasured() throws IOException {
        Files.writeString(checkout.resolve("Code.java"), "2");
        StringWriter said = new StringWriter();

        assertThat(measure(kept, said)).isEqualTo(2);
        assertThat(kept).doesNotExist();
        assertThat(said.toString())
                .contains("Cannot write", "result.json", "Code.java", "Commit them, or write the result elsewhere.");
        assertThat(new SourceTree(checkout).commit()).get().asString().endsWith("+");
    }

    @Test
    void aResultOfNewCodeIsRefusedToo() throws IOException {
        Files.writeString(checkout.resolve("New.java"), "1");

        assertThat(KeptResults.refusal(kept)).get().asString().contains("New.java");
        assertThat(KeptResults.refusal(checkout.resolve("docs/plots/sub"))).isPresent();
    }

    @Test
    void changedCodeMayWriteElsewhere() throws IOException {
        Files.writeString(checkout.resolve("Code.java"), "2");

        assertThat(measure(checkout.resolve("result.json"), new StringWriter())).isZero();
    }

    @Test
    void everyCommandOfBenchIsChecked() {
        List<String> unknown = new ArrayList<>();
        collect(BenchCommand.commandLine(), unknown);

        assertThat(unknown).as("options for files that nothing checks").isEmpty();
    }

    private static void collect(CommandLine command, List<String> unknown) {
        assertThat(command.getExecutionStrategy()).isNotInstanceOf(CommandLine.RunLast.class);
        command.getCommandSpec().options().stream()
                .filter(option -> option.type() == Path.class && !KeptResults.isKnown(option.longestName()))
                .forEach(option -> unknown.add(command.getCommandName() + " " + option.longestName()));
        command.getSubcommands().values().forEach(sub -> collect(sub, unknown));
    }
}
