package dev.blobshuffle.cli.option;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;

/**
 * Escapes control characters except line ends. A blob's writer can choose any names, and a terminal
 * executes escape sequences. Not thread-safe.
 */
public final class PrintableText extends FilterWriter {
    private PrintableText(Writer out) {
        super(out);
    }

    /** A writer to a terminal. Flush it; its owner closes it. */
    public static PrintWriter to(PrintWriter out) {
        return new PrintWriter(new PrintableText(out));
    }

    @Override
    public void write(int c) throws IOException {
        if (Character.isISOControl(c) && c != '\n' && c != '\r') {
            out.write(String.format(Locale.ROOT, "\\u%04x", c));
        } else {
            out.write(c);
        }
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            write(text[i]);
        }
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            write(text.charAt(i));
        }
    }
}
