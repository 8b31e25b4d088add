package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.Main;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code demo --keep-running} in its own process. The commands that it prints work, and it leaves
 * nothing behind. At night: {@link DemoIT} runs the demo in each build.
 */
@Tag("nightly")
class KeptDemoIT {
    private static final int LINES = 40;
    private static final String COMMAND = "    ";

    @TempDir
    private Path directory;

    private final List<ProcessHandle> descendants = new ArrayList<>();

    @AfterEach
    void endWhatIsLeft() {
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    @Timeout(1800)
    void itsCommandsWorkAsPrintedAndAnOrderToEndLeavesNothing() throws Exception {
        Process demo = start();
        List<String> commands = commandsOf(demo);
        assertThat(commands).hasSize(4);
        Path launcher = launcher();
        assertThat(printed(commands.get(0), launcher)).contains("concordance-count-repartition");
        assertThat(printed(commands.get(1), launcher)).contains("offset");
        assertThat(printed(commands.get(2), launcher)).contains("Sound: ");
        assertThat(printed(commands.get(3), launcher)).contains("blobshuffle_");

        demo.destroy();

        assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(descendants.stream().filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(files(directory.resolve("tmp")))
                .as("directories of the demo")
                .noneMatch(file -> file.toString().contains("blobshuffle-demo-"));
        // As after the sweep: the store itself stays, without blobs.
        assertThat(files(directory.resolve("store")))
                .isNotEmpty()
                .noneMatch(file -> file.toString().endsWith(".blob"));
    }

    @Test
    @Timeout(1800)
    void aKillOfTheDemoLeavesNoBrokersBehind() throws Exception {
        Process demo = start();
        try (BufferedReader lines = demo.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); !line.contains("instances"); ) {
                line = lines.readLine();
            }
        }
        demo.descendants().forEach(descendants::add);
        assertThat(descendants).isNotEmpty();

        demo.destroyForcibly();

        for (ProcessHandle descendant : descendants) {
            descendant.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    private Process start() throws IOException {
        Path input =
                Files.write(directory.resolve("input.txt"), Text.own().lines().subList(0, LINES));
        return new ProcessBuilder(java(
                        "-Djava.io.tmpdir=" + Files.createDirectory(directory.resolve("tmp")),
                        Main.class,
                        "demo",
                        "--keep-running",
                        "--zones",
                        "1",
                        "--instances",
                        "1",
                        "--input",
                        input.toString(),
                        "--store",
                        directory.resolve("store").toString()))
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    /** Reads until the demo stays up; remembers its processes. */
    private List<String> commandsOf(Process demo) throws IOException {
        List<String> commands = new ArrayList<>();
        BufferedReader lines = demo.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(COMMAND + "./") || line.startsWith(COMMAND + "curl")) {
                commands.add(line.strip());
            }
            if (line.startsWith("Ctrl-C ends")) {
                demo.descendants().forEach(descendants::add);
                return commands;
            }
        }
        throw new AssertionError("The demo ended: " + Files.readString(directory.resolve("err")));
    }

    /** A directory with the launcher of a checkout, which runs what was built. */
    private Path launcher() throws IOException {
        Path place = Files.createDirectory(directory.resolve("checkout"));
        String command = java("-Dnone=none", dev.blobshuffle.cli.Main.class).stream()
                .map(argument -> "'" + argument + "'")
                .collect(Collectors.joining(" "));
        Files.writeString(place.resolve("blobshuffle"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
        Files.setPosixFilePermissions(place.resolve("blobshuffle"), PosixFilePermissions.fromString("rwx------"));
        return place;
    }

    private static List<String> java(String option, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private String printed(String command, Path place) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(place.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", command, output).isZero();
        return output;
    }

    private static List<Path> files(Path place) {
        return LiveFiles.below(place);
    }
}
