package dev.blobshuffle.flink;

import dev.blobshuffle.testkit.internal.servers.FreePort;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of Flink whose JobManager and TaskManagers are processes of their own, with the class
 * path of this one. Tests kill them. Owned by one test.
 */
final class FlinkCluster implements AutoCloseable {
    private final Path directory;
    private final Path findings;
    private final int rpcPort = FreePort.take();
    private final int restPort = FreePort.take();
    private final Map<String, Process> taskManagers = new LinkedHashMap<>();
    private final List<Process> all = new ArrayList<>();
    private @Nullable Process jobManager;
    private int started;

    /**
     * A cluster that keeps its files below a directory, and starts with a JobManager.
     *
     * @param more lines of Flink's configuration
     */
    FlinkCluster(Path directory, String... more) throws IOException {
        this.directory = directory;
        findings = Files.createDirectories(directory.resolve("findings"));
        List<String> configuration = new ArrayList<>(configuration());
        configuration.addAll(List.of(more));
        Files.write(directory.resolve("config.yaml"), configuration);
        startJobManager();
    }

    private List<String> configuration() {
        return List.of(
                "jobmanager.rpc.address: 127.0.0.1",
                "jobmanager.rpc.port: " + rpcPort,
                "jobmanager.bind-host: 127.0.0.1",
                "rest.address: 127.0.0.1",
                "rest.bind-address: 127.0.0.1",
                "rest.port: " + restPort,
                "taskmanager.host: 127.0.0.1",
                "taskmanager.bind-host: 127.0.0.1",
                "taskmanager.cpu.cores: 1",
                "taskmanager.memory.framework.heap.size: 64 mb",
                "taskmanager.memory.framework.off-heap.size: 64 mb",
                "taskmanager.memory.jvm-metaspace.size: 128 mb",
                "taskmanager.memory.jvm-overhead.min: 64 mb",
                "taskmanager.memory.jvm-overhead.max: 64 mb",
                "taskmanager.memory.task.heap.size: 128 mb",
                "taskmanager.memory.task.off-heap.size: 0",
                "taskmanager.memory.managed.size: 64 mb",
                "taskmanager.memory.network.min: 32 mb",
                "taskmanager.memory.network.max: 32 mb",
                "heartbeat.interval: 1000",
                "pekko.startup-timeout: 5 min",
                "pekko.ask.timeout: 2 min",
                "cluster.registration.initial-timeout: 50",
                "cluster.registration.max-timeout: 500",
                "slot.request.timeout: 120000",
                "io.tmp.dirs: " + directory);
    }

    /** Where the cluster takes jobs. */
    int restPort() {
        return restPort;
    }

    /** What the tasks have found. */
    List<String> findings() throws IOException {
        return Findings.in(findings);
    }

    /** Starts the JobManager again, on the same ports. */
    void startJobManager() throws IOException {
        jobManager = start("jobmanager", StandaloneSessionClusterEntrypoint.class);
    }

    /** Ends the JobManager with SIGKILL. The TaskManagers stay. */
    void killJobManager() {
        Objects.requireNonNull(jobManager).destroyForcibly().onExit().join();
    }

    /** Starts a TaskManager. */
    void startTaskManager(String name, int slots, String... settings) throws IOException {
        List<String> more = new ArrayList<>(
                List.of("-Dtaskmanager.numberOfTaskSlots=" + slots, "-Dtaskmanager.resource-id=" + name));
        for (String setting : settings) {
            more.add("-D" + setting);
        }
        taskManagers.put(name, start(name, TaskManagerRunner.class, more.toArray(String[]::new)));
    }

    private Process start(String name, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.log.org.apache.flink=info",
                "-D" + Findings.DIRECTORY + "=" + findings,
                "-Daws.accessKeyId=" + VersityGateway.ACCESS_KEY,
                "-Daws.secretAccessKey=" + VersityGateway.SECRET_KEY));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), Member.class.getName(), main.getName(), "--configDir"));
        command.add(directory.toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        directory.resolve(name + "-" + started++ + ".log").toFile())
                .start();
        all.add(process);
        return process;
    }

    /** Ends a TaskManager with SIGKILL. */
    void killTaskManager(String name) {
        process(name).destroyForcibly().onExit().join();
    }

    /** Stops a TaskManager where it stands: its connections stay open. */
    void suspend(String name) throws IOException, InterruptedException {
        signal("STOP", name);
    }

    /** Continues a TaskManager that was suspended. */
    void resume(String name) throws IOException, InterruptedException {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws IOException, InterruptedException {
        // The shell's own kill: a machine without the procps package has no other.
        long pid = process(name).pid();
        int status = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
                .start()
                .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -" + signal + " ended with " + status);
        }
    }

    private Process process(String name) {
        return Objects.requireNonNull(taskManagers.get(name), name);
    }

    /** Ends all processes with SIGKILL. */
    void killAll() {
        all.forEach(Process::destroyForcibly);
        all.forEach(process -> process.onExit().join());
        all.clear();
        taskManagers.clear();
    }

    @Override
    public void close() {
        killAll();
    }

    /** Runs one of Flink's programs, and ends with the process that started it. */
    static final class Member {
        private Member() {}

        public static void main(String[] arguments) throws Exception {
            Thread watch = new Thread(Member::awaitEnd, "parent");
            watch.setDaemon(true);
            watch.start();
            List<String> rest = List.of(arguments).subList(1, arguments.length);
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object)
                    rest.toArray(String[]::new));
        }

        private static void awaitEnd() {
            try {
                while (System.in.read() >= 0) {
                    // The parent says nothing.
                }
            } catch (IOException e) {
                // As at the end.
            }
            Runtime.getRuntime().halt(1);
        }
    }
}
