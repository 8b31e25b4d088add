package dev.blobshuffle.bench.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.junit.jupiter.api.Test;

/** Which records a run's latencies and counters cover. */
class MeasuredWindowTest {
    private final Recorder recorder = new Recorder(3);
    private double puts;
    private final MeasuredWindow window = new MeasuredWindow(
            () -> new Counters(Map.of("puts", puts)), Map.of("latencies", recorder::getIntervalHistogram));

    private void record(long micros) {
        recorder.recordValue(micros);
        puts++;
    }

    @Test
    void warmUpAndDrainAreLeftOut() {
        record(9_000_000);
        window.begin();
        record(1000);
        record(2000);
        window.end();
        record(24_000_000);

        Properties measured = window.measured();

        Histogram latencies = Histograms.parse(measured.getProperty("latencies"));
        assertThat(latencies.getTotalCount()).isEqualTo(2);
        assertThat(latencies.getMaxValue()).isLessThan(3000);
        assertThat(measured).containsEntry("puts", "2.0");
    }

    @Test
    void windowThatNobodyEndedGoesToTheStop() {
        window.begin();
        record(1000);

        assertThat(Histograms.parse(window.measured().getProperty("latencies")).getTotalCount())
                .isEqualTo(1);
    }

    @Test
    void instanceThatStartedLateMeasuresFromItsStart() {
        record(1000);
        window.end();
        record(2000);

        assertThat(window.measured()).containsEntry("puts", "1.0");
    }
}
