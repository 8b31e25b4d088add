package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.flight.internal.wire.ArrowMessage;
import dev.blobshuffle.flight.internal.wire.Crc32cSum;
import dev.blobshuffle.flightdaemon.internal.blob.BlobFooter;
import dev.blobshuffle.flightdaemon.internal.blob.OpenBlob;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import dev.blobshuffle.flightdaemon.internal.ticket.Ticket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a stream: map by map, and within a map in ascending order of partitions. It opens
 * one blob at a time, and returns only bytes whose checksum it has verified. Owned by the stream.
 */
public final class FrameSource implements AutoCloseable {
    private final List<StoredBlob> blobs;
    private final PartitionRange partitions;
    private final List<SentMap> sent = new ArrayList<>();

    /** The schema of the first blob. All other blobs must have the same schema. */
    private final ByteBuffer schema;

    private long framesToSkip;
    private int next;
    private @Nullable OpenBlob open;
    private List<ArrowMessage> dictionaries = List.of();
    private List<Container.Segment> segments = List.of();
    private int segment;
    private int frame;
    private long frameOffset;
    private @Nullable SentMap sending;

    /** The totals sent for a map, for the client to compare. Owned by the source. */
    static final class SentMap {
        final StoredBlob blob;
        final Crc32cSum checksum = new Crc32cSum();
        long rows;
        long bytes;

        SentMap(StoredBlob blob) {
            this.blob = blob;
        }
    }

    FrameSource(List<StoredBlob> blobs, Ticket ticket) {
        this.blobs = blobs;
        partitions = ticket.partitions();
        framesToSkip = ticket.startFrame();
        blobs.get(0).footer().require(partitions);
        schema = blobs.get(0).footer().schema();
    }

    /** Whether the source reads copies from a store, which may be slow. */
    boolean readsCopies() {
        return blobs.stream().anyMatch(StoredBlob::isCopy);
    }

    /** The schema message of the stream. */
    ArrowMessage schemaMessage() {
        return ArrowMessage.split(schema.duplicate(), "a schema").get(0);
    }

    /** Moves to the next frame; returns whether there is one. */
    boolean advance() {
        while (true) {
            while (segment < segments.size()) {
                Container.Segment at = segments.get(segment);
                if (frame == 0) {
                    frameOffset = at.offset();
                    long frames = Math.max(1, at.frames().size());
                    if (framesToSkip >= frames) {
                        framesToSkip -= frames;
                        segment++;
                        continue;
                    }
                }
                if (framesToSkip > 0) {
                    framesToSkip--;
                    passFrame(at);
                    continue;
                }
                return true;
            }
            if (!openNext()) {
                requireFrames();
                return false;
            }
        }
    }

    /**
     * Requires that the start frame is at most the number of frames. A reader that has all frames
     * may ask for the position after the last.
     */
    private void requireFrames() {
        if (framesToSkip > 0) {
            throw new RefusedException(
                    Reason.INVALID,
                    "Cannot read from the given frame: partitions " + partitions + " end " + framesToSkip
                            + " frames before it. Count frames of these partitions and maps.");
        }
    }

    private void passFrame(Container.Segment at) {
        frameOffset += present().length();
        frame++;
        if (frame >= Math.max(1, at.frames().size())) {
            frame = 0;
            segment++;
        }
    }

    private boolean openNext() {
        close();
        if (next == blobs.size()) {
            return false;
        }
        StoredBlob blob = blobs.get(next++);
        OpenBlob opened = blob.open();
        open = opened;
        BlobFooter footer = blob.footer(opened);
        footer.require(partitions);
        if (!footer.schema().equals(schema)) {
            throw new RefusedException(
                    Reason.INVALID,
                    "Cannot read " + blob + ": its schema is another than that of " + blobs.get(0)
                            + ". Write all maps with one schema and one program.");
        }
        dictionaries = footer.dictionaries();
        segments = footer.segments(partitions);
        segment = 0;
        frame = 0;
        sending = new SentMap(blob);
        sent.add(sending);
        return true;
    }

    /** Length and checksum of the current frame. */
    private Container.Frame present() {
        Container.Segment at = segments.get(segment);
        return at.frames().isEmpty()
                ? new Container.Frame(Math.toIntExact(at.length()), at.checksum())
                : at.frames().get(frame);
    }

    /** The length of the current frame, bytes. */
    int length() {
        return present().length();
    }

    /**
     * The dictionaries to send before the current frame. Empty except at the first frame of a map.
     */
    List<ArrowMessage> takeDictionaries() {
        List<ArrowMessage> taken = dictionaries;
        dictionaries = List.of();
        return taken;
    }

    /** Whether the current frame is in memory. {@link #read} needs no buffer then. */
    boolean isHeld() {
        OpenBlob from = open;
        return from != null && from.isInMemory();
    }

    /**
     * Reads and verifies the current frame.
     *
     * @param target a buffer whose limit is the length of the frame; unused if the frame
     *     {@link #isHeld}. Its messages are those that the writer sent then, and their checksums
     *     were computed from them.
     */
    List<ArrowMessage> read(ByteBuffer target) {
        Container.Segment at = segments.get(segment);
        Container.Frame present = present();
        OpenBlob from = open;
        SentMap map = sending;
        if (from == null || map == null) {
            throw new IllegalStateException("Cannot read a frame: there is none. Advance first.");
        }
        String what = "frame " + frame + " of partition " + at.partition() + " of " + map.blob;
        List<ArrowMessage> messages = new ArrayList<>(1);
        Optional<List<ByteBuffer>> held = from.parts(frameOffset, present.length());
        if (held.isPresent()) {
            held.get().forEach(part -> messages.addAll(ArrowMessage.split(part, what)));
        } else {
            from.read(frameOffset, present.checksum(), target);
            messages.addAll(ArrowMessage.split(target, what));
        }
        map.checksum.add(present.checksum(), present.length());
        map.bytes += present.length();
        boolean isLast = frame + 1 >= at.frames().size();
        if (isLast) {
            map.rows += at.rows().orElse(0);
        }
        passFrame(at);
        return messages;
    }

    /** The totals sent so far for each map. */
    List<SentMap> sent() {
        return sent;
    }

    /** Closes the open blob. Idempotent. */
    @Override
    public void close() {
        OpenBlob opened = open;
        open = null;
        if (opened != null) {
            opened.close();
        }
    }
}
