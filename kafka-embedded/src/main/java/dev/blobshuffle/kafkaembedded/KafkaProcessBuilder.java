package dev.blobshuffle.kafkaembedded;

import java.util.List;

/** Builds a {@link KafkaProcess} cluster. Not thread-safe. */
public final class KafkaProcessBuilder extends KafkaClusterBuilder<KafkaProcessBuilder> {
    private static final int LEAST_HEAP_MEBIBYTES = 128;

    private int heapMebibytes = 384;
    private List<String> jvmFlags = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private PortSource ports = PortSource::free;

    KafkaProcessBuilder() {}

    @Override
    KafkaProcessBuilder self() {
        return this;
    }

    KafkaProcessBuilder ports(PortSource source) {
        ports = source;
        return this;
    }

    /** The largest heap of each node's JVM, in MiB; 384 by default. */
    public KafkaProcessBuilder heapMebibytes(int mebibytes) {
        heapMebibytes = mebibytes;
        return this;
    }

    /**
     * The flags of the nodes' JVMs. They replace the default
     * {@code -XX:+UseSerialGC -XX:TieredStopAtLevel=1}, which starts fastest. Benchmarks use no
     * flags: {@code jvmFlags()}.
     */
    public KafkaProcessBuilder jvmFlags(String... flags) {
        jvmFlags = List.of(flags);
        return this;
    }

    /**
     * Starts the nodes' processes and returns when every node knows every broker.
     *
     * @throws IllegalArgumentException if the settings are unusable, before anything is started
     * @throws IllegalStateException if a node does not start within the start timeout; no node
     *     keeps running
     */
    public KafkaProcess start() {
        if (heapMebibytes < LEAST_HEAP_MEBIBYTES) {
            throw new IllegalArgumentException(
                    "Cannot start a Kafka cluster: a broker does not run in so small a heap, " + heapMebibytes
                            + " MiB. Give it " + LEAST_HEAP_MEBIBYTES + " MiB or more.");
        }
        return KafkaProcess.start(config(), new BrokerCommand(heapMebibytes, jvmFlags), ports);
    }
}
