package dev.blobshuffle.bench.process;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** One instance of an application as a process, seen from its parent. Thread-safe. */
public final class ApplicationProcess implements AutoCloseable {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);

    private final ChildJvm process;
    private final Heard heard;
    private final Path measured;

    private ApplicationProcess(ChildJvm process, Heard heard, Path measured) {
        this.process = process;
        this.heard = heard;
        this.measured = measured;
    }

    /** The latest reports of the process. Written by the thread that reads its output. */
    private static final class Heard {
        private volatile long count;
        private volatile boolean isRunning;

        private void hear(String[] words) {
            if (words[0].equals("count")) {
                count = Long.parseLong(words[1]);
            } else if (words[0].equals("state")) {
                isRunning = words[1].equals("RUNNING");
            }
        }
    }

    /**
     * Starts an instance in a directory of its own.
     *
     * @param main the class to run
     */
    public static ApplicationProcess start(Path directory, Class<?> main, Properties settings, List<String> jvmOptions)
            throws IOException {
        Path measured = directory.resolve("measured.properties");
        Files.deleteIfExists(measured);
        settings.setProperty("bench.measured", measured.toString());
        Heard heard = new Heard();
        ChildJvm process = ChildJvm.start("an instance", directory, main, settings, jvmOptions, heard::hear);
        return new ApplicationProcess(process, heard, measured);
    }

    /** Its number with the operating system. */
    public long pid() {
        return process.pid();
    }

    /** Records after the shuffle, as reported last. */
    public long count() {
        return heard.count;
    }

    /** Whether it works, and takes part in no rebalance. */
    public boolean isRunning() {
        return heard.isRunning;
    }

    /**
     * Fails if the process has ended.
     *
     * @throws IOException it has
     */
    public void check() throws IOException {
        process.check();
    }

    /** Reports the end of the warm-up to the instance. */
    public void measure() throws IOException {
        process.tell("measure");
    }

    /** Reports the end of the measured part to the instance. The rest of the input drains. */
    public void endMeasuring() throws IOException {
        process.tell("end");
    }

    /** Asks the instance to stop in order; {@link #measured} waits for it. */
    public void stop() throws IOException {
        process.tell("stop");
    }

    /** Its measurements, once it has stopped. */
    public Properties measured() throws IOException, InterruptedException {
        process.awaitEnd(STOP_TIMEOUT);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(measured)) {
            properties.load(reader);
        }
        return properties;
    }

    /** Ends the process at once. */
    @Override
    public void close() {
        process.close();
    }
}
