package dev.blobshuffle.bench.workload;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * Expects that every record of the input was read once, and that in every window the last sum of
 * every group is that of its members. The values of sensors are recomputed from the input; those of
 * groups are their own last sums. So a wrong sum is found where it arose. An update that was too
 * late for its window, which Kafka Streams counts as dropped, makes at most one sum of one window
 * differ from its members. Without such updates every sum is right up to the top, and every group
 * has written the sum of all its sensors at least once. Owned by one thread.
 */
final class HierarchyExpectation implements Expectation {
    private static final String OF_WINDOW = "@";

    private final int depth;
    private final long windowMillis;
    private final CRC32C scratch = new CRC32C();
    private final Map<Long, BitSet> measured = new TreeMap<>(); // by the start of the window
    private long records;
    private long bytes;
    private long checksum;

    /**
     * The expected output.
     *
     * @param depth levels of groups
     * @param windowMillis length of the windows
     */
    HierarchyExpectation(int depth, long windowMillis) {
        this.depth = depth;
        this.windowMillis = windowMillis;
    }

    @Override
    public void add(Message message) {
        records++;
        bytes += message.value().length;
        checksum += Value.checksum(scratch, message.value());
        Measurement measurement = Measurement.of(message.value());
        long window = measurement.timestamp() - measurement.timestamp() % windowMillis;
        measured.computeIfAbsent(window, start -> new BitSet()).set(Sensors.number(measurement.identifier()));
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
                .or(() -> sumProblem(observed))
                .or(() -> observed.dropped() == 0 ? outputProblem(observed) : Optional.empty());
    }

    private Optional<String> sumProblem(Observed observed) {
        Map<String, Double> last = new HashMap<>();
        observed.read(
                observed.topics().changelog(HierarchyWorkload.SUMS_STORE),
                (key, value) -> last.put(
                        new String(key, StandardCharsets.UTF_8),
                        value.length == 0 ? 0 : GroupSum.of(value).sumInWatts()));
        long wrong = 0;
        String first = "";
        for (long window : measured.keySet()) {
            for (int level = 1; level <= depth; level++) {
                for (int index = 0; index < SensorRegistry.sensors(depth - level); index++) {
                    String key = SensorRegistry.group(level, index) + OF_WINDOW + window;
                    double expected = membersSum(last, window, level, index);
                    double found = last.getOrDefault(key, 0.0);
                    if (expected != found) {
                        wrong++;
                        first = first.isEmpty() ? key + ": " + expected + " expected, " + found + " found" : first;
                    }
                }
            }
        }
        return wrong <= observed.dropped()
                ? Optional.empty()
                : Optional.of(wrong + " sums of windows are not those of their members, with " + observed.dropped()
                        + " updates dropped; the first is " + first);
    }

    private double membersSum(Map<String, Double> last, long window, int level, int index) {
        double sum = 0;
        for (int member = 0; member < SensorRegistry.CHILDREN; member++) {
            int number = index * SensorRegistry.CHILDREN + member;
            if (level > 1) {
                sum += last.getOrDefault(SensorRegistry.group(level - 1, number) + OF_WINDOW + window, 0.0);
            } else if (measured.getOrDefault(window, new BitSet()).get(number)) {
                sum += Sensors.WATTS;
            }
        }
        return sum;
    }

    private Optional<String> outputProblem(Observed observed) {
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
