package dev.blobshuffle.spark.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A file in regions of the address space, which need no heap. A region holds a gibibyte at most, so
 * a range of the file may lie in several. Immutable.
 */
final class MappedFile {
    private static final long REGION = 1L << 30;

    private final List<ByteBuffer> regions;

    private MappedFile(List<ByteBuffer> regions) {
        this.regions = regions;
    }

    /**
     * Maps a file.
     *
     * @throws IOException it is not there, or shorter than it should be
     */
    static MappedFile open(Path file, long length) throws IOException {
        List<ByteBuffer> regions = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() < length) {
                throw new IOException(file + " has " + channel.size() + " bytes instead of " + length);
            }
            for (long at = 0; at < length; at += REGION) {
                regions.add(channel.map(FileChannel.MapMode.READ_ONLY, at, Math.min(REGION, length - at)));
            }
        }
        return new MappedFile(regions);
    }

    /** A range of the file, in order. */
    List<ByteBuffer> slices(long offset, long length) {
        List<ByteBuffer> slices = new ArrayList<>(1);
        long at = offset;
        long end = offset + length;
        while (at < end) {
            int within = (int) (at % REGION);
            int step = (int) Math.min(end - at, REGION - within);
            slices.add(regions.get((int) (at / REGION)).slice(within, step));
            at += step;
        }
        return slices;
    }
}
