package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a map whose batches a client sends. Batches stay in memory until {@link #flush}
 * writes them to a directory, one segment per partition. A partition thus has one segment per
 * flush. Nothing is readable before {@link #commit}; {@link #close} without a commit leaves nothing
 * behind. Owned by one thread at a time.
 */
public final class MapPut implements AutoCloseable {
    /** The most bytes of dictionaries that the batches of a map use at a time. */
    public static final int MOST_DICTIONARY_BYTES = 1 << 20;

    /** The approximate memory of a message besides its bytes. */
    public static final int MESSAGE_OVERHEAD = 256;

    private static final Zone ZONE = new Zone("default");
    private static final int BYTES_PER_SEGMENT = 160;
    private static final int BYTES_PER_FRAME = 32;

    /** The most bytes of a segment's entry in the footer. */
    private static final int STORED_PER_SEGMENT = 40;

    private static final int STORED_PER_FRAME = 9;
    private static final long FREE_DICTIONARY_BYTES = 64L << 20;

    private final BlobName name;
    private final Container.Origin origin;
    private final int partitions;
    private final Placement placement;
    private final MemoryTier tier;
    private final Held held;
    private final long createdMillis;
    private final Map<Long, ByteBuffer> dictionaries = new LinkedHashMap<>();
    private List<ByteBuffer> present = List.of();

    /**
     * Bytes of the present dictionaries, and of those since the last flush, to which frames may
     * refer.
     */
    private long dictionaryBytes;

    private @Nullable ByteBuffer schema;
    private PutRun run = new PutRun();
    private int messages;
    private long rows;
    private long segments;
    private long frames;
    private @Nullable Spilled spilled;
    private boolean isEnded;

    /** Makes blobs in memory readable. */
    interface Held {
        /** Takes over the first use of the content. */
        StoredBlob hold(BlobName name, MemoryContent content);
    }

    /** The file of the flushed segments. */
    private record Spilled(BlobFile file, ContainerWriter writer) {}

    /**
     * The blob that a commit has stored.
     *
     * @param file the blob's name
     * @param id of the blob
     * @param length of the blob, bytes
     * @param rows of all partitions
     * @param footerChecksum CRC32C of its footer
     * @param isInMemory whether the blob is lost if the daemon restarts
     */
    public record Stored(String file, String id, long length, long rows, int footerChecksum, boolean isInMemory) {}

    MapPut(BlobName name, Container.Origin origin, int partitions, Shuffle.Place place, Held held, long createdMillis) {
        this.name = name;
        this.origin = origin;
        this.partitions = partitions;
        this.held = held;
        this.createdMillis = createdMillis;
        placement = place.placement();
        tier = place.tier();
    }

    /** Takes the schema message. */
    public void schema(byte[] message) {
        if (schema != null) {
            throw refused("it has two schemas. Send one, in the first message");
        }
        schema = ByteBuffer.wrap(message);
        messages++;
    }

    /**
     * Takes a dictionary. It replaces the dictionary of the same id for the batches that follow.
     *
     * @throws RefusedException the dictionaries are too long
     */
    public void dictionary(long id, byte[] message) {
        requireSchema();
        dictionaries.put(id, ByteBuffer.wrap(message));
        present = List.copyOf(dictionaries.values());
        messages++;
        long length = presentBytes();
        // Without batches, nothing refers to replaced dictionaries.
        dictionaryBytes = run.isEmpty() ? length : dictionaryBytes + message.length;
        if (length > MOST_DICTIONARY_BYTES) {
            throw refused("its dictionaries have " + length + " bytes, at most " + MOST_DICTIONARY_BYTES
                    + ". Cast these columns to the type of their values");
        }
    }

    private long presentBytes() {
        return present.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    /**
     * Takes a batch.
     *
     * @throws RefusedException its dictionaries would take more bytes than the batches, or the row
     *     count overflows
     */
    public void batch(int partition, long count, byte[] message) {
        requireSchema();
        try {
            rows = Math.addExact(rows, count);
        } catch (ArithmeticException e) {
            throw refused("its batches state more rows than there can be");
        }
        run.add(partition, count, ByteBuffer.wrap(message), present);
        messages++;
        if (run.dictionaryBytes() > FREE_DICTIONARY_BYTES + 2 * run.batchBytes()) {
            throw refused("each partition repeats the dictionaries, which would take " + run.dictionaryBytes()
                    + " bytes for " + run.batchBytes()
                    + " bytes of batches. Send larger batches, or cast these columns to the type of their values");
        }
        long footer = (segments + run.segments()) * STORED_PER_SEGMENT
                + (frames + run.frames()) * STORED_PER_FRAME
                + messages;
        if (footer > OpenBlob.MAX_FOOTER_LENGTH) {
            throw refused("its footer would have about " + footer + " bytes, at most " + OpenBlob.MAX_FOOTER_LENGTH
                    + ". Send larger batches, or fewer partitions");
        }
    }

    private void requireSchema() {
        if (schema == null) {
            throw refused("it has no schema. Send the schema in the first message");
        }
    }

    private RefusedException refused(String reason) {
        return new RefusedException(
                Reason.INVALID,
                "Cannot put map " + name.map() + " of shuffle " + origin.shuffle() + ": " + reason + ".");
    }

    /** Rows of all batches so far. */
    public long rows() {
        return rows;
    }

    /** Bytes in memory. */
    public long heldBytes() {
        return run.batchBytes()
                + dictionaryBytes
                + (schema == null ? 0 : schema.remaining())
                + (long) MESSAGE_OVERHEAD * messages
                + BYTES_PER_SEGMENT * (segments + run.segments())
                + BYTES_PER_FRAME * (frames + run.frames());
    }

    /** Whether {@link #flush} would free memory. */
    public boolean holdsBatches() {
        return !run.isEmpty();
    }

    /**
     * Writes the batches in memory to a directory.
     *
     * @throws StoreUnavailableException recoverable: no directory accepts them; run the map again
     * @throws RefusedException no directory has room
     */
    public void flush() {
        if (run.isEmpty()) {
            return;
        }
        if (spilled == null) {
            spilled = begin();
        } else {
            append(spilled);
        }
        segments += run.segments();
        frames += run.frames();
        run = new PutRun();
        messages = 0;
        dictionaryBytes = presentBytes();
    }

    private void append(Spilled target) {
        placement.take(target.file().root(), run.batchBytes() + run.dictionaryBytes());
        try {
            run.write(target.writer(), origin);
        } catch (StoreUnavailableException e) {
            placement.leave(target.file().root());
            throw e;
        }
    }

    /**
     * Extends the lease of the shuffle, if files of this map exist.
     *
     * @param wallMillis the current time
     */
    public void renew(long wallMillis) {
        Spilled written = spilled;
        if (written != null) {
            written.file().root().touch(origin.shuffle(), wallMillis);
        }
    }

    /** Writes the first batches. If a directory fails, tries another. */
    private Spilled begin() {
        long bytes = run.batchBytes() + run.dictionaryBytes();
        StoreUnavailableException failure = null;
        for (BlobRoot root : placement.candidates(bytes)) {
            try {
                return begin(root, bytes);
            } catch (StoreUnavailableException e) {
                placement.leave(root);
                failure = e;
            }
        }
        throw failure == null
                ? new StoreUnavailableException("Cannot put map " + name.map() + ": no directory.")
                : failure;
    }

    private Spilled begin(BlobRoot root, long bytes) {
        placement.take(root, bytes);
        BlobFile file = new BlobFile(root, origin.shuffle(), name);
        try {
            ContainerWriter writer = writer(file::write);
            run.write(writer, origin);
            return new Spilled(file, writer);
        } catch (RuntimeException e) {
            abort(file, e);
            throw e;
        }
    }

    private static void abort(BlobFile file, RuntimeException cause) {
        try {
            file.abort();
        } catch (StoreUnavailableException e) {
            cause.addSuppressed(e);
        }
    }

    private ContainerWriter writer(Consumer<ByteBuffer> sink) {
        ByteBuffer prelude = schema;
        if (prelude == null) {
            throw refused("it has no schema. Send the schema in the first message");
        }
        ContainerWriter writer = new ContainerWriter(name.id(), 0, createdMillis, ContentKind.ARROW, sink);
        writer.partitions(partitions);
        writer.prelude(prelude);
        if (!run.isEmpty()) {
            writer.section(ZONE);
        }
        return writer;
    }

    /**
     * Makes the rows readable: in memory if nothing was flushed and memory has room, else in a
     * directory.
     *
     * @throws StoreUnavailableException recoverable: no directory accepts them; run the map again
     */
    public Stored commit() {
        requireSchema();
        long bytes = heldBytes();
        return spilled == null && tier.reserve(bytes) ? commitToMemory(bytes) : commitToDirectory();
    }

    private Stored commitToMemory(long bytes) {
        List<ByteBuffer> parts = new ArrayList<>();
        boolean isHeld = false;
        try {
            ContainerWriter writer = writer(parts::add);
            run.write(writer, origin);
            Container ignored = writer.finish();
            // The writer passes views that hide their arrays. gRPC would copy these once more.
            List<ByteBuffer> messages = run.messages();
            for (int i = 0; i < messages.size(); i++) {
                parts.set(i + 1, messages.get(i));
            }
            MemoryContent content = new MemoryContent(parts, () -> tier.giveBack(bytes));
            isHeld = true;
            StoredBlob blob = held.hold(name, content);
            isEnded = true;
            Fingerprint fingerprint = new Fingerprint(content.length(), checksum(parts));
            return stored(fingerprint, blob.isInMemory());
        } finally {
            if (!isHeld) {
                tier.giveBack(bytes);
            }
        }
    }

    /** The footer's checksum, which is in the trailer: the last bytes of a blob. */
    private static int checksum(List<ByteBuffer> parts) {
        return Trailer.read(parts.get(parts.size() - 1).duplicate()).footerChecksum();
    }

    private Stored commitToDirectory() {
        if (run.isEmpty() && spilled == null) {
            spilled = begin();
        } else {
            flush();
        }
        Spilled target = spilled;
        if (target == null) {
            throw new IllegalStateException("Cannot commit a map: nothing was written.");
        }
        Container ignored = target.writer().finish();
        target.file().end();
        target.file().commit();
        isEnded = true;
        return stored(target.file().fingerprint(), false);
    }

    private Stored stored(Fingerprint fingerprint, boolean isInMemory) {
        return new Stored(
                name.file(),
                name.id().toString(),
                fingerprint.length(),
                rows,
                fingerprint.footerChecksum(),
                isInMemory);
    }

    /** Discards everything that is not committed. Idempotent. */
    @Override
    public void close() {
        Spilled written = spilled;
        if (!isEnded && written != null) {
            spilled = null;
            written.file().abort();
        }
        isEnded = true;
        run = new PutRun();
        messages = 0;
        dictionaries.clear();
        present = List.of();
        schema = null;
    }
}
