package dev.blobshuffle.bench.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A plan of blobs that are moved to a store and back.
 *
 * @param uri the store; empty: an S3 simulator in a process of its own, next to the floor
 * @param transports {@code plain} or {@code tls}: how to reach the simulator
 * @param mebibytes sizes of blobs
 * @param concurrencies blobs in flight
 * @param bytes that each run moves
 * @param warmUp small puts, and as many gets, by each client before the measurement; 0 measures a
 *     process that has just started
 * @param repetitions runs of each cell and client
 * @param seed of the bytes and of the order of runs
 */
public record StorePlan(
        Optional<String> uri,
        List<String> transports,
        List<Integer> mebibytes,
        List<Integer> concurrencies,
        long bytes,
        int warmUp,
        int repetitions,
        long seed) {
    private static final String GIVEN = "given";
    private static final int MOST = 1024;

    /**
     * Copies the lists and checks the plan.
     *
     * @throws IllegalArgumentException if the plan cannot be measured
     */
    public StorePlan {
        transports = uri.isPresent() ? List.of(GIVEN) : List.copyOf(transports);
        mebibytes = List.copyOf(mebibytes);
        concurrencies = List.copyOf(concurrencies);
        if (uri.isEmpty() && !List.of("plain", "tls").containsAll(transports)) {
            throw new IllegalArgumentException("Cannot use transports " + transports + ": give plain, tls or both.");
        }
        List<Integer> numbers = new ArrayList<>(mebibytes);
        numbers.addAll(concurrencies);
        numbers.add(repetitions);
        if (numbers.stream().anyMatch(number -> number < 1 || number > MOST) || bytes < 1 || warmUp < 0) {
            throw new IllegalArgumentException(
                    "Cannot measure with these numbers: sizes, concurrency and repetitions must be 1 to " + MOST
                            + ", --gib above 0, --warm-up 0 or more.");
        }
    }

    /** The cells of one transport, in order. */
    List<TransferCell> cells(String transport) {
        List<TransferCell> cells = new ArrayList<>();
        for (TransferCell.Direction direction : TransferCell.Direction.values()) {
            for (int size : mebibytes) {
                concurrencies.forEach(
                        concurrency -> cells.add(new TransferCell(transport, direction, size, concurrency)));
            }
        }
        return cells;
    }
}
