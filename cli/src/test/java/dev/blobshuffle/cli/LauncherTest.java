package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script of a source checkout, with a stub in the place of Java. */
class LauncherTest {
    @TempDir
    private Path checkout;

    private Path target;

    @BeforeEach
    void build() throws IOException {
        target = Files.createDirectories(checkout.resolve("cli/target"));
        Files.copy(Path.of("..", "blobshuffle"), checkout.resolve("blobshuffle"));
        Files.writeString(target.resolve("blobshuffle.jar"), "");
        Files.writeString(
                target.resolve("classpath"), target.resolve("blobshuffle.jar").toString());
        Files.writeString(checkout.resolve("pom.xml"), "");
        Files.createDirectories(checkout.resolve("cli/src/main"));
        Files.createDirectories(checkout.resolve(".mvn"));
        Files.writeString(checkout.resolve("cli/pom.xml"), "");
        Path java = Files.createDirectories(checkout.resolve("java/bin")).resolve("java");
        Files.writeString(
                java,
                "#!/bin/sh\ncase $1 in -version) echo 'openjdk version \"17.0.1\"' ;; --list-modules) echo jdk.compiler ;; esac\necho ran \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(target.resolve("launcher.stamp"), "");
    }

    @Test
    void whatIsBuiltRunsWithoutABuild() throws Exception {
        assertThat(run()).endsWith("dev.blobshuffle.cli.Main --version\n0");
    }

    /** Another user built it, and this one may not write there. */
    @Test
    void aCheckoutThatCannotBeWrittenRuns() throws Exception {
        Files.createSymbolicLink(target.resolve("launcher.java"), checkout.resolve("absent/file"));
        assertThat(run()).startsWith("ran ").endsWith("dev.blobshuffle.cli.Main --version\n0");
    }

    @Test
    void aCheckoutThatCannotBeBuiltSaysWhy() throws Exception {
        Files.delete(target.resolve("launcher.stamp"));
        Files.createSymbolicLink(target.resolve("launcher.stamp.new"), checkout.resolve("absent/file"));
        assertThat(run())
                .startsWith("Cannot build blobshuffle: " + target.toRealPath() + " cannot be written.")
                .endsWith("\n1");
    }

    /** Runs the script, and returns its output and then its status. */
    private String run() throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("sh", checkout.resolve("blobshuffle").toString(), "--version");
        builder.environment().put("JAVA_HOME", checkout.resolve("java").toString());
        builder.environment().remove("BLOBSHUFFLE_JAVA_OPTS");
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return text + process.exitValue();
    }
}
