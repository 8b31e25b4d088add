package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.messaging.RebalanceListener;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.messaging.internal.subscribe.Renewals;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One member of the group, and the records that it must read. */
final class Member implements AutoCloseable {
    private static final Duration SHORT = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofSeconds(2);

    private final World world;
    private final Setup setup;
    final Subscriber<byte[], byte[]> real;

    /** By name. */
    final Map<String, ModelReading> readings = new TreeMap<>();

    /** Partitions that the listener has reported as assigned. */
    private final Set<TopicPartition> assigned = new HashSet<>();

    Member(World world, Setup setup, World.Storage storage, String group, List<String> topics) {
        this.world = world;
        this.setup = setup;
        Subscription subscription = Subscription.of(group, topics.toArray(new String[0]))
                .reset(setup.reset())
                .maxRecords(setup.maxRecords())
                .listener(new Listener());
        real = world.messaging(storage).subscriber(subscription, Serde.bytes(), Serde.bytes());
    }

    /** Makes new partitions wait until the model knows where they begin. */
    private final class Listener implements RebalanceListener {
        @Override
        public void onAssigned(Collection<TopicPartition> partitions) {
            assigned.addAll(partitions);
            real.pause(partitions);
        }

        @Override
        public void onRevoked(Collection<TopicPartition> partitions) {
            partitions.forEach(this::gone);
        }

        @Override
        public void onLost(Collection<TopicPartition> partitions) {
            partitions.forEach(this::gone);
        }

        private void gone(TopicPartition partition) {
            assigned.remove(partition);
            readings.remove(partition.toString());
        }
    }

    /** Pauses everything, so that polls only follow the group. */
    void hold() {
        real.pause(real.assignment());
    }

    /** Follows the group one step. */
    void follow() {
        Renewals.now(real);
        Records<byte[], byte[]> records = real.poll(SHORT);
        if (!records.isEmpty()) {
            throw new AssertionError("A poll returned records of paused partitions: " + records);
        }
    }

    /** Partitions that it owns but the model does not know yet. */
    Set<TopicPartition> unknown() {
        return assigned.stream()
                .filter(each -> !readings.containsKey(each.toString()))
                .collect(Collectors.toSet());
    }

    void adopt(ModelReading reading) {
        readings.put(reading.name().toString(), reading);
    }

