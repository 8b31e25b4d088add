package dev.blobshuffle.kafka;

import dev.blobshuffle.core.shuffle.Engine;
import dev.blobshuffle.testkit.SimulatedProcess;
import dev.blobshuffle.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An application that polls, commits, seeks and pauses. Each time a partition comes, its records must
 * start at the record that the last commit names, and go on without a gap. Owned by its actor.
 */
final class ClientReader implements ConsumerRebalanceListener {
    /** So many polls without a record in a row, with something to read, are no longer a fault that passes. */
    private static final int HOPELESS = 3000;

    private final ClientSchedule.Run run;
    private final BlobConsumer<byte[], byte[]> consumer;
    private final Set<Integer> owned = new HashSet<>();
    private final Set<Integer> paused = new HashSet<>();

    /** Place in its log of the row that must come next, for the partitions that have begun. */
    private final Map<Integer, Integer> next = new HashMap<>();

    private int emptyPolls;
    private @Nullable KafkaException last;

    ClientReader(ClientSchedule.Run run, SimulatedProcess process, Engine engine) {
        this.run = run;
        this.consumer = run.consumer(process, engine);
    }

    void run() {
        consumer.subscribe(List.of(SimulatedBroker.TOPIC), this);
        while (!run.isDone()) {
            try {
                step();
            } catch (CommitFailedException | TimeoutException e) {
                last = e; // The next commit commits more; a fenced member hears of it in its next poll.
            } catch (KafkaException e) {
                last = e;
                run.pause(false);
            }
            if (emptyPolls > HOPELESS) {
                run.ledger.violation("a reader of " + owned + " reads no more; the last failure: " + last);
            }
        }
    }

    private void step() {
        SimulatedTime time = run.time;
        int count = 0;
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(time.random(200)))) {
            take(record);
            count++;
        }
        emptyPolls = count > 0 || !run.ledger.hasMore(next, owned) ? 0 : emptyPolls + 1;
        run.pause(true);
        if (time.random(4) == 0 || run.isQuiet()) {
            consumer.commitSync();
            checkCommits();
        }
        if (time.random(15) == 0) {
            changePauses();
        }
        if (!run.isQuiet() && time.random(40) == 0) {
            seek();
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        int partition = record.partition();
        if (!owned.contains(partition)) {
            run.ledger.violation("a record of partition " + partition + " came without the partition");
            return;
        }
        int place = run.ledger.place(record);
        Integer expected = next.get(partition);
        int due = expected != null ? expected : run.ledger.start(partition);
        // What the log has let go of, only a reader that went back can miss.
        boolean isPurged = due < place && place <= run.ledger.logStart(partition);
        if (place != due && !isPurged) {
            run.ledger.violation("row " + place + " of partition " + partition + " came where row " + due + " was due"
                    + (expected == null ? " at the start" : ""));
        }
        next.put(partition, place + 1);
        run.ledger.delivered(partition, place);
    }

    /** What a commit without arguments committed. */
    private void checkCommits() {
        next.forEach((partition, place) -> {
            OffsetAndMetadata commit = run.committed(partition);
            if (commit != null && run.ledger.placeOf(partition, commit) != place) {
                run.ledger.violation("the commit " + commit + " of partition " + partition + " names row "
                        + run.ledger.placeOf(partition, commit) + " where row " + place + " is next");
            }
        });
    }

    private void changePauses() {
        if (paused.isEmpty() && !run.isQuiet()) {
            for (int partition : owned) {
                consumer.pause(List.of(SimulatedBroker.kafka(partition)));
                paused.add(partition);
            }
        } else {
            for (int partition : Set.copyOf(paused)) {
                consumer.resume(List.of(SimulatedBroker.kafka(partition)));
                paused.remove(partition);
            }
        }
    }

    /** Goes back to a record that was delivered. */
    private void seek() {
        for (Map.Entry<Integer, Integer> at : next.entrySet()) {
            int place = run.time.random(at.getValue() + 1);
            Long offset = run.ledger.virtualOffset(at.getKey(), place);
            if (offset != null) {
                consumer.seek(SimulatedBroker.kafka(at.getKey()), offset);
                at.setValue(place);
            }
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            owned.add(partition.partition());
            next.remove(partition.partition());
            paused.remove(partition.partition());
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        try {
            if (run.time.random(2) == 0) {
                consumer.commitSync();
            }
        } catch (CommitFailedException | TimeoutException e) {
            last = e;
        } finally {
            onPartitionsLost(partitions);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            owned.remove(partition.partition());
            next.remove(partition.partition());
            paused.remove(partition.partition());
        }
    }
}
