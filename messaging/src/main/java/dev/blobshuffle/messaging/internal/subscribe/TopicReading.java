package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.tail.LogTails;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A member's reading of one topic, in one or two streams: the main stream, and one for partitions
 * that are behind it, because they came later, were paused, or were moved back. When the second
 * stream reaches the first, they are merged. Owned by the subscriber's thread.
 */
final class TopicReading implements AutoCloseable {
    private final LogTopic topic;
    private final LogTails tails;
    private final Runnable whenMore;
    private @Nullable TopicStream main;
    private @Nullable TopicStream behind;

    TopicReading(LogTopic topic, LogTails tails, Runnable whenMore) {
        this.topic = topic;
        this.tails = tails;
        this.whenMore = whenMore;
    }

    LogTopic topic() {
        return topic;
    }

    /** Feeds a partition from its current place on. */
    void add(PartitionReading partition) {
        if (partition.stream != null) {
            return;
        }
        long from = partition.from.sequence();
        if (main == null) {
            main = open(from);
        } else if (main.isEmpty()) {
            main.seek(from);
        }
        if (from >= main.position()) {
            main.add(partition);
        } else {
            addBehind(partition, from);
        }
    }

    private void addBehind(PartitionReading partition, long from) {
        TopicStream stream = behind;
        if (stream == null) {
            stream = open(from);
            behind = stream;
        } else if (from < stream.position()) {
            for (PartitionReading each : stream.partitions()) {
                each.from = each.next(); // Do not queue queued records again.
            }
            stream.seek(from);
        }
        stream.add(partition);
    }

    private TopicStream open(long from) {
        return new TopicStream(tails.open(topic.number(), from, whenMore));
    }

    /** Stops feeding a partition, which keeps its place. */
    void remove(PartitionReading partition) {
        TopicStream stream = partition.stream;
        if (stream != null) {
            stream.remove(partition);
            closeEmpty();
        }
    }

    private void closeEmpty() {
        if (behind != null && behind.isEmpty()) {
            behind.close();
            behind = null;
        }
        if (main != null && main.isEmpty() && behind != null) {
            main.close();
            main = behind;
            behind = null;
        }
    }

    /** Merges the streams if the second one has reached the first. */
    void merge() {
        TopicStream first = main;
        TopicStream second = behind;
        if (first != null && second != null && second.position() >= first.position()) {
            for (PartitionReading each : List.copyOf(second.partitions())) {
                second.remove(each);
                first.add(each);
            }
            closeEmpty();
        }
    }

    /** The streams, the one further behind first. */
    List<TopicStream> streams() {
        List<TopicStream> streams = new ArrayList<>(2);
        if (behind != null) {
            streams.add(behind);
        }
        if (main != null) {
            streams.add(main);
        }
        return streams;
    }

    /** The topic's last known end. */
    OptionalLong end() {
        return main == null ? OptionalLong.empty() : main.end();
    }

    @Override
    public void close() {
        streams().forEach(TopicStream::close);
        main = null;
        behind = null;
    }
}
