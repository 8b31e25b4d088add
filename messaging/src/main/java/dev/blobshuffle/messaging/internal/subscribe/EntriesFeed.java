package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.entries.Entries;
import dev.blobshuffle.log.internal.entries.Entries.PlainRun;
import dev.blobshuffle.log.internal.entries.Entries.Run;
import dev.blobshuffle.log.internal.entries.Entries.SegmentRun;
import dev.blobshuffle.log.internal.entries.EntriesCodec;
import dev.blobshuffle.messaging.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Feeds batches from streams to a Debatcher while its queues have room: segments as they are, plain
 * records one by one. Owned by the subscriber's thread.
 */
final class EntriesFeed {
    /** Queued items of a partition above which its stream waits. */
    private static final int MOST_ITEMS = 2000;

    /** Queued bytes of segments and records of a partition above which its stream waits. */
    private static final long MOST_BYTES = 64L << 20;

    /** Queued bytes of plain records, which are in memory, above which all streams wait. */
    private static final long MOST_PLAIN_BYTES = 16L << 20;

    /** Most bytes of a paused partition's plain records that stay in memory. */
    private static final long MOST_PAUSED_PLAIN_BYTES = 256L << 10;

    /** Most batches that a stream feeds before its partitions' queues are checked again. */
    private static final int BATCHES = 50;

    private final Debatcher<Optional<PlainRecord>> debatcher;
    private final RecordCursor cursor = new RecordCursor();
    private long plainBytes;

    EntriesFeed(Debatcher<Optional<PlainRecord>> debatcher) {
        this.debatcher = debatcher;
    }

    /** Feeds the batches that have arrived. A stream that fails loses its partitions. */
    void feed(TopicReading topic) {
        for (TopicStream stream : topic.streams()) {
            try {
                while (hasRoom(stream) && feedSome(stream)) {
                    // Each step checks the room again.
                }
            } catch (ClosedException e) {
                throw e;
            } catch (BlobShuffleException e) {
                stop(topic, stream, named(topic, stream, e));
            }
        }
        topic.merge();
    }

    /** Adds the topic and the position to a failure. */
    private static BlobShuffleException named(TopicReading topic, TopicStream stream, BlobShuffleException failure) {
        String where = "Cannot read topic '" + topic.topic().name() + "', partitions "
                + stream.partitions().stream()
                        .map(each -> Integer.toString(each.numbered.partition()))
                        .collect(Collectors.joining(", "))
                + ", position " + new LogPosition(stream.position(), 0).value() + ": " + failure.getMessage();
        if (failure instanceof BlobCorruptException) {
            return new BlobCorruptException(where, failure);
        }
        return failure instanceof TopicAbsentException ? new TopicAbsentException(where, failure) : failure;
    }

    private boolean hasRoom(TopicStream stream) {
        if (stream.isEmpty() || plainBytes >= MOST_PLAIN_BYTES) {
            return false;
        }
        for (PartitionReading each : stream.partitions()) {
            if (debatcher.queuedItems(each.partition) >= MOST_ITEMS
                    || debatcher.queuedBytes(each.partition) >= MOST_BYTES) {
                return false;
            }
        }
        return true;
    }

    private boolean feedSome(TopicStream stream) {
        for (int i = 0; i < BATCHES; i++) {
            SequencedBatch batch = stream.head();
            if (batch == null) {
                return false;
            }
            offer(stream, batch);
            stream.passed();
        }
        return true;
    }

    private void offer(TopicStream stream, SequencedBatch batch) {
        Entries entries = EntriesCodec.decode(batch.entries(), number -> {
            PartitionReading partition = stream.partition(number);
            return partition != null && partition.from.sequence() <= batch.sequence();
        });
        for (Run run : entries.runs()) {
            PartitionReading partition = stream.partition(run.partition());
            if (partition != null) {
                boolean isCut = partition.from.sequence() == batch.sequence();
                int skipped = isCut ? Math.max(0, partition.from.index() - run.firstIndex()) : 0;
                if (skipped < run.records()) {
                    offer(partition, batch.sequence(), run, skipped);
                }
            }
        }
    }

