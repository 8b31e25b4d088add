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

class SparkCostCommandTest {
    private static final Path PAGE = Path.of("..", "docs", "guides", "planner.md");
    private static final String BEGIN = "<!-- begin: plan spark -->\n";
    private static final String END = "<!-- end: plan spark -->\n";

    /** The options of the guide's example. */
    private static final List<String> EXAMPLE =
            List.of("--maps", "8000", "--reducers", "2000", "--size", "1TB", "--executors", "100");

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int cost(List<String> arguments, String... more) {
        CommandLine plan =
                new CommandLine(new PlanCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return plan.execute(Stream.of(Stream.of("spark"), arguments.stream(), Stream.of(more))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    @Test
    void thePageHasTheTableOfTheModel() throws IOException {
        assertThat(cost(EXAMPLE)).as(err::toString).isZero();
        String page = Files.readString(PAGE);
        assertThat(page).contains(BEGIN, END, "./blobshuffle plan spark " + String.join(" ", EXAMPLE));
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
                        + " -Dtest=SparkCostCommandTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }

    @Test
    void jsonAddsUp() throws IOException {
        Path file = directory.resolve("cost.json");
        cost(EXAMPLE, "--json", file.toString());
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        for (String way : List.of(
                "native", "object_per_map", "write_behind", "write_behind_zone_caches", "sync", "sync_zone_caches")) {
            JsonNode cost = json.path(way);
            double sum = cost.path("requests_usd").asDouble()
                    + cost.path("crossing_usd").asDouble();
            assertThat(cost.path("total_usd").asDouble()).isPositive().isCloseTo(sum, within(1e-9));
        }
        assertThat(json.path("native").path("maps_again_per_lost_executor").asInt())
                .isEqualTo(80);
        assertThat(json.path("write_behind")
                        .path("maps_again_per_lost_executor")
                        .asInt())
                .isZero();
    }

    @Test
    void aZoneMoreAddsBytesThatAreBilled() throws IOException {
        cost(EXAMPLE, "--zones", "1", "--json");
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.path("native").path("total_usd").asDouble()).isZero();
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThat(cost(EXAMPLE, "--cores", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--cores is 0");
        assertThat(cost(List.of("--maps", "5"))).isEqualTo(2);
        assertThat(err.toString()).contains("--reducers");
    }
}
