package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaClientSupplier;

/** Makes clients that shuffle through blobs with a fault. */
public final class FaultySupplier implements KafkaClientSupplier, Configurable {
    private final BlobShuffleClientSupplier real = new BlobShuffleClientSupplier();
    private Fault fault = Fault.DOUBLED;

    /** Called by Kafka Streams. */
    public FaultySupplier() {}

    @Override
    public void configure(Map<String, ?> settings) {
        real.configure(settings);
        fault = Fault.valueOf(String.valueOf(settings.get(Fault.SETTING)));
    }

    private static boolean isShuffled(String topic) {
        return topic.endsWith("-repartition");
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return real.getAdmin(config);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        Producer<byte[], byte[]> producer = real.getProducer(config);
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        var record = (ProducerRecord<byte[], byte[]>) arguments[0];
                        arguments[0] = isShuffled(record.topic()) ? fault.write(record) : record;
                    }
                    return call(() -> method.invoke(producer, arguments));
                });
    }

    @Override
    @SuppressWarnings("unchecked")
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> consumer = real.getConsumer(config);
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    Object result = call(() -> method.invoke(consumer, arguments));
                    return result instanceof ConsumerRecords<?, ?> records
                            ? changed((ConsumerRecords<byte[], byte[]>) records)
                            : result;
                });
    }

    private ConsumerRecords<byte[], byte[]> changed(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> changed = new HashMap<>();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> read = records.records(partition);
            changed.put(partition, isShuffled(partition.topic()) ? fault.read(read) : read);
        }
        return new ConsumerRecords<>(changed, records.nextOffsets());
    }

    private interface Invocation {
        Object run() throws IllegalAccessException, InvocationTargetException;
    }

    private static Object call(Invocation invocation) throws Throwable {
        try {
            return invocation.run();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return real.getRestoreConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return real.getGlobalConsumer(config);
    }
}