    /** Waits until new readings have begun, and ends the pause. */
    void release() {
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        for (ModelReading each : readings.values()) {
            while (each.failure() == null && real.position(each.name()).isEmpty()) {
                follow();
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError(each.name() + " does not begin.");
                }
            }
        }
        real.resume(readings.values().stream()
                .filter(each -> !each.isPaused)
                .map(ModelReading::name)
                .toList());
    }

    private void resolve() {
        readings.values().forEach(each -> each.resolve(setup.reset()));
    }

    private int available() {
        return readings.values().stream().mapToInt(ModelReading::available).sum();
    }

    private Set<Class<?>> failures() {
        return readings.values().stream()
                .filter(each -> each.failure() != null && !each.isPaused)
                .map(ModelReading::failure)
                .collect(Collectors.toSet());
    }

    /** Polls until a number of records have arrived, or there are no more. */
    String take(int most) {
        resolve();
        Set<Class<?>> failures = failures();
        int available = available();
        int wanted = Math.min(most, available);
        int taken = 0;
        boolean isRefused = false;
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        while (taken < wanted || (taken == available && !failures.isEmpty() && !isRefused)) {
            try {
                taken += accept(real.poll(LONG));
            } catch (RuntimeException e) {
                if (!failures.contains(e.getClass())) {
                    throw e;
                }
                isRefused = true;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("Polls returned " + taken + " of " + available + " records"
                        + (failures.isEmpty() ? "" : ", and did not throw one of " + failures) + ". " + real.lag());
            }
        }
        if (taken == available && failures.isEmpty()) {
            taken += accept(real.poll(Duration.ZERO));
        }
        awaitSought();
        return taken + " of " + available + (failures.isEmpty() ? "" : " " + failures);
    }

    private int accept(Records<byte[], byte[]> records) {
        if (records.count() > setup.maxRecords()) {
            throw new AssertionError("A poll returned " + records.count() + " records.");
        }
        for (ReceivedRecord<byte[], byte[]> each : world.fault.polled(records.all())) {
            ModelReading reading = readings.get(new TopicPartition(each.topic(), each.partition()).toString());
            if (reading == null) {
                throw new AssertionError("A poll returned a record of " + each.topic() + "-" + each.partition()
                        + ", which the member does not own.");
            }
            reading.take(each);
        }
        return records.count();
    }

    /** Waits until reading begins at the sought positions. */
    private void awaitSought() {
        readings.values().forEach(each -> real.position(each.name()));
    }

    String position(String name) {
        resolve();
        ModelReading reading = readings.get(name);
        if (reading == null) {
            return "not owned";
        }
        OptionalLong position = real.position(reading.name());
        boolean isRight = reading.failure() != null
                ? position.isEmpty()
                : position.isPresent() && isIn(reading, position.getAsLong());
        if (!isRight) {
            throw new AssertionError("The position of " + reading.name() + " is " + position + ", and must be between "
                    + reading.least() + " and " + reading.most() + ", failure " + reading.failure());
        }
        return "right";
    }

    static boolean isIn(ModelReading reading, long position) {
        return position >= reading.least() && position <= reading.most();
    }

    String lag() {
        resolve();
        awaitSought();
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        String wrong = wrongLag();
        while (!wrong.isEmpty()) {
            if (available() == 0 && failures().isEmpty()) {
                accept(real.poll(SHORT));
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(wrong);
            }
            wrong = wrongLag();
        }
        return "right";
    }

    private String wrongLag() {
        boolean isAtRest = available() == 0 && failures().isEmpty();
        Map<TopicPartition, Long> lag = real.lag();
        for (ModelReading each : readings.values()) {
            Long shown = lag.get(each.name());
            boolean mustBeZero = isAtRest && !each.isPaused && each.failure() == null;
            boolean isRight = shown == null ? !mustBeZero : each.failure() == null && shown <= each.mostLag();
            if (!isRight || (mustBeZero && shown != 0)) {
                return "The lag of " + each.name() + " is " + shown + ", at most " + each.mostLag()
                        + (mustBeZero ? ", and all is read." : ".");
            }
        }
        return "";
    }

    /** Follows the effects of a commit on the reading. */
    void beforeCommit() {
        resolve();
    }

    String commit() {
        resolve();
        return Session.expect("committed", Outcome.of(() -> {
            if (world.fault != Fault.COMMIT_FORGOTTEN) {
                real.commit();
            }
            return "committed";
        }));
    }

    String seek(String name, ModelReading.Place place, long position) {
        ModelReading reading = readings.get(name);
        if (reading == null) {
            return "not owned";
        }
        return Session.expect(
                position < 0 || position >>> 24 >= 1L << 39
                        ? Outcome.failure(IllegalArgumentException.class)
                        : "sought",
                Outcome.of(() -> {
                    switch (place) {
                        case AT -> real.seek(reading.name(), world.fault.sought(position));
                        case START -> real.seekToBeginning(Set.of(reading.name()));
                        default -> real.seekToEnd(Set.of(reading.name()));
                    }
                    reading.seek(place, position);
                    return "sought";
                }));
    }

    String seekTo(String name, long millis) {
        ModelReading reading = readings.get(name);
        if (reading == null) {
            return "not owned";
        }
        real.seekTo(Map.of(reading.name(), java.time.Instant.ofEpochMilli(millis)));
        reading.seek(ModelReading.Place.AT, ModelTopic.at(reading.topic.sequenceAt(millis)));
        return "sought";
    }

    String pause(String name, boolean pauses) {
        ModelReading reading = readings.get(name);
        if (reading == null) {
            return "not owned";
        }
        if (pauses && world.fault != Fault.PAUSE_FORGOTTEN) {
            real.pause(Set.of(reading.name()));
        } else {
            real.resume(Set.of(reading.name()));
        }
        reading.isPaused = pauses;
        return "done";
    }

    /** Learns that a topic is gone, and cannot commit what it has read of it. */
    String loseTopic(ModelTopic topic) {
        resolve();
        boolean isForfeited = readings.values().stream().anyMatch(each -> each.topic == topic && each.isForfeitable);
        long deadline = System.nanoTime() + World.PATIENCE.toNanos();
        boolean isHeard = false;
        while (!isHeard || !assigned.stream().noneMatch(each -> each.topic().equals(topic.name))) {
            try {
                Renewals.now(real);
                for (ReceivedRecord<byte[], byte[]> each : real.poll(SHORT)) {
                    ModelReading reading = readings.get(new TopicPartition(each.topic(), each.partition()).toString());
                    if (reading != null) {
                        isForfeited |= reading.topic == topic;
                        reading.take(each);
                    }
                }
            } catch (TopicAbsentException e) {
                isHeard = true;
            } catch (RuntimeException e) {
                if (!failures().contains(e.getClass())) {
                    throw e;
                }
                isHeard = true; // The other failure comes first, until it is repaired.
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("Nobody says that " + topic.name + " is gone.");
            }
        }
        String commit = Outcome.of(() -> {
            real.commit();
            return "committed";
        });
        return Session.expect(isForfeited ? Outcome.failure(ConsumerFencedException.class) : "committed", commit);
    }

    void rolledBack() {
        readings.values().forEach(ModelReading::rollBack);
    }

    @Override
    public void close() {
        real.close();
    }
}
