package dev.blobshuffle.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The load generator as a process, seen from its parent. Thread-safe. */
public final class Generator implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final ChildJvm process;
    private final Heard heard;

    private Generator(ChildJvm process, Heard heard) {
        this.process = process;
        this.heard = heard;
    }

    /** The latest reports of the process. Written by the thread that reads its output. */
    private static final class Heard {
        private final CompletableFuture<Long> start = new CompletableFuture<>();
        private volatile long sent;
        private volatile boolean isDone;

        private void hear(String[] words) {
            if (words[0].equals("start")) {
                start.complete(Long.parseLong(words[1]));
            } else if (words[0].equals("sent")) {
                sent = Long.parseLong(words[1]);
            } else if (words[0].equals("done")) {
                isDone = true;
            }
        }
    }

    /** Starts one in a directory of its own. */
    public static Generator start(Path directory, Class<?> main, Properties settings) throws IOException {
        Heard heard = new Heard();
        return new Generator(
                ChildJvm.start("the load generator", directory, main, settings, List.of(), heard::hear), heard);
    }

    /** The time of the first record, in milliseconds; waits for it. */
    public long start() throws IOException, InterruptedException {
        try {
            return heard.start.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            process.check();
            throw new IOException(
                    "Cannot start the load generator: no word in " + START_TIMEOUT.toSeconds() + " s.", e);
        }
    }

    /** Records that were due and handed to the producer, as reported last. */
    public long sent() {
        return heard.sent;
    }

    /** Whether the brokers have all records. */
    public boolean isDone() {
        return heard.isDone;
    }

    /** Its number with the operating system. */
    public long pid() {
        return process.pid();
    }

    /**
     * Fails if it has ended too early.
     *
     * @throws IOException it has
     */
    public void check() throws IOException, InterruptedException {
        if (!heard.isDone && !process.isAlive()) {
            process.awaitEnd(Duration.ofSeconds(1));
            if (!heard.isDone) {
                throw new IOException("Cannot go on with the load generator: it ended without a word.");
            }
        }
    }

    /** Ends the process at once. */
    @Override
    public void close() {
        process.close();
    }
}
