package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tests a store's operations with probes that it deletes. Owned by one thread. */
final class StoreCheckup {
    private static final int PROBE_BYTES = 4096;
    private static final Duration SAMPLING = Duration.ofSeconds(30);

    private final BlobStore store;
    private final Time time;
    private final BoundedWait patience;
    private final List<Finding> findings = new ArrayList<>();
    private Optional<ProbeTimes> puts = Optional.empty();
    private Optional<ProbeTimes> gets = Optional.empty();

    StoreCheckup(BlobStore store, Time time, BoundedWait patience) {
        this.store = store;
        this.time = time;
        this.patience = patience;
    }

    List<Finding> findings() {
        return findings;
    }

    /** Durations of puts; empty if none succeeded. */
    Optional<ProbeTimes> puts() {
        return puts;
    }

    /** Durations of gets; empty if none succeeded. */
    Optional<ProbeTimes> gets() {
        return gets;
    }

    /**
     * Puts, gets, lists and deletes a small probe, inspects the store, and measures latencies.
     *
     * @param samples number of puts and gets to measure
     * @param blobBytes their size
     */
    void run(int samples, int blobBytes) throws InterruptedException {
        ProbeBlob probe = ProbeBlob.of(PROBE_BYTES, time);
        boolean isStored =
                step("put", "a probe was stored", () -> patience.await(store.put(probe.id(), probe.content())));
        boolean isReadable =
                isStored && step("get", "the probe came back as it was", () -> compare(probe, 0, PROBE_BYTES));
        if (isReadable) {
            step("range", "a part of it came back as it was", () -> compare(probe, 1000, 17));
        }
        boolean isDeleted = false;
        if (isStored) {
            step("list", "the probe is in its generation's listing", () -> list(probe));
            isDeleted =
                    step("delete", "the probe was deleted", () -> patience.await(store.delete(List.of(probe.id()))));
        }
        inspect();
        if (isReadable && isDeleted) {
            step("missing blob", "a deleted blob is reported as missing", () -> expectMissing(probe));
            // Not if probes could not be deleted.
            measure(samples, blobBytes);
        }
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    /** Runs a step; returns whether it succeeded. */
    private boolean step(String subject, String fact, Step step) throws InterruptedException {
        try {
            step.run();
            findings.add(Finding.ok(Finding.STORE, subject, fact));
            return true;
        } catch (BlobShuffleException e) {
            findings.add(Finding.failed(Finding.STORE, subject, e));
            return false;
        }
    }

    private void compare(ProbeBlob probe, int offset, int length) throws InterruptedException {
        try (BlobBytes bytes = patience.await(store.get(probe.id(), BlobRange.of(offset, length)))) {
            if (!bytes.buffer().equals(ByteBuffer.wrap(probe.bytes(), offset, length))) {
                throw new BlobCorruptException(
                        "other bytes came back than were stored. Check the store, and proxies on the way.");
            }
        }
    }

    private void list(ProbeBlob probe) throws InterruptedException {
        boolean isListed = patience
                .await(store.list(probe.id().owner(), probe.id().generation()))
                .stream()
                .anyMatch(blob -> blob.id().equals(probe.id()));
        if (!isListed) {
            throw new BlobCorruptException("a listing leaves out a blob that was stored before."
                    + " Use a store whose listings are consistent with its puts.");
        }
    }

    private void expectMissing(ProbeBlob probe) throws InterruptedException {
        try (BlobBytes ignored = patience.await(store.get(probe.id(), BlobRange.of(0, 1)))) {
            throw new BlobCorruptException(
                    "a blob can still be read after it was deleted. Use a store whose reads are consistent with its deletes.");
        } catch (BlobMissingException e) {
            // The expected result.
        }
    }

    private void inspect() throws InterruptedException {
        try {
            patience.call(store::inspect).ifPresent(inspection -> {
                inspection.clockAhead().ifPresent(ahead -> findings.add(ClockAdvice.of(Finding.STORE, "store", ahead)));
                inspection.findings().forEach(finding -> findings.add(Finding.of(Finding.STORE, finding)));
            });
        } catch (BlobShuffleException e) {
            findings.add(Finding.failed(Finding.STORE, "inspection", e));
        }
    }

    /**
     * Measures one request at a time, like the uploads of an idle instance. Stops early if the
     * store is slow.
     */
    private void measure(int samples, int blobBytes) throws InterruptedException {
        List<Duration> putTimes = new ArrayList<>();
        List<Duration> getTimes = new ArrayList<>();
        long start = time.nanos();
        try {
            for (int i = 0; i < samples && time.nanos() - start < SAMPLING.toNanos(); i++) {
                ProbeBlob probe = ProbeBlob.of(blobBytes, time);
                try {
                    long before = time.nanos();
                    patience.await(store.put(probe.id(), probe.content()));
                    long between = time.nanos();
                    patience.await(store.get(probe.id(), BlobRange.of(0, blobBytes)))
                            .close();
                    long after = time.nanos();
                    putTimes.add(Duration.ofNanos(between - before));
                    getTimes.add(Duration.ofNanos(after - between));
                } catch (BlobShuffleException e) {
                    removeAfter(e, probe);
                    throw e;
                }
                patience.await(store.delete(List.of(probe.id())));
            }
        } catch (BlobShuffleException e) {
            findings.add(Finding.failed(Finding.STORE, "latency", e));
        }
        report(blobBytes, putTimes, getTimes);
    }

    /** Deletes a probe after a failed put, which may still have stored it. */
    private void removeAfter(BlobShuffleException failure, ProbeBlob probe) throws InterruptedException {
        try {
            patience.await(store.delete(List.of(probe.id())));
        } catch (BlobShuffleException second) {
            failure.addSuppressed(second);
        }
    }

    private void report(int blobBytes, List<Duration> putTimes, List<Duration> getTimes) {
        if (!putTimes.isEmpty()) {
            ProbeTimes put = new ProbeTimes(blobBytes, putTimes);
            ProbeTimes get = new ProbeTimes(blobBytes, getTimes);
            findings.add(Finding.ok(Finding.STORE, "put latency", put.text()));
            findings.add(Finding.ok(Finding.STORE, "get latency", get.text()));
            puts = Optional.of(put);
            gets = Optional.of(get);
        }
    }
}
