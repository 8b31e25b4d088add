package dev.blobshuffle.flightdaemon.internal.server.call;

import java.util.concurrent.atomic.LongAdder;

/** Counts the daemon's work since its start. Thread-safe. */
public final class FlightCounters {
    private final LongAdder streams = new LongAdder();
    private final LongAdder frames = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder httpAnswers = new LongAdder();
    private final LongAdder httpBytes = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder stalls = new LongAdder();
    private final LongAdder releases = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder putBytes = new LongAdder();
    private final LongAdder putFailures = new LongAdder();
    private final LongAdder tooSlow = new LongAdder();
    private final LongAdder gaveWay = new LongAdder();
    private final LongAdder callsOverLimit = new LongAdder();
    private final LongAdder connectionsEnded = new LongAdder();

    public void started() {
        streams.increment();
    }

    public void sent(int length) {
        frames.increment();
        bytes.add(length);
    }

    public void sentByHttp(long length) {
        httpAnswers.increment();
        httpBytes.add(length);
    }

    public void failed() {
        failures.increment();
    }

    public void refused() {
        refusals.increment();
    }

    public void stalled() {
        stalls.increment();
    }

    public void released() {
        releases.increment();
    }

    /** Counts a batch of a put. */
    public void received(int length) {
        putBytes.add(length);
    }

    public void put() {
        puts.increment();
    }

    public void putFailed() {
        putFailures.increment();
    }

    /** Counts a transfer that was ended because it was below the least rate while others waited. */
    public void tooSlow() {
        tooSlow.increment();
    }

    /** Counts a put that was ended for a put of another tenant. */
    public void gaveWay() {
        gaveWay.increment();
    }

    void overLimit() {
        callsOverLimit.increment();
    }

    /** Counts a connection that was ended by the limits of connections. */
    public void connectionEnded() {
        connectionsEnded.increment();
    }

    /** The current numbers. */
    public Snapshot snapshot() {
        return new Snapshot(
                streams.sum(),
                frames.sum(),
                bytes.sum(),
                httpAnswers.sum(),
                httpBytes.sum(),
                failures.sum(),
                refusals.sum(),
                stalls.sum(),
                releases.sum(),
                puts.sum(),
                putBytes.sum(),
                putFailures.sum(),
                tooSlow.sum(),
                gaveWay.sum(),
                callsOverLimit.sum(),
                connectionsEnded.sum());
    }

    /**
     * Numbers since the start.
     *
     * @param streams DoGet calls that were admitted
     * @param frames frames sent
     * @param bytes bytes of these frames
     * @param httpAnswers HTTP answers with bytes of a blob that were sent
     * @param httpBytes bytes of these answers
     * @param failures streams, and answers with bytes of a blob, that failed
     * @param refusals calls without a valid token or ticket
     * @param stalls connections closed because their client did not read
     * @param releases shuffles released
     * @param puts maps that were put and committed
     * @param putBytes bytes of received batches
     * @param putFailures puts that were refused or failed
     * @param tooSlow puts and connections ended because they were too slow while others waited
     * @param gaveWay puts ended for a put of another tenant
     * @param callsOverLimit calls refused because their tenant had too many in progress
     * @param connectionsEnded connections ended by the limits of connections
     */
    public record Snapshot(
            long streams,
            long frames,
            long bytes,
            long httpAnswers,
            long httpBytes,
            long failures,
            long refusals,
            long stalls,
            long releases,
            long puts,
            long putBytes,
            long putFailures,
            long tooSlow,
            long gaveWay,
            long callsOverLimit,
            long connectionsEnded) {}
}
