package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Batches of a map in memory, by partition. {@link #write} makes one segment per partition, in
 * frames of about 4 MiB. Each frame begins with the dictionaries that its batches use. Owned by one
 * thread at a time.
 */
final class PutRun {
    private static final int FRAME_BYTES = 4 << 20;

    private final TreeMap<Integer, Rows> partitions = new TreeMap<>();
    private long batchBytes;
    private long dictionaryBytes;
    private int frames;

    /** The batches of a partition. */
    private static final class Rows {
        final List<Frame> frames = new ArrayList<>();
        long rows;
    }

    /** A frame that takes batches until it is full or the dictionaries change. */
    private static final class Frame {
        final List<ByteBuffer> dictionaries;
        final List<ByteBuffer> messages;
        long bytes;

        Frame(List<ByteBuffer> dictionaries) {
            this.dictionaries = dictionaries;
            messages = new ArrayList<>(dictionaries);
        }
    }

    /**
     * Adds a batch.
     *
     * @param dictionaries that the batch needs; a different list if one has changed
     */
    void add(int partition, long rows, ByteBuffer message, List<ByteBuffer> dictionaries) {
        Rows target = partitions.computeIfAbsent(partition, key -> new Rows());
        Frame last = target.frames.isEmpty() ? null : target.frames.get(target.frames.size() - 1);
        if (last == null || last.dictionaries != dictionaries || last.bytes + message.remaining() > FRAME_BYTES) {
            last = new Frame(dictionaries);
            target.frames.add(last);
            frames++;
            dictionaryBytes += length(dictionaries);
        }
        last.messages.add(message);
        last.bytes += message.remaining();
        batchBytes += message.remaining();
        target.rows = Math.addExact(target.rows, rows);
    }

    private static long length(List<ByteBuffer> parts) {
        return parts.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    /** Bytes of the batches. */
    long batchBytes() {
        return batchBytes;
    }

    /** Bytes of the dictionaries in the blob. */
    long dictionaryBytes() {
        return dictionaryBytes;
    }

    int segments() {
        return partitions.size();
    }

    int frames() {
        return frames;
    }

    /** All messages, in the order in which {@link #write} writes them. */
    List<ByteBuffer> messages() {
        List<ByteBuffer> messages = new ArrayList<>();
        partitions.values().forEach(rows -> rows.frames.forEach(frame -> messages.addAll(frame.messages)));
        return messages;
    }

    /** Writes one segment per partition. */
    void write(ContainerWriter writer, Container.Origin origin) {
        for (Map.Entry<Integer, Rows> partition : partitions.entrySet()) {
            Rows rows = partition.getValue();
            writer.gatheredSegment(
                    partition.getKey(),
                    Optional.of(origin),
                    OptionalLong.of(rows.rows),
                    OptionalLong.empty(),
                    rows.frames.stream().map(frame -> frame.messages).toList());
        }
    }
}
