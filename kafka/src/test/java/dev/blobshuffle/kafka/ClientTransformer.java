package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A simulated application that copies a topic exactly once. It sends the records that it reads in
 * transactions that also commit its offsets. When partitions are revoked it commits or aborts;
 * after an abort it returns to its last commits. Owned by its actor.
 */
final class ClientTransformer implements ConsumerRebalanceListener {
    /**
     * After this many consecutive polls without a record, although there are records to read, the
     * fault is not temporary.
     */
    private static final int HOPELESS = 3000;

    /** Rebalances take a while, and make some transactions fail. */
    private static final int MOST_FAILURES = 200;

    private final ClientSchedule.Run run;
    private final ClientSchedule.Topic input;
    private final ShuffleConsumer<byte[], byte[]> consumer;
    private final ClientTransaction transaction;
    private final ClientPositions positions;

    /** Positions for the commit of the open transaction. */
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();

    private boolean mustGoBack;

    /** Consecutive transactions that failed without an injected fault. */
    private int failures;

    private int emptyPolls;
    private @Nullable KafkaException last;

    ClientTransformer(
            ClientSchedule.Run run,
            ClientSchedule.Topic input,
            ShuffleConsumer<byte[], byte[]> consumer,
            ClientTransaction transaction) {
        this.run = run;
        this.input = input;
        this.consumer = consumer;
        this.transaction = transaction;
        positions = new ClientPositions(input.ledger());
    }

    void run() {
        consumer.subscribe(List.of(input.broker().topic()), this);
        while (!run.isDone()) {
            try {
                step();
            } catch (InconsistentGroupProtocolException e) {
                input.ledger().violation("a transformer heard of a refusal that did not last: " + e);
            } catch (KafkaException e) {
                last = e;
                giveUp();
                run.pause(false);
            }
            if (emptyPolls > HOPELESS || failures > MOST_FAILURES) {
                input.ledger()
                        .violation("a transformer of " + positions.owned() + " gets on no more; the last failure: "
                                + last);
            }
        }
    }

    private void step() {
        if (mustGoBack) {
            goBack();
        }
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(run.time.random(200)));
        if (mustGoBack) {
            return; // They follow records that were given up.
        }
        emptyPolls = records.count() > 0 || !positions.hasMore() ? 0 : emptyPolls + 1;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            copy(record);
        }
        run.pause(true);
        if (transaction.isOpen() && (run.isQuiet() || run.time.random(3) == 0)) {
            if (!run.isQuiet() && run.time.random(8) == 0) {
                giveUp();
            } else {
                commit();
            }
        }
    }

    private void copy(ConsumerRecord<byte[], byte[]> record) {
        if (!positions.take(record)) {
            return;
        }
        ByteBuffer identity = ByteBuffer.wrap(record.value());
        transaction.send(identity.getInt(), identity.getInt(), record.partition(), record.value());
        offsets.put(
                input.broker().kafka(record.partition()),
                new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), ""));
    }

    private boolean commit() {
        boolean isCommitted = transaction.commit(offsets, consumer.groupMetadata());
        offsets.clear();
        mustGoBack |= !isCommitted;
        failures = isCommitted || !run.isQuiet() ? 0 : failures + 1;
        return isCommitted;
    }

    /** Aborts, even without an open transaction: records may have been received. */
    private void giveUp() {
        transaction.abort();
        failures += run.isQuiet() ? 1 : 0;
        offsets.clear();
        mustGoBack = true;
    }

    private void goBack() {
        Set<TopicPartition> owned = Set.copyOf(positions.owned().stream()
                .map(partition -> input.broker().kafka(partition))
                .toList());
        Map<TopicPartition, OffsetAndMetadata> commits;
        try {
            commits = consumer.committed(owned);
        } catch (TimeoutException e) {
            last = e;
            run.pause(true);
            return;
        }
        for (TopicPartition partition : owned) {
            OffsetAndMetadata commit = commits.get(partition);
            if (commit == null) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seek(partition, commit);
            }
            positions.restart(partition.partition());
        }
        mustGoBack = false;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        positions.assigned(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (transaction.isOpen()) {
            if (run.time.random(3) == 0) {
                giveUp();
            } else if (commit()) {
                run.saw("transaction committed as partitions went");
            }
        }
        positions.gone(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        run.saw("partitions lost");
        giveUp();
        positions.gone(partitions);
    }
}
