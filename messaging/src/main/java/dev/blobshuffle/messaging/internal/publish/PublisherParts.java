package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.publish.Sequencer;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the publishers of an instance share. All of it outlives them.
 *
 * @param log takes the commits
 * @param catalog finds topics by their names
 * @param homes know in which zones partitions are read
 * @param sequencer puts commits in order
 * @param engine makes blobs of records
 * @param deliveryTimeout time from the end of a batch until it is stored, and from then until it is
 *     committed
 * @param time its clocks and threads
 * @param closed hears of a publisher that was closed
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
