package dev.blobshuffle.kafka;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** One real broker for all tests of the JVM, started by the first and closed after the last. */
public final class SharedBroker implements BeforeAllCallback {
    private EmbeddedKafka broker;

    @Override
    public void beforeAll(ExtensionContext context) {
        broker = context.getRoot()
                .getStore(Namespace.create(SharedBroker.class))
                .getOrComputeIfAbsent("broker", name -> new Started(), Started.class)
                .broker;
    }

    /** The broker. */
    public EmbeddedKafka broker() {
        return broker;
    }

    private static final class Started implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        private final EmbeddedKafka broker = EmbeddedKafka.builder().start();

        @Override
        public void close() {
            broker.close();
        }
    }
}
