package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.List;

/** Reads regions of files as if they were one. Immutable. */
final class RegionSource implements PiecedContent.Source {
    private final List<FileRegion> regions;

    /** The end of each region in the content. */
    private final long[] ends;

    RegionSource(List<FileRegion> regions) {
        this.regions = regions.stream().filter(region -> region.length() > 0).toList();
        ends = new long[this.regions.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end = Math.addExact(end, this.regions.get(i).length());
            ends[i] = end;
        }
    }

    long length() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    @Override
    public void read(long offset, ByteBuffer target) {
        int first = Arrays.binarySearch(ends, offset + 1);
        int region = first < 0 ? -first - 1 : first;
        long skipped = offset - (ends[region] - regions.get(region).length());
        while (target.hasRemaining()) {
            region = readFile(region, skipped, target);
            skipped = 0;
        }
    }

    /**
     * Reads from neighbouring regions of one file. Returns the region where the next read begins.
     */
    private int readFile(int first, long skip, ByteBuffer target) {
        FileRegion region = regions.get(first);
        try (FileChannel channel = PrivateFiles.read(region.file())) {
            int at = first;
            long skipped = skip;
            while (at < ends.length
                    && target.hasRemaining()
                    && regions.get(at).file().equals(region.file())) {
                fill(channel, regions.get(at), skipped, target);
                at++;
                skipped = 0;
            }
            return at;
        } catch (IOException e) {
            throw new StoreUnavailable(
                    "Cannot store a blob: reading " + region.file() + " failed with " + e + ". Check the disk.", e);
        }
    }

    private static void fill(FileChannel channel, FileRegion region, long skipped, ByteBuffer target)
            throws IOException {
        int limit = target.limit();
        int taken = (int) Math.min(target.remaining(), region.length() - skipped);
        target.limit(target.position() + taken);
        long at = region.offset() + skipped;
        while (target.hasRemaining()) {
            int count = channel.read(target, at);
            if (count < 0) {
                throw new BlobCorrupt("Cannot store a blob: " + region.file() + " ends at byte " + at
                        + ", before its region [" + region.offset() + ", " + (region.offset() + region.length())
                        + "). Write the file again.");
            }
            at += count;
        }
        target.limit(limit);
    }
}
