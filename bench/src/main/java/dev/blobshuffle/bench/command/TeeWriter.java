package dev.blobshuffle.bench.command;

import java.io.IOException;
import java.io.Writer;

/** Writes everything to two places; closes only the second. Owned by one thread. */
final class TeeWriter extends Writer {
    private final Writer one;
    private final Writer other;

    TeeWriter(Writer one, Writer other) {
        this.one = one;
        this.other = other;
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        one.write(characters, offset, length);
        other.write(characters, offset, length);
    }

    @Override
    public void flush() throws IOException {
        one.flush();
        other.flush();
    }

    @Override
    public void close() throws IOException {
        one.flush();
        other.close();
    }
}
