package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads regions of files as if they were one. The files must not change. It keeps the files open
 * that it read last, so a file that is deleted frees its disk when this is closed. An interrupted
 * reader closes no file of another. Thread-safe: guarded by itself.
 */
public final class FileRegions implements PiecedContent.Source, AutoCloseable {
    private static final int MOST_OPEN = 64;

    private final List<FileRegion> regions;

    /** Where each region ends in the content. */
    private final long[] ends;

    private final Map<Path, RandomAccessFile> open = new LinkedHashMap<>(16, 0.75f, true);
    private boolean isClosed;

    /** Opens no file yet. */
    public FileRegions(List<FileRegion> regions) {
        this.regions = regions.stream().filter(region -> region.length() > 0).toList();
        ends = new long[this.regions.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end = Math.addExact(end, this.regions.get(i).length());
            ends[i] = end;
        }
    }

    /** Bytes of all regions. */
    public long length() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    @Override
    public synchronized void read(long offset, ByteBuffer target) {
        if (isClosed) {
            throw new IllegalStateException("Cannot read regions of files: they are closed.");
        }
        int first = Arrays.binarySearch(ends, offset + 1);
        int region = first < 0 ? -first - 1 : first;
        long skipped = offset - (ends[region] - regions.get(region).length());
        while (target.hasRemaining()) {
            fill(regions.get(region), skipped, target);
            region++;
            skipped = 0;
        }
    }

    private void fill(FileRegion region, long skipped, ByteBuffer target) {
        int count = (int) Math.min(target.remaining(), region.length() - skipped);
        long at = region.offset() + skipped;
        try {
            RandomAccessFile file = open(region.file());
            if (file.length() < at + count) {
                throw new BlobCorruptException(
                        "Cannot store a blob: " + region.file() + " ends at byte " + file.length()
                                + ", before its region [" + region.offset() + ", " + (region.offset() + region.length())
                                + "). Write the file again.");
            }
            file.seek(at);
            file.readFully(target.array(), target.arrayOffset() + target.position(), count);
            target.position(target.position() + count);
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "Cannot store a blob: reading " + region.file() + " failed with " + e + ". Check the disk.", e);
        }
    }

    /** Refuses symbolic links. */
    private RandomAccessFile open(Path path) throws IOException {
        RandomAccessFile known = open.get(path);
        if (known != null) {
            return known;
        }
        if (Files.isSymbolicLink(path)) {
            throw new FileSystemException(path.toString(), null, "it is a symbolic link");
        }
        RandomAccessFile opened = new RandomAccessFile(path.toFile(), "r");
        open.put(path, opened);
        Iterator<RandomAccessFile> oldest = open.values().iterator();
        while (open.size() > MOST_OPEN) {
            close(oldest.next());
            oldest.remove();
        }
        return opened;
    }

    private static void close(RandomAccessFile file) {
        try {
            file.close();
        } catch (IOException e) { // It was only read.
            throw new StoreUnavailableException("Cannot close a file that was read: " + e + ". Check the disk.", e);
        }
    }

    /** Closes the files. Idempotent. */
    @Override
    public synchronized void close() {
        isClosed = true;
        open.values().forEach(FileRegions::close);
        open.clear();
    }
}
