package dev.blobshuffle.kafka.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One producer of a side, with the sends whose results are not reported yet. */
final class Writer implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final Producer<byte[], byte[]> producer;
    private final SentLog log;
    private final boolean transactional;
    private final long started;
    private final List<Pending> pending = new ArrayList<>();
    private boolean inTransaction;
    private boolean isSpoiled;

    /** A send, with the result of its callback. */
    private static final class Pending {
        final int record;
        private final CountDownLatch called = new CountDownLatch(1);
        private @Nullable Future<RecordMetadata> future;
        private volatile int calls;
        private volatile @Nullable Exception failure;
        private volatile @Nullable RecordMetadata metadata;

        Pending(int record) {
            this.record = record;
        }
    }

    /**
     * @param started records with later timestamps have the time of the call
     */
    Writer(Producer<byte[], byte[]> producer, SentLog log, boolean transactional, long started) {
        this.producer = producer;
        this.log = log;
        this.transactional = transactional;
        this.started = started;
        if (transactional) {
            producer.initTransactions();
        }
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    boolean isInTransaction() {
        return inTransaction;
    }

    String send(int number, ProducerRecord<byte[], byte[]> record) {
        Pending sent = new Pending(number);
        String outcome = Outcome.of(() -> {
            if (inTransaction) {
                log.opened(number);
            }
            sent.future = producer.send(record, (metadata, failure) -> {
                sent.calls++;
                sent.failure = failure;
                sent.metadata = metadata;
                if (failure == null) {
                    log.acknowledged(metadata.partition(), metadata.offset(), number);
                }
                sent.called.countDown();
            });
            pending.add(sent);
            return "sent";
        });
        if (inTransaction && isSpoiled) {
            return "in a failed transaction";
        }
        isSpoiled = sent.failure != null;
        return outcome;
    }

    String flush() {
        return Outcome.of(() -> {
            producer.flush();
            return results();
        });
    }

    /** The result of each send since the last call, in order. */
    private String results() throws Exception {
        List<String> results = new ArrayList<>();
        for (Pending sent : pending) {
            results.add("#" + sent.record + " " + result(sent));
            isSpoiled |= sent.failure != null;
        }
        pending.clear();
        if (inTransaction && isSpoiled) {
            return "in a failed transaction";
        }
        results.addAll(log.problems());
        return String.join(", ", results);
    }

    private String result(Pending sent) throws Exception {
        String result;
        try {
            RecordMetadata metadata = sent.future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String time = metadata.timestamp() >= started ? "now" : String.valueOf(metadata.timestamp());
            result = "in " + metadata.partition() + " at " + time + " sizes " + metadata.serializedKeySize() + "/"
                    + metadata.serializedValueSize();
        } catch (TimeoutException e) {
            return "is not done after the flush";
        } catch (java.util.concurrent.ExecutionException e) {
            result = Outcome.failure(e);
            if (sent.called.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                result += " and the callback " + Outcome.failure(sent.failure) + " with " + text(sent.metadata);
            }
        }
        if (!sent.called.await(PATIENCE_SECONDS, TimeUnit.SECONDS) || sent.calls != 1) {
            result += " callbacks: " + sent.calls;
        }
        return result;
    }

    /** Without the partition, which natively may be unknown. */
    private static String text(RecordMetadata metadata) {
        return metadata.offset() + " at " + metadata.timestamp() + " sizes " + metadata.serializedKeySize() + "/"
                + metadata.serializedValueSize();
    }

    String begin() {
        return Outcome.of(() -> {
            producer.beginTransaction();
            inTransaction = true;
            isSpoiled = false;
            return "begun";
        });
    }

    String commit() {
        return Outcome.of(() -> {
            producer.commitTransaction();
            inTransaction = false;
            log.committed();
            return "committed " + results();
        });
    }

    /**
     * Aborts. Sends of the aborted transaction may or may not have failed, depending on the
     * producer's thread.
     */
    String abort() {
        return Outcome.of(() -> {
            producer.abortTransaction();
            for (Pending sent : pending) {
                if (!sent.called.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    return "aborted, and #" + sent.record + " is not done";
                }
            }
            inTransaction = false;
            log.aborted();
            pending.clear();
            return "aborted";
        });
    }

    String offsets(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        return Outcome.of(() -> {
            producer.sendOffsetsToTransaction(new HashMap<>(offsets), group);
            return "offsets sent";
        });
    }

    boolean isTransactional() {
        return transactional;
    }

    @Override
    public void close() {
        producer.close(java.time.Duration.ofSeconds(5));
    }
}
