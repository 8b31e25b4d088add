package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's transactional producer. After an abortable error, only an abort is legal. After a commit
 * or an abort that timed out, only the same call is. After the producer is fenced, none is. Guarded
 * by the simulation's baton.
 */
final class SimulatedTransactionalProducer extends SimulatedProducer {
    private final SimulatedCoordinator coordinator;
    private final SimulatedBroker inputs;
    private final SimulatedGroup group;
    private final String id;
    private int epoch;
    private @Nullable SimulatedTransaction current;
    private @Nullable RuntimeException error;
    private boolean isFenced;
    private @Nullable String pending;

    /**
     * @param broker has the topic to write
     * @param inputs has the commits of the group whose offsets are sent
     */
    SimulatedTransactionalProducer(
            SimulatedBroker broker,
            SimulatedBroker inputs,
            SimulatedGroup group,
            SimulatedCoordinator coordinator,
            String id,
            SimulatedTime time,
            SimulatedProcess process,
            BooleanSupplier isFaulty) {
        super(broker, time, process, isFaulty);
        this.inputs = inputs;
        this.group = group;
        this.coordinator = coordinator;
        this.id = id;
    }

    @Override
    @SuppressWarnings("unchecked") // Kafka's types.
    @Nullable
    Object transactional(Method method, Object[] arguments) {
        switch (method.getName()) {
            case "initTransactions":
                init();
                return null;
            case "beginTransaction":
                begin();
                return null;
            case "sendOffsetsToTransaction":
                sendOffsets(
                        (Map<TopicPartition, OffsetAndMetadata>) arguments[0], (ConsumerGroupMetadata) arguments[1]);
                return null;
            case "commitTransaction":
                end("commitTransaction", true);
                return null;
            case "abortTransaction":
                end("abortTransaction", false);
                return null;
            default:
                return super.transactional(method, arguments);
        }
    }

    private void init() {
        Integer given = coordinator.init(id);
        while (given == null) {
            time.pause(Duration.ofMillis(5));
            given = coordinator.init(id);
        }
        epoch = given;
    }

    private void begin() {
        checkFenced();
        requireNothing("beginTransaction");
        if (current != null) {
            throw new IllegalStateException("Cannot begin a transaction in a transaction.");
        }
        while (!coordinator.isIdle(id)) {
            // The markers of the last transaction are not written yet.
            time.pause(Duration.ofMillis(5));
        }
        current = new SimulatedTransaction(id, epoch);
    }

    private void sendOffsets(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata metadata) {
        checkError();
        requireNothing("sendOffsetsToTransaction");
        SimulatedTransaction transaction = begun();
        time.pause(Duration.ofNanos(time.random(5_000_000)));
        boolean isLate = isFaulty.getAsBoolean();
        boolean isWithoutEffect = isLate && time.random(2) == 0;
        if (!isWithoutEffect) {
            if (!coordinator.isAccepted(transaction)) {
                throw fenced();
            }
            if (!isCurrent(metadata)) {
                CommitFailedException stale = new CommitFailedException("The member is not of this generation.");
                error = stale;
                throw stale;
            }
            offsets.forEach((partition, offset) -> inputs.commit(partition.partition(), offset, transaction));
        }
        if (isLate) {
            throw new TimeoutException("The coordinator does not answer.");
        }
    }

    /**
     * Whether the broker accepts the group metadata. As in Kafka, metadata without a member is
     * accepted.
     */
    private boolean isCurrent(ConsumerGroupMetadata metadata) {
        String member = metadata.memberId();
        return member.isEmpty() || group.isCurrent(Integer.parseInt(member), metadata.generationId());
    }

    private void end(String call, boolean isCommit) {
        checkFenced();
        SimulatedTransaction transaction = begun();
        if (pending != null && !pending.equals(call)) {
            throw new IllegalStateException("Cannot " + call + ": " + pending + " timed out and must be tried again.");
        }
        if (pending == null) {
            awaitAnswers();
            if (isCommit) {
                checkError();
            }
        }
        pending = call;
        time.pause(Duration.ofNanos(time.random(5_000_000)));
        boolean isLate = isFaulty.getAsBoolean();
        if (isLate && time.random(2) == 0) {
            throw new TimeoutException("The coordinator does not answer.");
        }
        try {
            coordinator.end(transaction, isCommit);
        } catch (ProducerFencedException e) {
            throw fenced();
        }
        if (isLate) {
            throw new TimeoutException("The coordinator's answer was lost.");
        }
        pending = null;
        current = null;
        error = null;
    }

    private void awaitAnswers() {
        try {
            flush();
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private SimulatedTransaction begun() {
        SimulatedTransaction transaction = current;
        if (transaction == null) {
            throw new IllegalStateException("No transaction is open.");
        }
        return transaction;
    }

    private void requireNothing(String call) {
        if (pending != null) {
            throw new IllegalStateException("Cannot " + call + ": " + pending + " timed out and must be tried again.");
        }
    }

    private ProducerFencedException fenced() {
        isFenced = true;
        return new ProducerFencedException("A newer producer has the transactional id " + id + ".");
    }

    private void checkFenced() {
        if (isFenced) {
            throw fenced();
        }
    }

    private void checkError() {
        checkFenced();
        if (error != null) {
            throw new KafkaException("The transaction is in an error state.", error);
        }
    }

    @Override
    void checkSend() {
        checkError();
        requireNothing("send");
        begun();
    }

    @Override
    @Nullable
    SimulatedTransaction transaction() {
        return current;
    }

    @Override
    @Nullable
    RuntimeException refusal(@Nullable SimulatedTransaction transaction) {
        return transaction != null && coordinator.isAccepted(transaction)
                ? null
                : new InvalidProducerEpochException("The producer's epoch is old.");
    }

    @Override
    void failed(RuntimeException failure) {
        if (error == null) {
            error = failure;
        }
    }
}
