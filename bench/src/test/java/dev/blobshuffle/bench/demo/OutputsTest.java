package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OutputsTest {
    private static final Outputs OUTPUTS =
            new Outputs(Map.of("light", 3L, "ray", 1L), Map.of("light@0 = 2", 1L), Map.of("light = a ray", 2L));

    @Test
    void equalOutputsHaveNoDifferences() {
        assertThat(Outputs.differences(OUTPUTS, OUTPUTS, 5)).isEmpty();
        assertThat(OUTPUTS.count()).isEqualTo(5);
    }

    @Test
    void anotherLastValueOfATableIsFound() {
        Outputs other = new Outputs(Map.of("light", 2L, "ray", 1L), OUTPUTS.minutes(), OUTPUTS.quotations());

        assertThat(Outputs.differences(OUTPUTS, other, 5))
                .containsExactly("counts, value of \"light\": native 3, BlobShuffle 2");
    }

    @Test
    void aLostWindowIsFound() {
        Outputs other = new Outputs(OUTPUTS.counts(), Map.of(), OUTPUTS.quotations());

        assertThat(Outputs.differences(OUTPUTS, other, 5))
                .containsExactly("minutes, times of \"light@0 = 2\": native 1, BlobShuffle none");
    }

    @Test
    void aDoubledJoinResultIsFound() {
        Outputs other = new Outputs(OUTPUTS.counts(), OUTPUTS.minutes(), Map.of("light = a ray", 3L));

        assertThat(Outputs.differences(OUTPUTS, other, 5))
                .containsExactly("quotations, times of \"light = a ray\": native 2, BlobShuffle 3");
    }

    @Test
    void noMoreThanTheLimitIsListed() {
        Outputs other = new Outputs(Map.of(), Map.of(), Map.of());

        assertThat(Outputs.differences(OUTPUTS, other, 2)).hasSize(2);
    }
}
