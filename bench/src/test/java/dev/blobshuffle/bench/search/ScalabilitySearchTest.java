package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Demand and capacity of a system in which each instance carries 100 records per second. */
class ScalabilitySearchTest {
    private final List<String> measured = new ArrayList<>();

    private ScalabilitySearch search(Strategy strategy) {
        return new ScalabilitySearch(
                List.of(50L, 150L, 350L, 900L), List.of(1L, 2L, 3L, 4L), strategy, (load, number) -> {
                    measured.add(load + "/" + number);
                    return load <= 100 * number;
                });
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void demandIsTheLeastThatHolds(Strategy strategy) throws Exception {
        for (ScalabilitySearch.Restriction restriction : ScalabilitySearch.Restriction.values()) {
            assertThat(search(strategy).demand(restriction))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            50L, OptionalLong.of(1),
                            150L, OptionalLong.of(2),
                            350L, OptionalLong.of(4),
                            900L, OptionalLong.empty()));
        }
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void capacityIsTheLargestThatHolds(Strategy strategy) throws Exception {
        for (ScalabilitySearch.Restriction restriction : ScalabilitySearch.Restriction.values()) {
            assertThat(search(strategy).capacity(restriction))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            1L, OptionalLong.of(50),
                            2L, OptionalLong.of(150),
                            3L, OptionalLong.of(150),
                            4L, OptionalLong.of(350)));
        }
    }

    @Test
    void lowerBoundSavesExperimentsAndNoneIsRunTwice() throws Exception {
        search(Strategy.LINEAR).demand(ScalabilitySearch.Restriction.NONE);
        int without = measured.size();
        measured.clear();
        search(Strategy.LINEAR).demand(ScalabilitySearch.Restriction.LOWER_BOUND);

        assertThat(measured).hasSizeLessThan(without).doesNotHaveDuplicates();
    }

    @Test
    void smallestLoadThatIsTooMuchHasNoCapacity() throws Exception {
        ScalabilitySearch search =
                new ScalabilitySearch(List.of(10L), List.of(1L), Strategy.BINARY, (load, number) -> false);

        assertThat(search.capacity(ScalabilitySearch.Restriction.NONE)).containsValue(OptionalLong.empty());
        assertThat(search.demand(ScalabilitySearch.Restriction.LOWER_BOUND)).containsValue(OptionalLong.empty());
    }

    @Test
    void fullSearchShowsWhereMoreInstancesCarriedLess() throws Exception {
        ScalabilitySearch search =
                new ScalabilitySearch(List.of(10L), List.of(1L, 2L, 3L), Strategy.FULL, (load, number) -> number != 2);

        search.demand(ScalabilitySearch.Restriction.NONE);

        assertThat(search.oddities()).singleElement().asString().contains("1").contains("2");
    }

    @Test
    void unknownStrategyAndNothingToSearchAreRefused() {
        assertThatThrownBy(() -> Strategy.named("guess")).hasMessageContaining("binary");
        assertThatThrownBy(() -> new ScalabilitySearch(List.of(), List.of(1L), Strategy.FULL, (load, number) -> true))
                .hasMessageContaining("no loads");
    }

    @Test
    void filesAreThoseOfTheodolite(@TempDir Path directory) throws Exception {
        TheodoliteFiles.open(directory);
        TheodoliteFiles files = TheodoliteFiles.open(directory);
        files.add(50, 1, true);
        files.writeConfiguration(Map.of("name", "uc3"), Map.of("metric", "demand"));
        files.writeDemand(search(Strategy.LINEAR).demand(ScalabilitySearch.Restriction.NONE));

        assertThat(files.id()).isEqualTo(1);
        assertThat(Files.readString(directory.resolve("expID.txt"))).isEqualTo("2");
        assertThat(Files.readString(directory.resolve("exp1_demand.csv")))
                .isEqualTo("load,resources\n50,1\n150,2\n350,4\n900,null\n");
        assertThat(Files.readString(directory.resolve("exp1-result.json")))
                .isEqualTo(
                        "{\"metric\":\"demand\",\"experimentResults\":[{\"load\":50,\"resources\":1,\"result\":true}]}");
        assertThat(directory.resolve("exp1-benchmark-configuration.json")).exists();
        assertThat(directory.resolve("exp1-execution-configuration.json")).exists();
    }
}
