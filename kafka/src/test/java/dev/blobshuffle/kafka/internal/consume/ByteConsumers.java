package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/** Consumers of bytes over a real consumer that a test drives. They have no interceptors. */
public final class ByteConsumers {
    private ByteConsumers() {}

    /** A consumer of any application that commits itself and polls ten records at once. */
    static ShuffleConsumer<byte[], byte[]> of(Consumer<byte[], byte[]> real, Engine engine, Time time) {
        return new ShuffleConsumer<>(parts(real, engine, wiring(time), null, () -> {}));
    }

    /** Connects a consumer of any application that polls ten records at once. */
    static ConsumerWiring wiring(Time time) {
        return new ConsumerWiring(Mode.GENERAL, "c", Clients.topics(), 10, ClientPair.alone(), Membership.none(), time);
    }

    /**
     * The parts of a consumer.
     *
     * @param autoCommit interval of the auto-commit; null if it is off
     * @param release runs when the consumer is closed
     */
    public static ConsumerParts<byte[], byte[]> parts(
            Consumer<byte[], byte[]> real,
            Engine engine,
            ConsumerWiring wiring,
            @Nullable Duration autoCommit,
            Runnable release) {
        return new ConsumerParts<>(
                real,
                engine,
                wiring,
                new RecordDeserializer.Bytes(),
                new ConsumerInterceptorChain<>(List.of()),
                autoCommit,
                Duration.ofMinutes(1),
                null,
                Reset.REAL,
                Map::of,
                release);
    }
}
