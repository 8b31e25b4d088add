package dev.blobshuffle.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One example: a Maven project of its own, built with our Maven wrapper and run as a process. Our
 * artifacts come to it from a repository in the build directory. Owned by one thread.
 */
final class Example {
    private static final String VERSION = System.getProperty("blobshuffle.version", "0.1.0-SNAPSHOT");
    private static final Path REPOSITORY = Path.of("target/repository").toAbsolutePath();

    private final Path project;
    private final Path output;

    private Example(Path project) {
        this.project = project;
        this.output = project.resolve("output.log");
    }

    /**
     * Builds an example, in a copy of its directory.
     *
     * @param arguments of Maven, beside the goal
     */
    static Example build(String name, Path directory, String... arguments) throws Exception {
        return build(name, directory, Map.of(), arguments);
    }

    /**
     * Builds an example with classes of the test.
     *
     * @param more sources by the name of their class in the example's package
     * @param arguments of Maven, beside the goal
     */
    static Example build(String name, Path directory, Map<String, String> more, String... arguments) throws Exception {
        Path project = directory.resolve("project");
        copy(Path.of(name), project);
        for (Map.Entry<String, String> source : more.entrySet()) {
            Files.writeString(project.resolve("src/main/java/example/" + source.getKey() + ".java"), source.getValue());
        }
        Example example = new Example(project);
        List<String> command = new ArrayList<>(List.of(
                Path.of("../mvnw").toAbsolutePath().normalize().toString(),
                "-B",
                "-ntp",
                "-Dmaven.repo.local.tail=" + REPOSITORY,
                "-Dblobshuffle.version=" + VERSION,
                "package"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = example.process(command);
        builder.environment()
                .merge("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1", (given, ours) -> given + " " + ours);
        Process maven = builder.start();
        if (!maven.waitFor(10, TimeUnit.MINUTES) || maven.exitValue() != 0) {
            maven.destroyForcibly();
            throw new AssertionError(name + " does not build:\n" + example.output());
        }
        return example;
    }

    /** Puts our artifacts where the examples find them. */
    static void publish() throws IOException {
        put(Path.of("../pom.xml"), "blobshuffle-parent", ".pom");
        put(Path.of("../bom/pom.xml"), "blobshuffle-bom", ".pom");
        for (String module : List.of(
                "arrow",
                "core",
                "flight",
                "kafka",
                "kstreams",
                "messaging",
                "micrometer",
                "postgresql",
                "spring-boot-starter")) {
            String artifact = "blobshuffle-" + module;
            put(Path.of("..", module, "pom.xml"), artifact, ".pom");
            put(Path.of("..", module, "target", artifact + "-" + VERSION + ".jar"), artifact, ".jar");
        }
    }

    private static void put(Path file, String artifact, String suffix) throws IOException {
        if (!Files.exists(file)) {
            throw new AssertionError(file + " is missing: run this test with 'verify' and '-am', which packages it");
        }
        Path directory = REPOSITORY.resolve(Path.of("dev/blobshuffle", artifact, VERSION));
        Files.createDirectories(directory);
        Files.copy(file, directory.resolve(artifact + "-" + VERSION + suffix), StandardCopyOption.REPLACE_EXISTING);
    }

    Process start(Map<String, String> environment) throws IOException {
        ProcessBuilder java = process(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar()));
        java.environment().putAll(environment);
        return java.start();
    }

    /** Ends a process; by force if it does not end on request. */
    static void stop(Process application) throws InterruptedException {
        application.destroy();
        if (!application.waitFor(1, TimeUnit.MINUTES)) {
            application.destroyForcibly();
        }
    }

    /** The bytes of all files below a directory. */
    static long bytes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** Quarkus puts what starts into a directory of its own. */
    private String jar() {
        String ofQuarkus = "target/quarkus-app/quarkus-run.jar";
        return Files.exists(project.resolve(ofQuarkus)) ? ofQuarkus : "target/order-totals-1.jar";
    }

    private ProcessBuilder process(List<String> command) {
        return new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(from.resolve("target")))
                    .forEach(file -> copyFile(file, to.resolve(from.relativize(file))));
        }
    }

    private static void copyFile(Path file, Path target) {
        try {
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
