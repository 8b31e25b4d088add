package dev.blobshuffle.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SoakReportTest {
    private static final long MIB = 1 << 20;

    @Test
    void whatAlwaysGrowsIsNamed() {
        SoakReport report = report(minute -> 10 * MIB, minute -> minute * MIB, minute -> 100);

        assertThat(report.grown()).singleElement().asString().startsWith("writer: ");
        assertThat(report.text()).contains("GREW: writer");
    }

    @Test
    void whatFillsInTheFirstHalfAndThenVariesHasNotGrown() {
        SoakReport report = report(
                minute -> Math.min(minute, 20) * MIB + minute % 3 * MIB / 10,
                minute -> 0,
                minute -> Math.min(minute, 29) * 100);

        assertThat(report.grown()).isEmpty();
        assertThat(report.text()).contains("Nothing grew.");
    }

    @Test
    void objectsOfTheStoreCountToo() {
        assertThat(report(minute -> MIB, minute -> MIB, minute -> minute * 100).grown())
                .singleElement()
                .asString()
                .startsWith("objects");
    }

    private static SoakReport report(LongUnaryOperator batch, LongUnaryOperator writer, LongUnaryOperator blobs) {
        List<SoakSample> samples = LongStream.rangeClosed(1, 60)
                .mapToObj(minute -> new SoakSample(
                        minute * 60,
                        List.of(
                                new Relation("batch", batch.applyAsLong(minute), 5),
                                new Relation("writer", writer.applyAsLong(minute), 0)),
                        blobs.applyAsLong(minute),
                        minute * 1000,
                        30,
                        50))
                .toList();
        return new SoakReport(samples, List.of());
    }
}
