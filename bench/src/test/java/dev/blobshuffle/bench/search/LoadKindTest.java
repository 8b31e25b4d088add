package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadKindTest {
    @Test
    void eachSensorSendsARecordPerSecond() {
        Parameters parameters = LoadKind.SENSORS.over(Parameters.defaults(), 300);
        assertThat(parameters.number(Parameter.RATE)).isEqualTo(300);
        assertThat(parameters.number(Parameter.KEYS)).isEqualTo(300);
    }

    @Test
    void groupsHaveFourToTheirPowerSensors() {
        Parameters parameters = LoadKind.GROUPS.over(Parameters.defaults(), 5);
        assertThat(parameters.number(Parameter.RATE)).isEqualTo(1024);
        assertThat(parameters.number(Parameter.GROUPS)).isEqualTo(5);
        assertThat(LoadKind.GROUPS.recordsPerSecond(5)).isEqualTo(1024);
    }

    @Test
    void aRateLeavesTheSensorsAsTheyAre() {
        Parameters parameters = LoadKind.RATE.over(Parameters.defaults(), 300);
        assertThat(parameters.number(Parameter.RATE)).isEqualTo(300);
        assertThat(parameters.number(Parameter.KEYS)).isEqualTo(1000);
    }

    @Test
    void whatAWorkloadDoesNotHaveIsRefusedWithTheRemedy() {
        LoadKind.RATE.check("uc4", List.of(64L));
        LoadKind.GROUPS.check("uc4", List.of(3L));
        LoadKind.SENSORS.check("uc3", List.of(3000L));
        assertThatThrownBy(() -> LoadKind.SENSORS.check("uc4", List.of(1L)))
                .hasMessageContaining("Give groups or rate.");
        assertThatThrownBy(() -> LoadKind.GROUPS.check("uc3", List.of(1L)))
                .hasMessageContaining("Give sensors or rate.");
        assertThatThrownBy(() -> LoadKind.GROUPS.check("uc4", List.of(11L))).hasMessageContaining("Give 1 to 10.");
        assertThatThrownBy(() -> LoadKind.RATE.check("uc3", List.of(0L))).hasMessageContaining("Give 1 or more.");
        assertThatThrownBy(() -> LoadKind.named("keys")).hasMessageContaining("Give one of rate, sensors, groups.");
    }
}
