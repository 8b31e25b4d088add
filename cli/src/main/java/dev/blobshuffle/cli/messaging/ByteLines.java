package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines as bytes, so bytes that are not UTF-8 stay unchanged. Owned by one thread. */
final class ByteLines {
    private static final int LONGEST = 16 << 20;

    private final InputStream in;
    private long number;

    ByteLines(InputStream in) {
        this.in = in;
    }

    /** The number of the last line read, from 1. */
    long number() {
        return number;
    }

    /**
     * The next line without its end; null at the end of the input.
     *
     * @throws InvalidSettingsException the line is too long
     */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int read = in.read();
        if (read < 0) {
            return null;
        }
        number++;
        for (; read >= 0 && read != '\n'; read = in.read()) {
            if (line.size() == LONGEST) {
                throw new InvalidSettingsException(
                        "Cannot read line " + number + ": it is longer than " + LONGEST + " bytes. Split it.");
            }
            line.write(read);
        }
        byte[] bytes = line.toByteArray();
        boolean hasReturn = read == '\n' && bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return hasReturn ? java.util.Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }
}
