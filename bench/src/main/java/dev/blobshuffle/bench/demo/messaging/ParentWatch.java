package dev.blobshuffle.bench.demo.messaging;

import java.io.IOException;
import java.io.PrintStream;

/**
 * A child's ear to its parent, which ends the child's standard input when it wants the child to
 * end, and when it is gone itself. Thread-safe.
 */
final class ParentWatch {
    /** What a child prints when it has begun. */
    static final String READY = "ready";

    private final PrintStream out;
    private volatile boolean isOver;

    private ParentWatch(PrintStream out) {
        this.out = out;
    }

    /** Begins to listen. Standard output is the parent's from now on. */
    static ParentWatch begin() {
        ParentWatch watch = new ParentWatch(System.out);
        System.setOut(System.err);
        Thread thread = new Thread(watch::listen, "demo-parent");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** The child has begun. */
    void ready() {
        out.println(READY);
        out.flush();
    }

    /** Whether the child shall end. */
    boolean isOver() {
        return isOver;
    }

    private void listen() {
        try {
            while (System.in.read() >= 0) {
                // Only the end says something.
            }
        } catch (IOException e) {
            // That is an end too.
        }
        isOver = true;
    }
}
