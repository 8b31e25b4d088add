package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Trailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A blob that is being written to a directory. Its name ends with {@code .tmp} until it is
 * complete. Owned by one thread at a time.
 */
final class BlobFile {
    /** Size of the buffer that combines small writes, bytes. */
    private static final int BUFFER = 256 << 10;

    /**
     * Most bytes per write. The JDK copies each write to a buffer of the thread, and keeps the
     * buffer.
     */
    private static final int STEP = 1 << 20;

    private final BlobRoot root;
    private final String shuffle;
    private final String name;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private final ByteBuffer tail = ByteBuffer.allocate(Trailer.LENGTH);
    private long length;

    /** Creates the file. */
    BlobFile(BlobRoot root, String shuffle, BlobName name) {
        this.root = root;
        this.shuffle = shuffle;
        this.name = name.file();
        channel = root.create(shuffle, temporary());
    }

    private String temporary() {
        return name + ".tmp";
    }

    BlobRoot root() {
        return root;
    }

    /** Length and footer checksum of the complete blob. */
    Fingerprint fingerprint() {
        return new Fingerprint(length, Trailer.read(tail.duplicate()).footerChecksum());
    }

    /** Appends bytes. */
    void write(ByteBuffer bytes) {
        length += bytes.remaining();
        if (bytes.remaining() >= Trailer.LENGTH) {
            tail.clear()
                    .put(bytes.slice(bytes.limit() - Trailer.LENGTH, Trailer.LENGTH))
                    .flip();
        }
        if (bytes.remaining() > buffer.remaining()) {
            flush();
        }
        if (bytes.remaining() <= buffer.remaining()) {
            buffer.put(bytes);
            return;
        }
        while (bytes.hasRemaining()) {
            int step = Math.min(STEP, bytes.remaining());
            pass(bytes.slice(bytes.position(), step));
            bytes.position(bytes.position() + step);
        }
    }

    private void flush() {
        pass(buffer.flip());
        buffer.clear();
    }

    private void pass(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                int ignored = channel.write(bytes);
            }
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Writes the buffered rest, checks the file's length and closes the file. */
    void end() {
        flush();
        try (channel) {
            if (channel.size() != length) {
                throw new IOException("the file has " + channel.size() + " bytes, and " + length + " were written");
            }
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Gives the file its final name after {@link #end}. From then on readers see it. */
    void commit() {
        root.rename(shuffle, temporary(), name);
    }

    /** Deletes the file. */
    void abort() {
        try {
            channel.close();
        } catch (IOException e) {
            throw unavailable(e);
        } finally {
            root.delete(shuffle, temporary());
        }
    }

    private StoreUnavailableException unavailable(IOException cause) {
        return new StoreUnavailableException(
                "Cannot write " + name + " of shuffle " + shuffle + " in " + root.directory() + ": " + cause
                        + ". Check the disk, then run the map again.",
                cause);
    }
}
