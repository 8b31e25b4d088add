package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkCostCommandTest extends CostCommandFixture {
    /** The options of the guide's example. */
    private static final List<String> EXAMPLE =
            List.of("--throughput", "1GiB/s", "--task-managers", "6", "--parallelism", "24");

    @TempDir
    private Path directory;

    FlinkCostCommandTest() {
        super("flink");
    }

    @Test
    void thePageHasTheTableOfTheModel() throws IOException {
        assertPageHasTable(EXAMPLE);
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
