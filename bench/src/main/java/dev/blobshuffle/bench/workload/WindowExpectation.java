package dev.blobshuffle.bench.workload;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.zip.CRC32C;

/**
 * Expects that every record was counted in each of its windows, or dropped there because it was
 * late. Kafka Streams counts the dropped records. The counts come from the last values in the
 * changelogs of the windows' stores. Owned by one thread.
 */
final class WindowExpectation implements Expectation {
    private final List<String> stores;
    private final ToIntFunction<Message> windows;
    private final int shuffles;
    private long updates;
    private long records;
    private long bytes;
    private long checksum;
    private final CRC32C scratch = new CRC32C();

    /**
     * The expected output.
     *
     * @param stores of the windows, each of which must have all records
     * @param windows how many windows a record is in
     * @param shuffles how often a record is seen after a shuffle
     */
    WindowExpectation(List<String> stores, ToIntFunction<Message> windows, int shuffles) {
        this.stores = stores;
        this.windows = windows;
        this.shuffles = shuffles;
    }

    @Override
    public void add(Message message) {
        updates += windows.applyAsInt(message);
        records++;
        bytes += message.value().length;
        checksum += Value.checksum(scratch, message.value());
    }

    @Override
    public long shuffled() {
        return shuffles * records;
    }

    @Override
    public long shuffledBytes() {
        return shuffles * bytes;
    }

    @Override
    public Optional<String> problem(Observed observed) {
        return Expectation.unlessEqual("records after the shuffle", shuffled(), observed.count())
                .or(() -> Expectation.unlessEqual("sum of checksums", shuffles * checksum, observed.checksum()))
                .or(() -> windowProblem(observed));
    }

    private Optional<String> windowProblem(Observed observed) {
        long counted = 0;
        for (String store : stores) {
            Map<Bytes, Stats> last = new HashMap<>();
            observed.read(observed.topics().changelog(store), (key, value) -> {
                if (value.length > 0) {
                    last.put(new Bytes(key), Stats.of(value));
                }
            });
            for (Stats stats : last.values()) {
                counted += stats.count();
                if (stats.sum() != stats.count() * Sensors.WATTS) {
                    return Optional.of("a window's sum: " + stats.count() * Sensors.WATTS + " expected, " + stats.sum()
                            + " found");
                }
            }
        }
        return Expectation.unlessEqual(
                "updates of windows, dropped ones included", updates * stores.size(), counted + observed.dropped());
    }

    /** Bytes that are equal if their content is. */
    private record Bytes(ByteBuffer content) {
        Bytes(byte[] content) {
            this(ByteBuffer.wrap(content));
        }
    }
}
