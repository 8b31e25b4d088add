package dev.blobshuffle.bench.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/**
 * Prints the progress for the user: a line for each step, with the seconds since the start, and a
 * line for each fifth of a long step. Owned by one thread.
 */
public final class Progress {
    private static final int PARTS = 5;

    private final PrintWriter out;
    private final long start = System.nanoTime();
    private int parts;

    /**
     * Progress from now on.
     *
     * @param out receives the lines
     */
    public Progress(PrintWriter out) {
        this.out = out;
    }

    /** A step begins. */
    public void begin(String step) {
        parts = 0;
        print(step);
    }

    /** The step is done to this share, 0 to 1. */
    public void share(double share) {
        int now = (int) (share * PARTS);
        if (now > parts) {
            parts = now;
            print("  " + now * 100 / PARTS + " %");
        }
    }

    private void print(String text) {
        Duration passed = Duration.ofNanos(System.nanoTime() - start);
        out.println(String.format(Locale.ROOT, "%4d s  %s", passed.toSeconds(), text));
        out.flush();
    }
}
