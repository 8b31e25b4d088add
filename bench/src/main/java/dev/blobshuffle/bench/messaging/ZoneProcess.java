package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.bench.process.ChildJvm;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;

/** A zone's producers and consumers as a process, seen from its parent. Thread-safe. */
final class ZoneProcess implements AutoCloseable {
    private static final Duration STOP = Duration.ofSeconds(60);

    private final ChildJvm process;
    private final Heard heard;
    private final Path measured;

    private ZoneProcess(ChildJvm process, Heard heard, Path measured) {
        this.process = process;
        this.heard = heard;
        this.measured = measured;
    }

    /** The latest reports of the process. Written by the thread that reads its output. */
    private static final class Heard {
        private volatile long owned;
        private volatile long received;
        private volatile long published = Long.MIN_VALUE;

        private void hear(String[] words) {
            if (words[0].equals("status") && words.length == 3) {
                owned = Long.parseLong(words[1]);
                received = Long.parseLong(words[2]);
            } else if (words[0].equals("published") && words.length == 2) {
                published = Long.parseLong(words[1]);
            }
        }
    }

    static ZoneProcess start(Path directory, Properties settings) throws IOException {
        Path measured = directory.resolve("measured.properties");
        settings.setProperty("bench.measured", measured.toString());
        Heard heard = new Heard();
        ChildJvm process =
                ChildJvm.start("a zone's clients", directory, ZoneMain.class, settings, List.of(), heard::hear);
        return new ZoneProcess(process, heard, measured);
    }

    long pid() {
        return process.pid();
    }

    /** Number of partitions that its consumers own. */
    long owned() {
        return heard.owned;
    }

    /** Records that its consumers have received. */
    long received() {
        return heard.received;
    }

    /** Records that its producers have sent, once they have ended. */
    OptionalLong published() {
        long published = heard.published;
        return published < 0 ? OptionalLong.empty() : OptionalLong.of(published);
    }

    void tell(String order) throws IOException {
        process.tell(order);
    }

    void check() throws IOException {
        process.check();
    }

    /** Its measurements, after the order to stop. */
    Properties measured() throws IOException, InterruptedException {
        process.awaitEnd(STOP);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(measured, StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        return properties;
    }

    @Override
    public void close() {
        process.close();
    }
}
