package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.membership.KafkaMembership;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * A member of a zone in a process of its own, which answers for its share of the sections and does
 * nothing else. Owned by the test thread.
 */
final class MemberProcess implements AutoCloseable {
    private final Process process;

    private MemberProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a member with settings of ours and of Kafka's clients; returns when it answers and has
     * begun to tell others.
     */
    static MemberProcess start(Path directory, Map<String, Object> settings) throws IOException {
        Properties all = new Properties();
        settings.forEach((name, value) -> all.setProperty(name, value.toString()));
        Path file = directory.resolve("member.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            all.store(out, null);
        }
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemberProcess.class.getName(),
                        file.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader words = process.inputReader(StandardCharsets.UTF_8);
        for (String word = words.readLine(); !"ready".equals(word); word = words.readLine()) {
            if (word == null) {
                throw new AssertionError("the member ended before it was ready");
            }
        }
        return new MemberProcess(process);
    }

    /** Runs a member until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        Properties all = new Properties();
        try (var in = Files.newInputStream(Path.of(arguments[0]))) {
            all.load(in);
        }
        Map<String, String> given = new java.util.HashMap<>();
        all.stringPropertyNames().forEach(name -> given.put(name, all.getProperty(name)));
        Settings settings = KafkaSettings.parse(given);
        SystemTime time = new SystemTime();
        Membership membership = KafkaMembership.of(
                settings, Optional.empty(), Map.of("bootstrap.servers", given.get("bootstrap.servers")), time);
        ShuffleEngine engine =
                ShuffleEngine.open(settings, BatcherOptions.builder(settings).build(), membership, time);
        membership.join(engine.member());
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // The parent says nothing.
        }
        Runtime.getRuntime().halt(0);
    }

    /** Stops it where it stands: its connections stay open. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Continues one that was stopped. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        // The shell's own kill: a machine without the procps package has no other.
        int status = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .start()
                .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -" + name + " ended with " + status);
        }
    }

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
