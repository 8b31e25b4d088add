package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import java.util.function.Consumer;

/**
 * The parts that the subscribers of an instance share. All of them outlive the subscribers.
 *
 * @param log has the topics and groups
 * @param catalog finds topics by their names
 * @param tails follow the topics
 * @param engine reads blobs, through the caches if there are any
 * @param membership publishes which partitions the instance reads
 * @param zone of the instance
 * @param time its clocks and threads
 * @param closed called for a closed subscriber
 */
public record SubscriberParts(
        CommitLog log,
        TopicCatalog catalog,
        LogTails tails,
        Engine engine,
        Membership membership,
        Zone zone,
        Time time,
        Consumer<AutoCloseable> closed) {}
