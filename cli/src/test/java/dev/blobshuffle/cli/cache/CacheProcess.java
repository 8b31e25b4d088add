package dev.blobshuffle.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code blobshuffle cache} as a process of its own. Stateless. */
final class CacheProcess {
    private CacheProcess() {}

    /**
     * Starts a cache of 64 MiB that listens on a free port.
     *
     * @param config its file of settings is written here
     * @param settings lines of the file
     * @param options more options of the command
     */
    static Process start(Path config, String zone, String settings, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.blobshuffle.cli.Main",
                "cache",
                "--zone",
                zone,
                "--listen",
                "127.0.0.1:0",
                "--capacity",
                "64MiB",
                "--config",
                Files.writeString(config, settings).toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Sends a signal. The shell's built-in kill: a machine without procps has no other. */
    static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }
}