    private void offer(PartitionReading partition, long sequence, Run run, int skipped) {
        if (run instanceof SegmentRun segment) {
            long offset = new LogPosition(sequence, run.firstIndex()).value();
            debatcher.offer(partition.partition, offset, segment.notification(), skipped, Optional.empty());
        } else if (run instanceof PlainRun plain) {
            plain.reset(cursor);
            for (int i = 0; cursor.next(); i++) {
                if (i >= skipped) {
                    long offset = new LogPosition(sequence, run.firstIndex() + i).value();
                    offer(partition, offset, read(cursor));
                }
            }
        }
    }

    private void offer(PartitionReading partition, long offset, PlainRecord read) {
        partition.plainBytes += read.size();
        plainBytes += read.size();
        debatcher.offer(partition.partition, offset, read.size(), Optional.of(read));
    }

    private static PlainRecord read(RecordCursor at) {
        return new PlainRecord(at.timestamp(), at.key(), at.value(), headers(at.headers()));
    }

    /** Copies headers. */
    static List<Header> headers(Headers from) {
        if (from.count() == 0) {
            return List.of();
        }
        List<Header> headers = new ArrayList<>(from.count());
        for (int i = 0; i < from.count(); i++) {
            headers.add(new Header(from.name(i), from.value(i)));
        }
        return headers;
    }

    /** Called when a plain record has left the queue. */
    void returned(PartitionReading partition, PlainRecord record) {
        partition.plainBytes -= record.size();
        plainBytes -= record.size();
    }

    /** Empties a partition's queue. A pause stays. */
    void drop(PartitionReading partition) {
        forget(partition);
        if (partition.isPaused) {
            debatcher.pause(partition.partition);
        }
    }

    /** Empties the queue of a partition that this member does not read any more. */
    void forget(PartitionReading partition) {
        debatcher.drop(partition.partition);
        plainBytes -= partition.isPaused ? 0 : partition.plainBytes;
        partition.plainBytes = 0;
    }

    /** Stops returning and feeding a partition. Its queue stays, unless it takes much memory. */
    void pause(TopicReading topic, PartitionReading partition) {
        LogPosition next = position(partition);
        topic.remove(partition);
        if (partition.plainBytes > MOST_PAUSED_PLAIN_BYTES) {
            drop(partition);
            partition.from = next;
        }
        partition.isPaused = true;
        plainBytes -= partition.plainBytes;
        debatcher.pause(partition.partition);
    }

    /** Ends a pause. */
    void resume(TopicReading topic, PartitionReading partition) {
        partition.isPaused = false;
        plainBytes += partition.plainBytes;
        debatcher.resume(partition.partition);
        if (partition.start.isEmpty() && partition.failure == null) {
            topic.add(partition);
        }
    }

    /**
     * Stops the partitions of a failed stream. Trimmed partitions restart as the reset policy says.
     */
    private void stop(TopicReading topic, TopicStream stream, BlobShuffleException reason) {
        for (PartitionReading each : List.copyOf(stream.partitions())) {
            topic.remove(each);
            if (reason instanceof PositionTrimmedException) {
                each.start = Optional.of(new Start.At(each.from));
            } else {
                each.failure = reason;
            }
        }
    }

    /** Position of the next record to return. */
    LogPosition position(PartitionReading partition) {
        Optional<Debatcher.Position> head = debatcher.head(partition.partition);
        return head.map(at -> LogPosition.of(at.offset() + at.index())).orElseGet(partition::next);
    }

    /** The reason why a partition cannot continue after everything before it is returned. */
    @Nullable
    RuntimeException obstacle(PartitionReading partition) {
        boolean isReached = !partition.isPaused && debatcher.queuedItems(partition.partition) == 0;
        return isReached ? partition.failure : null;
    }
}
