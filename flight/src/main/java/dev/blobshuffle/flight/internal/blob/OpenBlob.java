package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Trailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** An open blob. It stays readable when its file is deleted. Owned by one thread at a time. */
public final class OpenBlob implements AutoCloseable {
    /** The longest footer that the daemon reads, bytes: half a million segments. */
    static final int MAX_FOOTER_LENGTH = 8 << 20;

    private final FileChannel channel;
    private final String what;
    private final long length;

    /** Takes ownership of the channel. */
    OpenBlob(FileChannel channel, String what) {
        this.channel = channel;
        this.what = what;
        try {
            length = channel.size();
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Bytes of the file when it was opened. */
    public long length() {
        return length;
    }

    /** The open file, closed with the blob. Nothing that is read from it has been verified. */
    public FileChannel file() {
        return channel;
    }

    /** What identifies the stored bytes, as far as it can be seen without reading all. */
    Fingerprint fingerprint() {
        return new Fingerprint(length, trailer().footerChecksum());
    }

    /** Reads and checks the footer, and the prelude. */
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

    void fill(long offset, ByteBuffer target) {
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

    private void check(ByteBuffer bytes, long offset, int expected) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        if ((int) crc.getValue() != expected) {
            throw corrupt(String.format(
                    "the checksum of [%d, +%d) is %08x, and its footer says %08x",
                    offset, bytes.remaining(), (int) crc.getValue(), expected));
        }
    }

    /** The failure of a reader that finds other bytes than were written. */
    BlobCorrupt corrupt(String reason) {
        return new BlobCorrupt(
                "Cannot read " + what + ": " + reason + ". Read it again; if that fails too, run its map again.");
    }

    private StoreUnavailable unavailable(IOException cause) {
        return new StoreUnavailable("Cannot read " + what + ": " + cause + ". Check the disk.", cause);
    }

    /** Closes the file. Idempotent. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw unavailable(e);
        }
    }
}
