package dev.blobshuffle.bench.store;

import dev.blobshuffle.bench.store.TransferCell.Direction;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures the times of single requests to a store, put and get of the same blob in turn. Owned by
 * one thread.
 */
public final class RequestTimer {
    private static final int WARM_UP = 10;
    private static final int SLOTS = 8;
    private static final int BYTES_PER_MEBIBYTE = 1 << 20;

    private final String uri;
    private final List<Integer> mebibytes;
    private final int requests;
    private final Consumer<String> progress;

    /**
     * @param uri of the store
     * @param mebibytes sizes of blobs
     * @param requests puts, and as many gets, of each size
     * @param progress is called with a line for each size
     */
    public RequestTimer(String uri, List<Integer> mebibytes, int requests, Consumer<String> progress) {
        this.uri = uri;
        this.mebibytes = List.copyOf(mebibytes);
        this.requests = requests;
        this.progress = progress;
    }

    /**
     * Runs the requests, then deletes the blobs.
     *
     * @throws IllegalStateException if a blob came back with other bytes
     */
    public RequestTimes run() throws IOException {
        List<RequestTimes.Sample> samples = new ArrayList<>();
        String name;
        try (SystemTime time = new SystemTime();
                BlobStore store = BlobStores.open(uri, time)) {
            name = store.location();
            for (int size : mebibytes) {
                samples.addAll(time(store, size, time));
            }
        }
        return new RequestTimes(name, samples);
    }

    private List<RequestTimes.Sample> time(BlobStore store, int size, SystemTime time) throws IOException {
        Blobs blobs = Blobs.of(size * BYTES_PER_MEBIBYTE, size);
        List<Double> puts = new ArrayList<>();
        List<Double> gets = new ArrayList<>();
        try (StoreClient client = StoreClient.of(store, blobs)) {
            for (int i = 0; i < WARM_UP + requests; i++) {
                long start = time.nanos();
                client.put(i % SLOTS);
                long stored = time.nanos();
                long checksum = client.get(i % SLOTS);
                long read = time.nanos();
                if (checksum != blobs.checksum()) {
                    throw new IllegalStateException("Cannot time requests: a blob of " + size
                            + " MiB came back with other bytes. Check the store.");
                }
                client.delete(i % SLOTS);
                if (i >= WARM_UP) {
                    puts.add((stored - start) / 1e6);
                    gets.add((read - stored) / 1e6);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("Cannot time requests: " + e.getMessage(), e);
        }
        List<RequestTimes.Sample> both = List.of(
                new RequestTimes.Sample(Direction.PUT, blobs.bytes(), puts),
                new RequestTimes.Sample(Direction.GET, blobs.bytes(), gets));
        both.forEach(sample -> progress.accept(String.format(
                Locale.ROOT,
                "  %-3s %3d MiB: p50 %.1f, p95 %.1f, p99 %.1f ms",
                sample.operation(),
                size,
                sample.quantile(0.5),
                sample.quantile(0.95),
                sample.quantile(0.99))));
        return both;
    }
}
