package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.List;

/**
 * Content that is read piece by piece while a store sends it. It may be longer than 2 GiB. Each
 * access to a buffer of {@link #buffers} reads a piece into a new array, so an attempt holds one
 * piece in memory. Pieces are not recycled. Thread-safe if its source is.
 */
public final class PiecedContent implements BlobContent {
    /** Length of a piece in bytes. */
    public static final int PIECE = 256 << 10;

    private final long length;
    private final Source source;
    private final References references;

    /** The source of the content's bytes. */
    public interface Source {
        /**
         * Reads bytes.
         *
         * @param offset offset of the first byte in the content
         * @param target filled from its position to its limit
         * @throws dev.blobshuffle.core.failure.BlobShuffleException the store's request then fails
         *     with this exception
         */
        void read(long offset, ByteBuffer target);
    }

    private PiecedContent(long length, Source source, Runnable whenReleased) {
        this.length = length;
        this.source = source;
        references = new References(1, () -> "content", whenReleased);
        if (count(length) > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "Cannot store content: it has " + length + " bytes. Write smaller blobs.");
        }
    }

    /**
     * Content of a source. The caller holds the first reference.
     *
     * @param length in bytes
     * @param whenReleased runs once, on the thread that releases the last reference
     */
    public static PiecedContent of(long length, Source source, Runnable whenReleased) {
        return new PiecedContent(length, source, whenReleased);
    }

    /**
     * Content in regions of files, one after the other. The files must not change. The caller holds
     * the first reference.
     *
     * @param whenReleased runs once, on the thread that releases the last reference; no file is
     *     open then
     */
    public static PiecedContent ofFiles(List<FileRegion> regions, Runnable whenReleased) {
        FileRegions source = new FileRegions(regions);
        return new PiecedContent(source.length(), source, () -> {
            source.close();
            whenReleased.run();
        });
    }

    /**
     * A range of a source, piece by piece. Each access to an element reads it.
     *
     * @param offset of the first byte
     * @param length in bytes
     */
    public static List<ByteBuffer> pieces(Source source, long offset, long length) {
        return new AbstractList<>() {
            @Override
            public ByteBuffer get(int index) {
                long skipped = (long) index * PIECE;
                ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, length - skipped));
                source.read(offset + skipped, piece);
                return piece.flip();
            }

            @Override
            public int size() {
                return (int) count(length);
            }
        };
    }

    private static long count(long length) {
        return length / PIECE + (length % PIECE == 0 ? 0 : 1);
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public List<ByteBuffer> buffers() {
        return pieces(source, 0, length);
    }

    @Override
    public void retain() {
        references.retain();
    }

    @Override
    public void release() {
        references.release();
    }
}
