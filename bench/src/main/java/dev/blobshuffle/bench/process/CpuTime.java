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
 * CPU time, user and system, that processes have used by the operating system's own account (Linux:
 * {@code /proc}), in seconds; resolution 10 ms.
 *
 * @param total of all threads that ever were
 * @param threads by the kind of thread, for threads that are alive; the kind is the thread's name
 *     without its digits
 */
public record CpuTime(double total, Map<String, Double> threads) {
    private static final double TICKS_PER_SECOND = 100; // the same on every Linux: USER_HZ
    private static final int USER_TIME = 11; // fields after the name
    private static final int SYSTEM_TIME = 12;

    /** None. */
    public static final CpuTime NONE = new CpuTime(0, Map.of());

    /**
     * Not known, because a process has ended meanwhile and taken its account with it: a number that
     * is not one.
     */
    public static final CpuTime UNKNOWN = new CpuTime(Double.NaN, Map.of());

    /**
     * CPU time by kind of thread that counts as compiling: the JVM's, which says more about the
     * length of a run than about its work.
     */
    private static final List<String> COMPILERS = List.of("C CompilerThre");

    /** Copies. */
    public CpuTime {
        threads = Map.copyOf(threads);
    }

    /** What the processes have used until now. */
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
     * What processes that start processes of their own have used, as servers of PostgreSQL do: they
     * themselves, those below them, and of those that have ended, what their parents waited for.
     */
    public static CpuTime ofTrees(List<Long> roots) throws IOException {
        double total = 0;
        for (long root : roots) {
            total += Stat.read(Path.of("/proc", Long.toString(root), "stat")).withEnded();
            for (ProcessHandle below : ProcessHandle.of(root).stream()
                    .flatMap(ProcessHandle::descendants)
                    .toList()) {
                // Of one that has ended meanwhile, the parent has the time.
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

    /** What was used since an earlier account. */
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

    /** What was used, compilers left out. */
    public double work() {
        return total - compilers();
    }

    /** The part that the JIT compilers used; not known where the total is not. */
    public double compilers() {
        if (Double.isNaN(total)) {
            return Double.NaN;
        }
        return COMPILERS.stream()
                .mapToDouble(name -> threads.getOrDefault(name, 0.0))
                .sum();
    }

    /**
     * One line of account.
     *
     * @param name of the process or thread
     * @param seconds user and system time
     * @param ended of children that have ended and were waited for
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
