package dev.blobshuffle.kafkaembedded;

/** Builds an {@link EmbeddedKafka}. Not thread-safe. */
public final class EmbeddedKafkaBuilder extends KafkaClusterBuilder<EmbeddedKafkaBuilder> {
    private PortSource ports = PortSource::free;

    EmbeddedKafkaBuilder() {}

    @Override
    EmbeddedKafkaBuilder self() {
        return this;
    }

    EmbeddedKafkaBuilder ports(PortSource source) {
        ports = source;
        return this;
    }

    /**
     * Starts the cluster and returns when every node knows every broker.
     *
     * @throws IllegalArgumentException if the settings are unusable, before anything is started
     * @throws IllegalStateException if a node does not start within the start timeout; no node
     *     keeps running
     */
    public EmbeddedKafka start() {
        return EmbeddedKafka.start(config(), ports);
    }
}
