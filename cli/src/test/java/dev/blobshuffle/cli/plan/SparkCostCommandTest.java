package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkCostCommandTest extends CostCommandFixture {
    /** The options of the guide's example. */
    private static final List<String> EXAMPLE =
            List.of("--maps", "8000", "--reducers", "2000", "--size", "1TB", "--executors", "100");

    @TempDir
    private Path directory;

    SparkCostCommandTest() {
        super("spark");
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
