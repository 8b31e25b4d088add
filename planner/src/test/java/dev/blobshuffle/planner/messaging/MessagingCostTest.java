package dev.blobshuffle.planner.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MessagingCostTest {
    private static final PriceTable AWS = PriceTables.named("aws");
    private static final double YEAR_SECONDS = 365.0 * 24 * 3600;

    private final Assumptions shipped = AssumptionsFile.shipped(AWS);

    private static String file() throws IOException {
        try (InputStream file = Objects.requireNonNull(AssumptionsFile.class.getResourceAsStream("assumptions.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Assumptions edited(UnaryOperator<String> edit) throws IOException {
        return AssumptionsFile.parse(edit.apply(file()), "edited", AWS);
    }

    /** What the printed table depends on. */
    private static List<Object> results(Assumptions given) {
        MessagingCost cost = new MessagingCost(given);
        return List.of(
                cost.classic(),
                cost.inkless(),
                cost.ours(),
                cost.clientCpuWithinGoal(),
                given.of(Quantity.CLASSIC_PUBLISHED_TOTAL),
                given.of(Quantity.INKLESS_PUBLISHED_TOTAL));
    }

    @ParameterizedTest
    @EnumSource(Quantity.class)
    void eachAssumptionMovesTheResult(Quantity quantity) {
        double other = quantity.unit().equals("share") ? shipped.of(quantity) / 2 : shipped.of(quantity) * 2 + 1;
        Assumptions changed = shipped.with(quantity.key(), Double.toString(other), "test");
        assertThat(results(changed)).isNotEqualTo(results(shipped));
    }

    @Test
    void costsAreThoseComputedByHand() {
        MessagingCost cost = new MessagingCost(shipped);
        assertThat(cost.classic().crossing()).isCloseTo(14.0 / 3 * 0.02 * YEAR_SECONDS, within(1.0));
        assertThat(cost.inkless().requests()).isCloseTo((300 * 5e-6 + 600 * 4e-7) * YEAR_SECONDS, within(1.0));
        assertThat(cost.ours().requests()).isCloseTo((64 * 1.05 * 5e-6 + 128 * 4e-7) * YEAR_SECONDS, within(1.0));
        double perCommit = 3400 * 2.0 / 3 * 25 + 721 + 1.08 * 3400;
        assertThat(cost.ours().crossing()).isCloseTo(64 * perCommit / (1 << 30) * 0.02 * YEAR_SECONDS, within(1.0));
        assertThat(cost.ours().clients().orElseThrow()).isCloseTo(14.8 * 0.087165 * 8760, within(1.0));
    }

    @Test
    void theGoalIsReachedUpToTheCpuThatItNames() {
        double cpu = new MessagingCost(shipped).clientCpuWithinGoal().orElseThrow();
        String key = Quantity.OURS_CLIENT_CPU.key();
        assertThat(new MessagingCost(shipped.with(key, Double.toString(cpu * 0.999), "test")).meetsGoal())
                .isTrue();
        assertThat(new MessagingCost(shipped.with(key, Double.toString(cpu * 1.001), "test")).meetsGoal())
                .isFalse();
    }

    @Test
    void pricesOfAnotherProviderHold() {
        Assumptions gcp = AssumptionsFile.shipped(PriceTables.named("gcp"));
        assertThat(results(gcp)).isNotEqualTo(results(shipped));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ours.blob | 16 |; ours.blub | 16 |; no assumption of this name",
                "ours.blob | 16 |; ours.blob | 0 |; the value is 0.0",
                "ours.blob | 16 |; ours.blob | -1 |; the value is -1.0",
                "ours.blob | 16 |; ours.blob | Infinity |; the value is Infinity",
                "ours.blob | 16 |; ours.blob | big |; is not a number",
                "ours.blob | 16 |; ours.blob | planner |; the table does not have it",
                "ours.blob | 16 | MiB; ours.blob | 16 | KiB; Give the value in MiB",
                "ours.blob | 16 |; ours.blob | 16; not five filled columns",
                "ours.blob | 16 |; # |; there is no value for ours.blob",
                "ours.hedged | 0.05 | share; ours.blob | 16 | MiB; it is there twice"
            })
    void aWrongLineIsAnError(String line, String wrong, String message) throws IOException {
        assertThat(file()).contains(line);
        assertThatThrownBy(() -> edited(text -> text.replace(line, wrong)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(message);
    }
}
