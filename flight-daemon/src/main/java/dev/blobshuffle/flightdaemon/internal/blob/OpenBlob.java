package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Trailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An open blob: a file, a blob in memory, or a copy in a store. A file or a blob in memory stays
 * readable after its release. Owned by one thread at a time.
 */
public final class OpenBlob implements AutoCloseable {
    /** The longest footer that the daemon reads, bytes: about half a million segments. */
    static final int MAX_FOOTER_LENGTH = 8 << 20;

    /**
     * Bytes that the first read of a copy takes from its end: the trailer and a footer of usual
     * size.
     */
    private static final int TAIL = 64 << 10;

    private final Bytes bytes;
    private final String what;
    private final long length;
    private boolean isClosed;

    /** The last bytes of a copy; null before the first read. */
    private @Nullable ByteBuffer tail;

    /** The source of the bytes. */
    private sealed interface Bytes {}

    private record InFile(FileChannel channel) implements Bytes {}

    private record InMemory(MemoryContent content) implements Bytes {}

    private record InStore(CopyStore store, String shuffle, String file) implements Bytes {}

    /** Takes ownership of the channel. */
    OpenBlob(FileChannel channel, String what) {
        bytes = new InFile(channel);
        this.what = what;
        try {
            length = channel.size();
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Takes over one use of the content, which {@link #close} ends. */
    OpenBlob(MemoryContent content, String what) {
        bytes = new InMemory(content);
        this.what = what;
        length = content.length();
    }

    /**
     * A copy. Reads nothing yet.
     *
     * @param length in the store's listing, bytes
     */
    OpenBlob(CopyStore store, String shuffle, String file, long length, String what) {
        bytes = new InStore(store, shuffle, file);
        this.what = what;
        this.length = length;
    }

    /** The length of the blob when it was opened, bytes. */
    public long length() {
        return length;
    }

    /**
     * The open file, closed with the blob; empty if the blob is not in a file. Bytes read from the
     * file are not verified.
     */
    public Optional<FileChannel> file() {
        return bytes instanceof InFile file ? Optional.of(file.channel()) : Optional.empty();
    }

    /**
     * The parts, messages or others, in a range of a blob in memory. They stay valid after the blob
     * is closed.
     *
     * @return empty if the blob is not in memory
     */
    public Optional<List<ByteBuffer>> parts(long offset, long count) {
        return bytes instanceof InMemory memory ? Optional.of(memory.content().parts(offset, count)) : Optional.empty();
    }

    /** Whether its bytes are in memory. */
    public boolean isInMemory() {
        return bytes instanceof InMemory;
    }

    /** Whether the blob is read from a store, which may be slow. */
    public boolean isCopy() {
        return bytes instanceof InStore;
    }

    /** The fingerprint of the stored bytes. Reads only the end of the blob. */
    Fingerprint fingerprint() {
        return new Fingerprint(length, trailer().footerChecksum());
    }

    /** Reads and verifies the footer and the prelude. */
    BlobFooter footer() {
        Trailer trailer = trailer();
        if (trailer.kind() != ContentKind.ARROW) {
            throw corrupt("it holds " + trailer.kind().label() + ", not Arrow IPC");
        }
        if (trailer.footerLength() > MAX_FOOTER_LENGTH) {
            throw corrupt("its footer has " + trailer.footerLength() + " bytes, at most " + MAX_FOOTER_LENGTH
                    + " are served. Use fewer partitions per blob");
        }
        int needed = (int) Math.min(length, trailer.tailLength());
        Container container = ContainerCodec.decode(bytes(length - needed, needed), length);
        Container.Piece piece = container.prelude().orElseThrow();
        ByteBuffer prelude = bytes(piece.offset(), piece.length());
        check(prelude, piece.offset(), piece.checksum());
        return new BlobFooter(new Fingerprint(length, trailer.footerChecksum()), container, prelude, what);
    }

    private Trailer trailer() {
        if (length < Trailer.LENGTH) {
            throw corrupt("it has " + length + " bytes, less than a trailer");
        }
        if (bytes instanceof InStore && tail == null) {
            int taken = (int) Math.min(TAIL, length);
            tail = bytes(length - taken, taken);
        }
        return Trailer.read(bytes(length - Trailer.LENGTH, Trailer.LENGTH));
    }

    private ByteBuffer bytes(long offset, int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        fill(offset, bytes);
        return bytes.flip();
    }

    /**
     * Reads a frame and verifies its checksum.
     *
     * @param target filled from its position to its limit, then flipped
     */
    public void read(long offset, int checksum, ByteBuffer target) {
        fill(offset, target);
        target.flip();
        check(target, offset, checksum);
    }

    /**
     * Reads bytes without verification.
     *
     * @param target filled from its position to its limit
     */
    public void fill(long offset, ByteBuffer target) {
        if (bytes instanceof InStore copy) {
            fill(copy, offset, target);
            return;
        }
        if (bytes instanceof InMemory memory) {
            memory.content().parts(offset, target.remaining()).forEach(target::put);
            return;
        }
        FileChannel channel = ((InFile) bytes).channel();
        try {
            long at = offset;
            while (target.hasRemaining()) {
                int count = channel.read(target, at);
                if (count < 0) {
                    throw corrupt("it ends at " + at + ", and " + target.remaining() + " more bytes were expected");
                }
                at += count;
            }
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    private void fill(InStore copy, long offset, ByteBuffer target) {
        ByteBuffer held = tail;
        long heldFrom = held == null ? length : length - held.capacity();
        if (held != null && offset >= heldFrom && offset + target.remaining() <= length) {
            target.put(held.slice((int) (offset - heldFrom), target.remaining()));
        } else {
            copy.store().read(copy.shuffle(), copy.file(), offset, target);
        }
    }

    private void check(ByteBuffer bytes, long offset, int expected) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        if ((int) crc.getValue() != expected) {
            throw corrupt(String.format(
                    "the checksum of [%d, +%d) is %08x, and its footer says %08x",
                    offset, bytes.remaining(), (int) crc.getValue(), expected));
        }
    }

    /** The failure of a reader that finds bytes other than those written. */
    BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read " + what + ": " + reason + ". Read it again; if that fails too, run its map again.");
    }

    private StoreUnavailableException unavailable(IOException cause) {
        return new StoreUnavailableException("Cannot read " + what + ": " + cause + ". Check the disk.", cause);
    }

    /** Closes the file, or ends the use of the memory. Idempotent. */
    @Override
    public void close() {
        if (bytes instanceof InMemory memory) {
            if (!isClosed) {
                isClosed = true;
                memory.content().drop();
            }
            return;
        }
        if (bytes instanceof InFile file) {
            try {
                file.channel().close();
            } catch (IOException e) {
                throw unavailable(e);
            }
        }
    }
}
