package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The figures of sweeps for the metrics. Written by the sweeper's thread, read by any thread. */
final class SweepFigures implements AutoCloseable {
    private final ShuffleMetrics metrics;
    private final Time time;
    private final List<ShuffleMetrics.Registration> gauges;
    private volatile BooleanSupplier hasTurn = () -> false;
    private volatile Optional<Last> last = Optional.empty();

    /**
     * A finished sweep.
     *
     * @param report its findings
     * @param ended the time of its end, on the monotonic clock
     */
    private record Last(SweepReport report, long ended) {}

    SweepFigures(ShuffleMetrics metrics, Time time) {
        this.metrics = metrics;
        this.time = time;
        gauges = List.of(
                metrics.report(Gauge.SWEEP_TURN, () -> hasTurn.getAsBoolean() ? 1 : 0),
                metrics.report(
                        Gauge.STORED_BLOBS,
                        () -> last.map(sweep -> (long) (sweep.report().listed()
                                        - sweep.report().unneeded()))
                                .orElse(0L)),
                metrics.report(
                        Gauge.STORED_BYTES,
                        () -> last.map(sweep -> storedBytes(sweep.report())).orElse(0L)),
                metrics.report(
                        Gauge.NEEDED_BLOBS,
                        () -> last.map(sweep -> (long) sweep.report().needed()).orElse(0L)),
                metrics.report(
                        Gauge.SPARED_BLOBS,
                        () -> last.map(sweep -> (long) sweep.report().spared()).orElse(0L)),
                metrics.report(
                        Gauge.UNSETTLED_BLOBS,
                        () -> last.map(sweep -> (long) sweep.report().unsettled())
                                .orElse(0L)),
                metrics.report(Gauge.OLDEST_NEEDED_AGE, this::oldestNeededAge),
                metrics.report(
                        Gauge.LAST_SWEEP_AGE,
                        () -> last.map(sweep -> TimeUnit.NANOSECONDS.toMillis(time.nanos() - sweep.ended()))
                                .orElse(0L)));
    }

    private static long storedBytes(SweepReport report) {
        return Math.max(0, report.listedBytes() - report.unneededBytes());
    }

    private long oldestNeededAge() {
        return last.flatMap(sweep -> sweep.report().oldest())
                .map(reference ->
                        Math.max(0, time.wallMillis() - reference.minute().toEpochMilli()))
                .orElse(0L);
    }

    /** Sets the source of whether it is this instance's turn. */
    void follow(BooleanSupplier turn) {
        hasTurn = turn;
    }

    void swept(SweepReport report) {
        metrics.add(Counter.SWEEPS, 1);
        metrics.add(Counter.BLOBS_SWEPT, report.unneeded());
        metrics.add(Counter.BYTES_SWEPT, report.unneededBytes());
        metrics.add(Counter.ORPHANS_SWEPT, report.orphans());
        metrics.add(Counter.ORPHAN_BYTES_SWEPT, report.orphanBytes());
        last = Optional.of(new Last(report, time.nanos()));
    }

    /** Counts a sweep that stopped because clocks differ. The sweep also counts as failed. */
    void clocksDiffer() {
        metrics.add(Counter.CLOCK_DIFFERENCES, 1);
    }

    void failed() {
        metrics.add(Counter.SWEEP_FAILURES, 1);
    }

    /** Drops the figures, because it is another instance's turn. */
    void forget() {
        last = Optional.empty();
    }

    @Override
    public void close() {
        gauges.forEach(ShuffleMetrics.Registration::close);
    }
}
