package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * The parts that all clients of a process with the same {@code blobshuffle.*} settings share.
 *
 * @param engine the engine
 * @param topics the topics that shuffle through blobs
 * @param writes whether their records go into blobs
 * @param deliveryTimeout longest time until a batch is delivered or lost
 * @param membership the other instances, for producers
 * @param watched the same, for consumers; it also reports what they read to the sweeper
 * @param time its clock
 * @param metrics the engine's metrics as Kafka metrics
 * @param release releases this client's share
 */
public record SharedParts(
        Engine engine,
        TopicMatcher topics,
        ProducerWiring.Writes writes,
        Duration deliveryTimeout,
        Membership membership,
        Membership watched,
        Time time,
        Supplier<Map<MetricName, ? extends Metric>> metrics,
        Runnable release) {}
