package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs a command of {@code plan} that compares costs, whose example is in the planner's guide. */
abstract class CostCommandFixture {
    private static final Path PAGE = Path.of("..", "docs", "guides", "planner.md");

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    private final String command;

    CostCommandFixture(String command) {
        this.command = command;
    }

    final int cost(List<String> arguments, String... more) {
        CommandLine plan =
                new CommandLine(new PlanCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return plan.execute(Stream.of(Stream.of(command), arguments.stream(), Stream.of(more))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    /** The guide has what the command prints for the options of its example. */
    final void assertPageHasTable(List<String> example) throws IOException {
        assertThat(cost(example)).as(err::toString).isZero();
        String begin = "<!-- begin: plan " + command + " -->\n";
        String end = "<!-- end: plan " + command + " -->\n";
        String page = Files.readString(PAGE);
        assertThat(page).contains(begin, end, "./blobshuffle plan " + command + " " + String.join(" ", example));
        String expected = page.substring(0, page.indexOf(begin) + begin.length())
                + "\n"
                + out
                + "\n"
                + page.substring(page.indexOf(end));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("docs/guides/planner.md has the model's table; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=" + getClass().getSimpleName()
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }
}
