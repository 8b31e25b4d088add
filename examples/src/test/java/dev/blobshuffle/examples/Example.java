package dev.blobshuffle.examples;

import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One example: a Maven project of its own, built with our Maven wrapper and run as a process. Our
 * artifacts come to it from a repository in the build directory. Owned by one thread.
 */
final class Example {
    private static final String VERSION = System.getProperty("blobshuffle.version", "0.1.0-SNAPSHOT");
    private static final Path REPOSITORY = Path.of("target/repository").toAbsolutePath();
    private static final Path PROJECTS = Path.of("target/projects").toAbsolutePath();

    /** Run by every build, so one Maven builds them all. */
    private static final List<String> USUAL = List.of(
            "kafka-streams",
            "kafka-clients",
            "key-parallel",
            "messaging",
            "arrow",
            "flink",
            "spring-boot-4",
            "spring-boot");

    private static boolean arePackaged; // guarded by the class

    private final Path project;
    private final Path output;

    private Example(Path project) {
        this.project = project;
        this.output = project.resolve("output.log");
    }

    /** One of those that every build runs; the first call builds them all, in copies. */
    static synchronized Example packaged(String name) throws Exception {
        if (!USUAL.contains(name)) {
            throw new IllegalArgumentException(name);
        }
        if (!arePackaged) {
            delete(PROJECTS);
            maven(Copy.of(USUAL), PROJECTS, "package");
            arePackaged = true;
        }
        return new Example(PROJECTS.resolve(name));
    }

    /**
     * Builds an example alone, in a copy.
     *
     * @param arguments of Maven, beside the goal
     */
    static Example build(String name, Path directory, String... arguments) throws Exception {
        return build(name, directory, pom -> pom, arguments);
    }

    /**
     * Builds an example alone, in a copy whose pom.xml is edited.
     *
     * @param arguments of Maven, beside the goal
     */
    static Example build(String name, Path directory, UnaryOperator<String> edit, String... arguments)
            throws Exception {
        maven(List.of(new Copy(name, name, edit)), directory, "package", arguments);
        return new Example(directory.resolve(name));
    }

    /**
     * Builds copies of an example by one Maven, each with a pom.xml of its own.
     *
     * @param edits of the pom.xml, by the name of the copy
     */
    static Map<String, Example> buildCopies(String name, Path directory, Map<String, UnaryOperator<String>> edits)
            throws Exception {
        List<Copy> copies = new ArrayList<>();
        Map<String, Example> examples = new LinkedHashMap<>();
        edits.forEach((copy, edit) -> {
            copies.add(new Copy(name, copy, edit));
            examples.put(copy, new Example(directory.resolve(copy)));
        });
        maven(copies, directory, "package");
        return examples;
    }

    /**
     * Compiles examples, in copies.
     *
     * @param arguments of Maven, beside the goal
     */
    static void compile(List<String> names, Path directory, String... arguments) throws Exception {
        maven(Copy.of(names), directory, "compile", arguments);
    }

    /**
     * A copy of an example.
     *
     * @param name of its directory
     * @param edit of its pom.xml
     */
    private record Copy(String example, String name, UnaryOperator<String> edit) {
        static List<Copy> of(List<String> examples) {
            return examples.stream()
                    .map(example -> new Copy(example, example, pom -> pom))
                    .toList();
        }
    }

    /** Runs Maven on copies of examples, as modules of one project. */
    private static void maven(List<Copy> copies, Path directory, String goal, String... arguments) throws Exception {
        publish();
        Files.createDirectories(directory.resolve(".mvn")); // Else Maven finds that of our build.
        List<String> names = copies.stream().map(Copy::name).toList();
        Files.writeString(directory.resolve("pom.xml"), parent(names));
        for (Copy copy : copies) {
            Path project = directory.resolve(copy.name());
            copy(Path.of(copy.example()), project);
            Path more = Path.of("src/test/resources", copy.example());
            if (Files.exists(more)) {
                copy(more, project.resolve("src/main/java/example"));
            }
            // All are example:order-totals, and a project has no two modules of one name.
            Path pom = project.resolve("pom.xml");
            String group = "<groupId>example." + copy.name() + "</groupId>";
            Files.writeString(
                    pom, copy.edit().apply(Files.readString(pom)).replaceFirst("<groupId>example</groupId>", group));
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of("../mvnw").toAbsolutePath().normalize().toString(),
                "-B",
                "-ntp",
                "-Dmaven.repo.local.tail=" + REPOSITORY,
                "-Dblobshuffle.version=" + VERSION,
                goal));
        command.addAll(List.of(arguments));
        Path log = directory.resolve("maven.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment()
                .merge("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1", (given, ours) -> given + " " + ours);
        Process process = builder.start();
        if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(names + " do not build:\n" + Files.readString(log));
        }
    }

    private static String parent(List<String> names) {
        StringBuilder modules = new StringBuilder();
        names.forEach(name -> modules.append("<module>").append(name).append("</module>"));
        return """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>examples</groupId>
                  <artifactId>examples</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <modules>%s</modules>
                </project>
                """.formatted(modules);
    }

    /** Puts our artifacts where the examples find them. */
    private static void publish() throws IOException {
        put(Path.of("../pom.xml"), "blobshuffle-parent", ".pom");
        put(Path.of("../bom/pom.xml"), "blobshuffle-bom", ".pom");
        for (String module : List.of(
                "arrow",
                "azure",
                "core",
                "flight",
                "flink",
                "gcs",
                "http",
                "kafka",
                "kstreams",
                "log",
                "messaging",
                "micrometer",
                "postgresql",
                "s3",
                "spark",
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
                "-Xmx512m",
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
    static long bytes(Path directory) {
        return LiveFiles.below(directory).stream()
                .mapToLong(file -> file.toFile().length())
                .sum();
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

    /** The jar that {@code java -jar} starts. */
    Path file() {
        return project.resolve(jar());
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
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
