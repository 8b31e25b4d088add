package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.publish.Sequencer;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The parts that the publishers of an instance share. All of them outlive the publishers.
 *
 * @param log receives the commits
 * @param catalog finds topics by their names
 * @param homes the home zones of partitions
 * @param sequencer sequences commits
 * @param engine turns records into blobs
 * @param deliveryTimeout time from the end of a batch until it is stored, and from then until it is
 *     committed
 * @param time its clocks and threads
 * @param closed called for a closed publisher
 */
public record PublisherParts(
        CommitLog log,
        TopicCatalog catalog,
        TopicHomes homes,
        Sequencer sequencer,
        Engine engine,
        Duration deliveryTimeout,
        Time time,
        Consumer<AutoCloseable> closed) {}
