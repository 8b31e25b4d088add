package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetentionAdviceTest {
    @Test
    void defaultsKeepWhatIsNeededAndDeleteTheRest() {
        Finding finding = RetentionAdvice.of(Map.of());
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.toString()).contains("every 60 min");
    }

    @Test
    void aLowerFloorIsNamed() {
        assertThat(RetentionAdvice.of(Map.of("blobshuffle.retention.floor.ms", "600000"))
                        .toString())
                .contains("every 60 min, from an age of 10 min on");
        assertThat(RetentionAdvice.of(Map.of()).toString()).doesNotContain("from an age");
    }

    @Test
    void timeToLiveMayTakeWhatSomebodyComesFor() {
        Finding finding = RetentionAdvice.of(Map.of("blobshuffle.retention", "86400000"));
        assertThat(finding.level()).isEqualTo(Level.HINT);
        assertThat(finding.remedy().orElseThrow()).contains("no reader lags that long");
    }

    @Test
    void whoeverSweepsNothingHearsOfTheCommand() {
        Finding finding = RetentionAdvice.of(Map.of("blobshuffle.sweep.interval.ms", "0"));
        assertThat(finding.level()).isEqualTo(Level.HINT);
        assertThat(finding.remedy().orElseThrow()).contains("blobshuffle gc");
    }
}
