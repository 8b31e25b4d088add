package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.Producer;

/**
 * A producer that writes records to blobs, for a stream thread of Kafka Streams. Owned by that
 * thread.
 */
public final class StreamsProducer extends ShuffleProducer<byte[], byte[]> {
    private StreamsProducer(
            Producer<byte[], byte[]> delegate, ProducerWiring wiring, Sender<byte[], byte[]> sender, Runnable release) {
        super(delegate, wiring, sender, Map::of, release);
    }

    /**
     * Wraps a ready producer, without application classes.
     *
     * @param delegate the ready producer, without interceptors; closed with the new one
     * @param engine the instance's engine; stays open
     * @param name names the lane: the client id
     */
    public static StreamsProducer wrap(
            Producer<byte[], byte[]> delegate, Engine engine, String name, ProducerWiring wiring) {
        return wrap(delegate, engine, name, wiring, ProducerPlugins.none());
    }

    /**
     * As {@link #wrap(Producer, Engine, String, ProducerWiring)}, with application classes.
     *
     * @param plugins closed with the new producer
     */
    public static StreamsProducer wrap(
            Producer<byte[], byte[]> delegate,
            Engine engine,
            String name,
            ProducerWiring wiring,
            ProducerPlugins plugins) {
        Optional<ProducerPush> push = push(delegate, wiring);
        Completions completions = plugins.interceptors().isEmpty()
                ? Completions.atAppend()
                : Completions.atAcknowledgement(wiring.time());
        ProducerChannel channel = channel(delegate, completions, wiring, push);
        Lane lane = engine.lane(name, channel);
        return new StreamsProducer(
                delegate, wiring, new StreamsSender(delegate, wiring, plugins, channel, lane), () -> {
                    push.ifPresent(ProducerPush::close);
                    plugins.close();
                });
    }
}
