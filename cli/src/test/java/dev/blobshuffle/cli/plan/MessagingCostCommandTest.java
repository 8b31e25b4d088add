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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MessagingCostCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int cost(String... arguments) {
        CommandLine plan =
                new CommandLine(new PlanCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] all = new String[arguments.length + 1];
        all[0] = "messaging";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return plan.execute(all);
    }

    @Test
    void theTableSaysWhoseClientsAreLeftOut() {
        cost();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .contains("leave the clients' CPU out", "| clients' CPU | left out | left out |")
                .contains("| price.put | 0.005 | USD/1000 requests | AWS us-east-1, S3 Standard")
                .contains("| ours.databases | 2 | machines |");
    }

    @Test
    void theStatusSaysWhetherTheGoalIsReached() {
        assertThat(cost("--cpu-per-gib", "1")).isZero();
        assertThat(out.toString()).contains("USD/year is reached");
        assertThat(cost("--cpu-per-gib", "500")).isOne();
        assertThat(out.toString()).contains("USD/year is **missed**");
    }

    @Test
    void jsonAddsUp() throws IOException {
        Path file = directory.resolve("cost.json");
        cost("--set", "load.groups=1", "--json", file.toString());
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        for (String system : new String[] {"classic", "inkless", "blobshuffle"}) {
            double sum = 0;
            for (String part : new String[] {"requests", "crossing", "brokers", "database", "storage", "clients"}) {
                sum += json.path(system).path(part + "_usd").asDouble();
            }
            assertThat(json.path(system).path("total_usd").asDouble())
                    .isPositive()
                    .isCloseTo(sum, within(1.0));
        }
        assertThat(json.path("classic").path("clients_included").asBoolean()).isFalse();
        assertThat(json.path("blobshuffle").path("clients_included").asBoolean())
                .isTrue();
        assertThat(json.path("assumptions").findValuesAsText("name")).contains("load.groups");
    }

    @ParameterizedTest
    @CsvSource({
        "load.grops=1, there is no assumption of this name",
        "load.groups=-1, Give a number from 0.0",
        "load.groups=NaN, Give a number from 0.0",
        "load.groups=many, is not a number",
        "ours.hedged=1.5, to 1.0",
        "load.zones=0, Give a number from 1.0",
        "load.groups, it is not NAME=VALUE"
    })
    void aWrongValueIsAnError(String value, String message) {
        assertThat(cost("--set", value)).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aWrongFileIsAnError() throws IOException {
        assertThat(cost("--assumptions", directory.resolve("none").toString())).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot read assumptions from");
        Path empty = Files.writeString(directory.resolve("empty"), "");
        assertThat(cost("--assumptions", empty.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("there is no value for load.published");
    }
}
