package dev.blobshuffle.bench.report;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.locks.LockSupport;

/** The environment and time of a measurement. Stateless. */
public final class Environment {
    private static final int LOOKS = 20;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private Environment() {}

    /** The properties of this machine and this build. */
    public static Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        json.put("processors", Runtime.getRuntime().availableProcessors());
        json.put("cpu", line(Path.of("/proc/cpuinfo"), "model name").orElse("unknown"));
        json.put(
                "memory_kib",
                line(Path.of("/proc/meminfo"), "MemTotal").orElse("unknown").replaceAll("[^0-9]", ""));
        json.put("load_average", load());
        json.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        json.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        json.put("kafka", KafkaVersion.present());
        SourceTree.current().commit().ifPresent(commit -> json.put("commit", commit));
        return json;
    }

    private static Optional<String> line(Path file, String name) {
        return line(file, name, ":");
    }

    private static Optional<String> line(Path file, String name, String separator) {
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(separator) + 1).strip())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The operating system's load average over 1, 5 and 15 minutes; empty if it has none. */
    public static List<Double> load() {
        try {
            String[] words = Files.readString(Path.of("/proc/loadavg")).split(" ", -1);
            return List.of(Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Number of threads that run or wait for a processor now, without this one, as the mean over a
     * second. Unlike the load average, it does not include the load of a minute ago, such as the
     * build of this program.
     */
    public static OptionalDouble runningThreads() {
        double sum = 0;
        for (int i = 0; i < LOOKS; i++) {
            Optional<String> running = line(Path.of("/proc/stat"), "procs_running", " ");
            if (running.isEmpty()) {
                return OptionalDouble.empty();
            }
            sum += Math.max(0, Double.parseDouble(running.get()) - 1);
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        return OptionalDouble.of(sum / LOOKS);
    }
}
