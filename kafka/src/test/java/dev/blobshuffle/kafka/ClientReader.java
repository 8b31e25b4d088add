package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.Collection;
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
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A simulated application that polls, commits, seeks and pauses. Owned by its actor. */
final class ClientReader implements ConsumerRebalanceListener {
    /**
     * After this many consecutive polls without a record, although there are records to read, the
     * fault is not temporary.
     */
    private static final int HOPELESS = 3000;

    private final ClientSchedule.Run run;
    private final ShuffleConsumer<byte[], byte[]> consumer;
    private final ClientSchedule.Topic topic;
    private final ClientPositions positions;
    private final Set<Integer> paused = new HashSet<>();

    private int emptyPolls;
    private @Nullable KafkaException last;

    ClientReader(ClientSchedule.Run run, ClientSchedule.Topic topic, ShuffleConsumer<byte[], byte[]> consumer) {
        this.run = run;
        this.topic = topic;
        this.consumer = consumer;
        positions = new ClientPositions(topic.ledger());
    }

    void run() {
        consumer.subscribe(List.of(topic.broker().topic()), this);
        while (!run.isDone()) {
            try {
                step();
            } catch (CommitFailedException | RebalanceInProgressException | TimeoutException e) {
                run.saw("commit refused: " + e.getClass().getSimpleName());
                // The next commit includes it; a fenced member gets the failure in its next poll.
                last = e;
            } catch (InconsistentGroupProtocolException e) {
                topic.ledger().violation("a reader heard of a refusal that did not last: " + e);
            } catch (KafkaException e) {
                last = e;
                run.pause(false);
            }
            if (emptyPolls > HOPELESS) {
                topic.ledger()
                        .violation("a reader of " + positions.owned() + " of "
                                + topic.broker().topic() + " reads no more; the last failure: " + last);
            }
        }
    }

    private void step() {
        SimulatedTime time = run.time;
        int count = 0;
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(time.random(200)))) {
            positions.take(record);
            count++;
        }
        emptyPolls = count > 0 || !positions.hasMore() ? 0 : emptyPolls + 1;
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

    /** Checks the effect of a commit without arguments. */
    private void checkCommits() {
        ClientLedger ledger = topic.ledger();
        positions.next().forEach((partition, place) -> {
            OffsetAndMetadata commit = topic.broker().committed(partition);
            int named = commit == null ? place : ledger.placeOf(partition, commit);
            // A reader that has moved back cannot commit a place that the log has purged.
            boolean isPurged = place < named && named <= ledger.logStart(partition);
            if (named != place && !isPurged) {
                ledger.violation("the commit " + commit + " of partition " + partition + " names row " + named
                        + " where row " + place + " is next");
            }
        });
    }

    private void changePauses() {
        if (paused.isEmpty() && !run.isQuiet()) {
            for (int partition : positions.owned()) {
                consumer.pause(List.of(topic.broker().kafka(partition)));
                paused.add(partition);
            }
        } else {
            for (int partition : Set.copyOf(paused)) {
                consumer.resume(List.of(topic.broker().kafka(partition)));
                paused.remove(partition);
            }
        }
    }

    /** Moves back to a delivered record. */
    private void seek() {
        for (Map.Entry<Integer, Integer> at : positions.next().entrySet()) {
            int place = run.time.random(at.getValue() + 1);
            Long offset = topic.ledger().virtualOffset(at.getKey(), place);
            if (offset != null) {
                consumer.seek(topic.broker().kafka(at.getKey()), offset);
                at.setValue(place);
            }
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        positions.assigned(partitions);
        partitions.forEach(partition -> paused.remove(partition.partition()));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        try {
            if (run.time.random(2) == 0) {
                consumer.commitSync();
            }
        } catch (CommitFailedException | RebalanceInProgressException | TimeoutException e) {
            last = e;
        } finally {
            gone(partitions);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        run.saw("partitions lost");
        gone(partitions);
    }

    private void gone(Collection<TopicPartition> partitions) {
        positions.gone(partitions);
        partitions.forEach(partition -> paused.remove(partition.partition()));
    }
}
