package dev.blobshuffle.bench.demo.messaging;

import java.io.IOException;
import java.io.PrintStream;

/**
 * Watches a child's parent. The parent closes the child's standard input when it wants the child to
 * end; the input also ends with the parent. Thread-safe.
 */
final class ParentWatch {
    /** The line that a child prints when it works. */
    static final String READY = "ready";

    private final PrintStream out;
    private volatile boolean isOver;

    private ParentWatch(PrintStream out) {
        this.out = out;
    }

    /** Starts to watch. Standard output is for the parent from now on. */
    static ParentWatch begin() {
        ParentWatch watch = new ParentWatch(System.out);
        System.setOut(System.err);
        Thread thread = new Thread(watch::listen, "demo-parent");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** Reports to the parent that the child works. */
    void ready() {
        out.println(READY);
        out.flush();
    }

    /** Whether the child has to end. */
    boolean isOver() {
        return isOver;
    }

    private void listen() {
        try {
            while (System.in.read() >= 0) {
                // Lines have no meaning; only the end has.
            }
        } catch (IOException e) {
            // A failure counts as the end.
        }
        isOver = true;
    }
}
