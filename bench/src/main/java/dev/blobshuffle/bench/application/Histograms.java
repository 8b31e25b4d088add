package dev.blobshuffle.bench.application;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/**
 * Histograms as text in HdrHistogram's compressed encoding, so that the histograms of several
 * processes can be added. Stateless.
 */
public final class Histograms {
    private Histograms() {}

    /** The text that {@link #parse} reads. */
    public static String format(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_SPEED);
        byte[] bytes = new byte[length];
        buffer.flip().get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The histogram that {@link #format} wrote. */
    public static Histogram parse(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Cannot read a histogram: " + e.getMessage() + ". Run it again.", e);
        }
    }
}
