package dev.blobshuffle.bench.workload;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Every record of the input was read once; every group had, in some window, the sum of all sensors below it, and never more. How many windows are complete depends on timing. Owned by
 * one thread.
 */
final class HierarchyExpectation implements Expectation {
    private final int depth;
    private final CRC32C scratch = new CRC32C();
    private long records;
    private long bytes;
    private long checksum;

    HierarchyExpectation(int depth) {
        this.depth = depth;
    }

    @Override
    public void add(Message message) {
        records++;
        bytes += message.value().length;
        checksum += Value.checksum(scratch, message.value());
    }

    @Override
    public long shuffled() {
        return records;
    }

    @Override
    public long shuffledBytes() {
        return bytes;
    }

    @Override
    public Optional<String> problem(Observed observed) {
        return Expectation.unlessEqual("records read", records, observed.count())
                .or(() -> Expectation.unlessEqual("sum of checksums", checksum, observed.checksum()))
                .or(() -> groupProblem(observed));
    }

    private Optional<String> groupProblem(Observed observed) {
        Map<String, Double> most = new HashMap<>();
        observed.read(
                observed.topics().own(HierarchyWorkload.OUTPUT),
                (key, value) -> most.merge(
                        new String(key, StandardCharsets.UTF_8),
                        GroupSum.of(value).sumInWatts(),
                        Math::max));
        for (int level = 1; level <= depth; level++) {
            long groups = SensorRegistry.sensors(depth - level);
            long expected = Math.round(Sensors.WATTS * SensorRegistry.sensors(level));
            for (int index = 0; index < groups; index++) {
                String group = SensorRegistry.group(level, index);
                Optional<String> problem = Expectation.unlessEqual(
                        "largest sum of " + group, expected, Math.round(most.getOrDefault(group, 0.0)));
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }
}
