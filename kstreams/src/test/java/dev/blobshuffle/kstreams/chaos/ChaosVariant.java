package dev.blobshuffle.kstreams.chaos;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import dev.blobshuffle.kstreams.keyparallel.ForgetfulValues;
import dev.blobshuffle.kstreams.keyparallel.KeyParallel;
import dev.blobshuffle.kstreams.keyparallel.KeyParallelOptions;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/** How the application's records get into blobs. */
enum ChaosVariant {
    /** With the client supplier, invisible in the topology. */
    BLOBS,

    /**
     * With the client supplier, and a slow function after each shuffle, called for many records
     * concurrently.
     */
    BLOBS_AND_CALLS {
        @Override
        KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
            return super.repartition(name, partitions, stream).processValues(slow(name));
        }
    },

    /** With the client supplier, in three zones whose instances share their caches. */
    ZONES,

    /** Natively, with Kafka alone. */
    NATIVE,

    /** With the explicit operators. */
    OPERATORS {
        @Override
        KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
            return shuffle(name, partitions).repartition(stream);
        }
    },

    /** With operators whose commits do not wait: a control, which must lose records. */
    FORGETFUL_OPERATORS {
        @Override
        KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
            BlobShuffle<Integer, byte[]> shuffle = shuffle(name, partitions);
            return stream.process(new Forgetful<>(shuffle.batcherSupplier(), name + "-batcher-gate"))
                    .repartition(shuffle.repartitioned())
                    .processValues(shuffle.debatcherSupplier());
        }
    },

    /** Natively, with a slow function after each shuffle, called for many records concurrently. */
    KEY_PARALLEL {
        @Override
        KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
            return super.repartition(name, partitions, stream).processValues(slow(name));
        }
    },

    /**
     * The same with commits that do not wait for the function: a control, which must lose records.
     */
    FORGETFUL_KEY_PARALLEL {
        @Override
        KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
            FixedKeyProcessorSupplier<Integer, byte[], byte[]> slow = slow(name);
            return super.repartition(name, partitions, stream)
                    .processValues(new ForgetfulValues<>(slow, name + "-function"));
        }
    };

    /** The setting that names the variant for an instance. */
    static final String SETTING = "chaos.variant";

    private static final Serde<Integer> KEYS = Serdes.Integer();
    private static final Serde<byte[]> VALUES = Serdes.ByteArray();

    KStream<Integer, byte[]> repartition(String name, int partitions, KStream<Integer, byte[]> stream) {
        return stream.repartition(Repartitioned.<Integer, byte[]>as(name)
                .withKeySerde(KEYS)
                .withValueSerde(VALUES)
                .withNumberOfPartitions(partitions));
    }

    /** Whether no records go through blobs. */
    boolean isNative() {
        return this == NATIVE || this == KEY_PARALLEL || this == FORGETFUL_KEY_PARALLEL;
    }

    private static FixedKeyProcessorSupplier<Integer, byte[], byte[]> slow(String name) {
        return KeyParallel.mapValues(
                (key, value) -> {
                    LockSupport.parkNanos(Math.floorMod(Arrays.hashCode(value), 10) * 1_000_000L);
                    return value;
                },
                KeyParallelOptions.builder(name + "-function")
                        .maxConcurrency(64)
                        .build());
    }

    boolean isOfOperators() {
        return this == OPERATORS || this == FORGETFUL_OPERATORS;
    }

    private static BlobShuffle<Integer, byte[]> shuffle(String name, int partitions) {
        return BlobShuffle.<Integer, byte[]>builder(name, partitions)
                .serdes(KEYS, VALUES)
                .build();
    }

    /** Removes the gate that holds commits back. */
    private record Forgetful<K, V, W>(ProcessorSupplier<K, V, K, W> supplier, String gate)
            implements ProcessorSupplier<K, V, K, W> {
        @Override
        public Set<StoreBuilder<?>> stores() {
            return supplier.stores();
        }

        @Override
        public Processor<K, V, K, W> get() {
            Processor<K, V, K, W> processor = supplier.get();
            return new Processor<>() {
                @Override
                public void init(ProcessorContext<K, W> context) {
                    processor.init(context);
                    CommitGate.of(context, gate).detach();
                }

                @Override
                public void process(Record<K, V> record) {
                    processor.process(record);
                }

                @Override
                public void close() {
                    processor.close();
                }
            };
        }
    }
}
