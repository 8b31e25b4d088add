package dev.blobshuffle.bench.store;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One run of a cell with one client.
 *
 * @param cell the measured cell
 * @param isBare whether the client is the floor
 * @param repetition the block of runs that it belongs to, from 0
 * @param blobs number of blobs that were moved
 * @param seconds time on the clock
 * @param cpuSeconds of this process, JIT compilers left out
 * @param allocatedBytes of this process's heap
 * @param requests number of requests to the server; empty if they are not counted
 * @param verified whether every blob was right
 */
public record StoreResult(
        TransferCell cell,
        boolean isBare,
        int repetition,
        int blobs,
        double seconds,
        double cpuSeconds,
        long allocatedBytes,
        Optional<Long> requests,
        boolean verified) {
    private static final double GIBIBYTE = 1 << 30;

    private double bytes() {
        return (double) blobs * cell.blobBytes();
    }

    double megabytesPerSecond() {
        return bytes() / 1e6 / seconds;
    }

    /** CPU seconds of this process for each GiB. */
    public double cpuPerGibibyte() {
        return cpuSeconds / bytes() * GIBIBYTE;
    }

    double allocatedPerByte() {
        return allocatedBytes / bytes();
    }

    double requestsPerBlob() {
        return requests.map(count -> (double) count / blobs).orElse(Double.NaN);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("client", isBare ? "bare" : "store");
        json.put("transport", cell.transport());
        json.put("operation", cell.direction().name().toLowerCase(java.util.Locale.ROOT));
        json.put("blob_mebibytes", cell.mebibytes());
        json.put("concurrency", cell.concurrency());
        json.put("repetition", repetition);
        json.put("blobs", blobs);
        json.put("seconds", seconds);
        json.put("megabytes_per_second", megabytesPerSecond());
        json.put("cpu_seconds_per_gib", cpuPerGibibyte());
        json.put("allocated_bytes_per_byte", allocatedPerByte());
        json.put("requests_per_blob", requestsPerBlob());
        json.put("verified", verified);
        return json;
    }
}
