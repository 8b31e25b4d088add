package dev.blobshuffle.kafka;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's idempotent producer on a {@link SimulatedBroker}. Records arrive later and in order,
 * answers even later, and some records are lost. With transactions, a loss is an error until the
 * abort, and requests to the coordinator time out with and without effect. Guarded by the
 * simulation's baton.
 */
class SimulatedProducer implements InvocationHandler {
    private final SimulatedBroker broker;
    final SimulatedTime time;
    private final SimulatedProcess process;
    final BooleanSupplier isFaulty;
    private final Signal answered;
    private int unanswered;
    private long lastArrival;

    /** @param isFaulty whether the current request fails */
    SimulatedProducer(SimulatedBroker broker, SimulatedTime time, SimulatedProcess process, BooleanSupplier isFaulty) {
        this.broker = broker;
        this.time = time;
        this.process = process;
        this.isFaulty = isFaulty;
        answered = process.signal();
    }

    @SuppressWarnings("unchecked") // The proxy implements it.
    Producer<byte[], byte[]> client() {
        return (Producer<byte[], byte[]>)
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Producer.class}, this);
    }

    @Override
    @SuppressWarnings("unchecked") // Kafka's types.
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        switch (method.getName()) {
            case "send":
                return send((ProducerRecord<byte[], byte[]>) arguments[0], (Callback) arguments[1]);
            case "flush":
                flush();
                return null;
            case "partitionsFor":
                return partitions();
            case "close":
                return null;
            default:
                return transactional(method, arguments);
        }
    }

    /** Handles a method that only transactions use. */
    @Nullable
    Object transactional(Method method, Object[] arguments) {
        throw new UnsupportedOperationException(method.toString());
    }

    private List<PartitionInfo> partitions() {
        Node[] nodes = {new Node(1, "broker", 9092)};
        List<PartitionInfo> partitions = new ArrayList<>();
        for (int partition = 0; partition < broker.partitions(); partition++) {
            partitions.add(new PartitionInfo(broker.topic(), partition, nodes[0], nodes, nodes));
        }
        return partitions;
    }

    private Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        checkSend();
        long now = time.elapsed().toNanos();
        long arrival = Math.max(lastArrival + 1, now + time.random(10_000_000));
        lastArrival = arrival;
        unanswered++;
        CompletableFuture<RecordMetadata> result = new CompletableFuture<>();
        SimulatedTransaction transaction = transaction();
        time.schedule(Duration.ofNanos(arrival - now), () -> arrive(record, transaction, callback, result));
        return result;
    }

    /** The transaction of new records. */
    @Nullable
    SimulatedTransaction transaction() {
        return null;
    }

    /** Throws if a send is rejected. */
    void checkSend() {}

    /** The failure of an arriving record; null if the broker accepts it. */
    @Nullable
    RuntimeException refusal(@Nullable SimulatedTransaction transaction) {
        return null;
    }

    /** Called when a send has failed. */
    void failed(RuntimeException failure) {}

    private void arrive(
            ProducerRecord<byte[], byte[]> record,
            @Nullable SimulatedTransaction transaction,
            Callback callback,
            CompletableFuture<RecordMetadata> result) {
        RuntimeException refusal = refusal(transaction);
        boolean isLost = refusal == null && isFaulty.getAsBoolean();
        boolean isStored = refusal == null && (!isLost || time.random(3) == 0);
        long offset = isStored ? broker.append(record, transaction) : -1;
        RuntimeException failure = isLost ? new TimeoutException("The broker does not answer.") : refusal;
        time.schedule(Duration.ofNanos(time.random(10_000_000)), () -> {
            if (!process.isAlive()) {
                return;
            }
            RecordMetadata metadata = new RecordMetadata(
                    broker.kafka(record.partition()), failure != null ? -1 : offset, 0, record.timestamp(), 0, 0);
            if (failure != null) {
                failed(failure);
                callback.onCompletion(metadata, failure);
                result.completeExceptionally(failure);
            } else {
                callback.onCompletion(metadata, null);
                result.complete(metadata);
            }
            unanswered--;
            answered.raise();
        });
    }

    final void flush() throws InterruptedException {
        while (true) {
            long seen = answered.count();
            if (unanswered == 0) {
                return;
            }
            answered.await(seen, process.nanos() + Duration.ofMinutes(5).toNanos());
        }
    }
}
