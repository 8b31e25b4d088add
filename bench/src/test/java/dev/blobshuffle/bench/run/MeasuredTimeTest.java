package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameters;
import org.junit.jupiter.api.Test;

/** When a run says nothing, and what to do then. */
class MeasuredTimeTest {
    private static final Parameters AT_A_RATE = Parameters.defaults()
            .with("rate", "500")
            .with("warm-up-seconds", "3")
            .with("seconds", "20");

    @Test
    void recordsInMostOfTheTimeSaySomething() {
        assertThat(new MeasuredTime(19.9, 1, 1, 0).problem(AT_A_RATE)).isEmpty();
        assertThat(new MeasuredTime(0.1, 1, 1, 0).problem(Parameters.defaults()))
                .as("as fast as it goes it takes as long as it takes")
                .isEmpty();
    }

    @Test
    void withFaultsOnlyTheOutputCounts() {
        Parameters faults = AT_A_RATE.with("store-faults", "1");

        assertThat(new MeasuredTime(0.1, 1, 1, 0).problem(faults)).isEmpty();
        assertThat(new MeasuredTime(14.2, 700, 0, 4000).problem(faults))
                .as("sessions and transactions of what was killed timed out for the whole time")
                .isEmpty();
    }

    @Test
    void timeThatWasAlmostOverWhenItBeganIsNotMeasured() {
        assertThat(new MeasuredTime(2.1, 500, 68, 9000).problem(AT_A_RATE))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("of 20 s 2.1", "--with warm-up-seconds=6 --with seconds=40"));
    }

    @Test
    void timeWithoutRecordsIsNotMeasured() {
        assertThat(new MeasuredTime(20, 7, 0, 9000).problem(AT_A_RATE))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("7 records before", "9000 afterwards", "seconds=40"));
        assertThat(new MeasuredTime(0, 7, 0, 0).problem(Parameters.defaults().with("records", "5")))
                .hasValueSatisfying(text -> assertThat(text).contains("--with records=20"));
    }
}
