package dev.blobshuffle.sparkbundle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that {@code spark-submit --jars} takes. */
class BundleIT {
    private static final Path BUNDLE = Path.of(System.getProperty("spark.bundle", "none"));
    private static final String SERVICES = "META-INF/services/";

    /** What Spark looks for when it makes a session. */
    private static final String SESSIONS = SERVICES + "org.apache.spark.sql.SparkSessionExtensionsProvider";

    /** Starts as the scripts of Spark start it. */
    private static final List<String> JVM = List.of(
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.action=ALL-UNNAMED");

    @TempDir
    private Path directory;

    /** Else they would meet those of Spark, Hadoop or the application. */
    @Test
    void allItsClassesAreOurs() throws IOException {
        try (JarFile jar = new JarFile(BUNDLE.toFile())) {
            List<String> names = jar.stream().map(Object::toString).toList();
            assertThat(names.stream().filter(name -> name.endsWith(".class")))
                    .hasSizeGreaterThan(1_000)
                    .allMatch(name -> name.startsWith("dev/blobshuffle/"));
            assertThat(names.stream().filter(name -> name.startsWith(SERVICES) && !name.equals(SERVICES)))
                    .contains(SERVICES + "dev.blobshuffle.core.store.BlobStoreProvider", SESSIONS)
                    .allMatch(name -> name.startsWith(SERVICES + "dev.blobshuffle.") || name.equals(SESSIONS));
            assertThat(names)
                    .contains("META-INF/LICENSE", "META-INF/NOTICE")
                    .noneMatch(name -> name.startsWith("META-INF/maven/"));
        }
    }

    /** The executors are processes of their own that get the jar from the driver. */
    @Test
    @Tag("nightly")
    void sparkSubmitShufflesThroughABucket() throws Exception {
        VersityGateway server = VersityGateway.shared();
        server.makeBucket("bundle");
        String store = "s3://bundle/prefix?region=us-east-1&path-style=true&endpoint=" + server.endpoint();

        assertThat(submit(
                        "--jars",
                        BUNDLE.toString(),
                        "--conf",
                        "spark.plugins=dev.blobshuffle.spark.BlobShufflePlugin",
                        "--conf",
                        "spark.blobshuffle.store=" + store,
                        "--conf",
                        "spark.blobshuffle.durability=sync"))
                .contains("The shuffles of this application are in s3://bundle/prefix/spark/")
                .contains("total " + Totals.EXPECTED);
    }

    private String submit(String... options) throws Exception {
        Path ignored = Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        String spark = classPathWithoutOurs();
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JVM);
        command.addAll(List.of(
                "-cp", spark, "org.apache.spark.deploy.SparkSubmit", "--master", "local-cluster[2,1,512]", "--conf"));
        command.addAll(List.of("spark.executor.memory=512m", "--conf", "spark.executor.extraClassPath=" + spark));
        command.addAll(List.of("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false"));
        command.addAll(List.of(options));
        command.addAll(List.of("--class", Totals.class.getName(), "spark-internal"));
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "AWS_ACCESS_KEY_ID", VersityGateway.ACCESS_KEY,
                        "AWS_SECRET_ACCESS_KEY", VersityGateway.SECRET_KEY));
        Process process = builder.start();
        boolean isEnded = process.waitFor(5, TimeUnit.MINUTES);
        process.destroyForcibly();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(isEnded && process.exitValue() == 0).as(text).isTrue();
        return text;
    }

    /** Spark, and the job; what the bundle has comes from the bundle alone. */
    private static String classPathWithoutOurs() {
        String tests = Path.of("target", "test-classes").toAbsolutePath().toString();
        return String.join(
                File.pathSeparator,
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(part -> part.equals(tests)
                                || part.endsWith(".jar")
                                        && !part.contains("blobshuffle")
                                        && !part.contains("awssdk")
                                        && !part.contains("httpcomponents"))
                        .toList());
    }
}
