package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.BlobRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;

/**
 * Reads blocks of one blob from the store. In memory it reads neighbours in one request, unless
 * they are in two windows; Spark limits how much it asks for. What Spark wants on disk goes there
 * in parts. Owned by one thread.
 */
final class StoreFetch {
    /** Unwanted bytes between two segments that cost less than a request of their own. */
    private static final long GAP = 64 << 10;

    /** From this size on a request is ended. */
    private static final long REQUEST = 16 << 20;

    private final StoredBlobs blobs;
    private final OpenedBlob blob;
    private final BlobIndex index;
    private final BiConsumer<String, ManagedBuffer> whenRead;

    /** @param whenRead takes each block */
    StoreFetch(StoredBlobs blobs, OpenedBlob blob, BiConsumer<String, ManagedBuffer> whenRead) {
        this.blobs = blobs;
        this.blob = blob;
        index = blob.index();
        this.whenRead = whenRead;
    }

    /** A segment and its place in the bytes of its block. */
    private record Piece(int segment, ByteBuffer target) {}

    /** Reads blocks to memory. */
    void toMemory(List<BlockRange> blocks) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        List<ByteBuffer> targets = new ArrayList<>();
        for (BlockRange block : blocks) {
            List<Integer> segments = block.segments(index);
            int length =
                    Math.toIntExact(segments.stream().mapToLong(index::length).sum());
            ByteBuffer target = ByteBuffer.allocate(length);
            int at = 0;
            for (int segment : segments) {
                int step = (int) index.length(segment);
                pieces.add(new Piece(segment, target.slice(at, step)));
                at += step;
            }
            targets.add(target);
        }
        pieces.sort(Comparator.comparingInt(Piece::segment));
        for (int first = 0; first < pieces.size(); ) {
            first = readTogether(pieces, first);
        }
        for (int i = 0; i < blocks.size(); i++) {
            whenRead.accept(blocks.get(i).name(), new NioManagedBuffer(targets.get(i)));
        }
    }

    /** Reads some pieces in one request; returns the index of the first one after them. */
    private int readTogether(List<Piece> pieces, int first) throws IOException {
        long start = index.offset(pieces.get(first).segment);
        long end = index.end(pieces.get(first).segment);
        int last = first + 1;
        if (!blob.windows().isWithin(start, end)) {
            readAcross(pieces.get(first));
            return last;
        }
        while (last < pieces.size()
                && index.offset(pieces.get(last).segment) - end <= GAP
                && index.end(pieces.get(last).segment) - start <= REQUEST
                && blob.windows().isWithin(start, index.end(pieces.get(last).segment))) {
            end = Math.max(end, index.end(pieces.get(last).segment));
            last++;
        }
        List<Piece> together = pieces.subList(first, last);
        blobs.read(blob, start, Math.toIntExact(end - start), bytes -> take(together, start, bytes));
        return last;
    }

    /** Reads a piece from several windows. Wrong bytes of caches are read again from the store. */
    private void readAcross(Piece piece) throws IOException {
        try {
            copy(piece, BlobRange.Source.ANYWHERE);
        } catch (BlobCorruptException e) {
            copy(piece, BlobRange.Source.STORE);
        }
    }

    private void copy(Piece piece, BlobRange.Source source) throws IOException {
        ByteBuffer target = piece.target.duplicate();
        blobs.stream(blob, piece.segment, source, target::put);
    }

    private void take(List<Piece> together, long start, ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        for (Piece piece : together) {
            int offset = bytes.position() + (int) (index.offset(piece.segment) - start);
            ByteBuffer part = bytes.slice(offset, (int) index.length(piece.segment));
            checksum.reset();
            checksum.update(part.duplicate());
            index.requireChecksum(piece.segment, (int) checksum.getValue());
            piece.target.duplicate().put(part);
        }
    }

    /** Reads blocks to files. */
    void toFiles(List<BlockRange> blocks, DownloadFileManager files, TransportConf transport) throws IOException {
        for (BlockRange block : blocks) {
            try {
                toFile(block, BlobRange.Source.ANYWHERE, files, transport);
            } catch (BlobCorruptException e) {
                toFile(block, BlobRange.Source.STORE, files, transport);
            }
        }
    }

    private void toFile(BlockRange block, BlobRange.Source source, DownloadFileManager files, TransportConf transport)
            throws IOException {
        DownloadFile file = files.createTempFile(transport);
        ManagedBuffer bytes;
        try {
            bytes = toFile(block, source, file);
        } catch (IOException | RuntimeException e) {
            boolean ignored = file.delete();
            throw e;
        }
        if (!files.registerTempFileToClean(file)) {
            boolean ignored = file.delete(); // The task has ended.
        }
        whenRead.accept(block.name(), bytes);
    }

    private ManagedBuffer toFile(BlockRange block, BlobRange.Source source, DownloadFile file) throws IOException {
        try (DownloadFileWritableChannel channel = file.openForWriting()) {
            for (int segment : block.segments(index)) {
                blobs.stream(blob, segment, source, part -> {
                    while (part.hasRemaining()) {
                        int ignored = channel.write(part);
                    }
                });
            }
            return channel.closeAndRead();
        }
    }
}
