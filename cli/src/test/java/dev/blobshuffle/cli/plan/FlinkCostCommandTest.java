package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FlinkCostCommandTest {
    private static final Path PAGE = Path.of("..", "docs", "guides", "planner.md");
    private static final String BEGIN = "<!-- begin: plan flink -->\n";
    private static final String END = "<!-- end: plan flink -->\n";

    /** The options of the guide's example. */
    private static final List<String> EXAMPLE =
            List.of("--throughput", "1GiB/s", "--task-managers", "6", "--parallelism", "24");

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int cost(List<String> arguments, String... more) {
        CommandLine plan =
                new CommandLine(new PlanCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return plan.execute(Stream.of(Stream.of("flink"), arguments.stream(), Stream.of(more))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    @Test
    void thePageHasTheTableOfTheModel() throws IOException {
        assertThat(cost(EXAMPLE)).as(err::toString).isZero();
        String page = Files.readString(PAGE);
        assertThat(page).contains(BEGIN, END, "./blobshuffle plan flink " + String.join(" ", EXAMPLE));
        String expected = page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
                + "\n"
                + out
                + "\n"
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("docs/guides/planner.md has the model's table; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=FlinkCostCommandTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }

    @Test
    void jsonAddsUp() throws IOException {
        Path file = directory.resolve("cost.json");
        cost(EXAMPLE, "--json", file.toString());
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        for (String way : List.of("native", "blobs")) {
            JsonNode cost = json.path(way);
            double sum = Stream.of("crossing_usd", "requests_usd", "storage_usd", "cpu_usd")
                    .mapToDouble(part -> cost.path(part).asDouble())
                    .sum();
            assertThat(cost.path("total_usd").asDouble()).isPositive().isCloseTo(sum, within(0.002));
        }
        assertThat(json.path("verdict").asText()).isEqualTo("pays");
    }

    @Test
    void oneZoneIsAdvisedAgainst() {
        assertThat(cost(EXAMPLE, "--zones", "1")).isEqualTo(1);
        assertThat(out.toString()).contains("Do not use blobs: all TaskManagers are in one zone");
    }

    @Test
    void freeCrossingsAreAdvisedAgainst() {
        assertThat(cost(EXAMPLE, "--provider", "azure")).isEqualTo(1);
        assertThat(out.toString()).contains("Do not use blobs: the provider does not charge");
    }

    @Test
    void expensiveProcessorsAreAdvisedAgainst() {
        assertThat(cost(EXAMPLE, "--cpu-per-gib", "5000")).isEqualTo(1);
        assertThat(out.toString()).contains("Do not use blobs: a byte through the store costs more");
    }

    @Test
    void smallBlobsAreAdvisedAgainst() {
        List<String> small = List.of("--throughput", "1MiB/s", "--task-managers", "30", "--parallelism", "120");
        assertThat(cost(small)).isEqualTo(1);
        assertThat(out.toString()).containsPattern("Do not use blobs: they have 11 KiB and pay from [0-9,]+ KiB");
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThat(cost(EXAMPLE, "--zones", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--zones is 0");
        assertThat(cost(List.of("--throughput", "1GiB/s"))).isEqualTo(2);
        assertThat(err.toString()).contains("--task-managers");
    }
}
