package dev.blobshuffle.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * CPU time, user and system, that processes have used, in seconds, as the operating system counts
 * it (Linux: {@code /proc}). The resolution is 10 ms.
 *
 * @param total of all threads, including ended ones
 * @param threads by the kind of thread, for threads that are alive; the kind is the thread's name
 *     without its digits
 */
public record CpuTime(double total, Map<String, Double> threads) {
    private static final double TICKS_PER_SECOND = 100; // the same on every Linux: USER_HZ
    private static final int USER_TIME = 11; // fields after the name
    private static final int SYSTEM_TIME = 12;

    /** No CPU time. */
    public static final CpuTime NONE = new CpuTime(0, Map.of());

    /** Unknown (NaN), because a process has ended meanwhile and its account is lost. */
    public static final CpuTime UNKNOWN = new CpuTime(Double.NaN, Map.of());

    /**
     * Kinds of threads whose CPU time counts as compiling. It depends more on the length of a run
     * than on its work.
     */
    private static final List<String> COMPILERS = List.of("C CompilerThre");

    /** Copies the map. */
    public CpuTime {
        threads = Map.copyOf(threads);
    }

    /** CPU time that the processes have used until now. */
    public static CpuTime of(List<Long> pids) throws IOException {
        double total = 0;
        Map<String, Double> threads = new HashMap<>();
        for (long pid : pids) {
            Path process = Path.of("/proc", Long.toString(pid));
            total += Stat.read(process.resolve("stat")).seconds;
            try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
                for (Path task : tasks.toList()) {
                    add(threads, task.resolve("stat"));
                }
            }
        }
        return new CpuTime(total, threads);
    }

    /**
     * CPU time of processes that start processes, such as PostgreSQL servers. It includes the
     * processes below them, and ended processes whose parents have waited for them.
     */
    public static CpuTime ofTrees(List<Long> roots) throws IOException {
        double total = 0;
        for (long root : roots) {
            total += Stat.read(Path.of("/proc", Long.toString(root), "stat")).withEnded();
            for (ProcessHandle below : ProcessHandle.of(root).stream()
                    .flatMap(ProcessHandle::descendants)
                    .toList()) {
                // If a process has ended meanwhile, its parent's account has its time.
                total += Stat.readIfAlive(Path.of("/proc", Long.toString(below.pid()), "stat"))
                        .map(Stat::withEnded)
                        .orElse(0.0);
            }
        }
        return new CpuTime(total, Map.of());
    }

    private static void add(Map<String, Double> threads, Path stat) throws IOException {
        Stat.readIfAlive(stat)
                .ifPresent(thread ->
                        threads.merge(thread.name.replaceAll("[0-9]+", "").strip(), thread.seconds, Double::sum));
    }

    /** CPU time since an earlier account. */
    public CpuTime since(CpuTime earlier) {
        Map<String, Double> rest = new TreeMap<>();
        threads.forEach((name, seconds) -> {
            double used = seconds - earlier.threads.getOrDefault(name, 0.0);
            if (used > 0) {
                rest.put(name, used);
            }
        });
        return new CpuTime(total - earlier.total, rest);
    }

    /** The sum of two accounts. */
    public CpuTime plus(CpuTime other) {
        Map<String, Double> sum = new TreeMap<>(threads);
        other.threads.forEach((name, seconds) -> sum.merge(name, seconds, Double::sum));
        return new CpuTime(total + other.total, sum);
    }

    /** CPU time without compilers. */
    public double work() {
        return total - compilers();
    }

    /** CPU time of the JIT compilers; unknown if the total is unknown. */
    public double compilers() {
        if (Double.isNaN(total)) {
            return Double.NaN;
        }
        return COMPILERS.stream()
                .mapToDouble(name -> threads.getOrDefault(name, 0.0))
                .sum();
    }

    /**
     * The account of one process or thread.
     *
     * @param name of the process or thread
     * @param seconds user and system time
     * @param ended of ended children that the process has waited for
     */
    private record Stat(String name, double seconds, double ended) {
        double withEnded() {
            return seconds + ended;
        }

        /**
         * The account of a process or thread that may end at any time: then its file is gone, or
         * is open already and cannot be read.
         */
        static Optional<Stat> readIfAlive(Path file) throws IOException {
            try {
                return Optional.of(read(file));
            } catch (IOException e) {
                if (Files.exists(file)) {
                    throw e;
                }
                return Optional.empty();
            }
        }

        /**
         * The name is in brackets and may hold anything, brackets too; the rest is separated by
         * spaces.
         */
        static Stat read(Path file) throws IOException {
            String line = Files.readString(file);
            int end = line.lastIndexOf(')');
            String[] fields = line.substring(end + 2).split(" ");
            return new Stat(
                    line.substring(line.indexOf('(') + 1, end),
                    (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) / TICKS_PER_SECOND,
                    (Long.parseLong(fields[SYSTEM_TIME + 1]) + Long.parseLong(fields[SYSTEM_TIME + 2]))
                            / TICKS_PER_SECOND);
        }
    }
}
