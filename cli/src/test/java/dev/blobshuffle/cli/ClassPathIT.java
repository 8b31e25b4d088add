package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/**
 * Checks the class path that the launcher uses. The build writes it when it packages the module.
 */
class ClassPathIT {
    private static final long MOST_BYTES = 76L << 20;

    @Test
    void toolsNeedNoBrokerNoStateStoreAndNoTestCode() throws IOException {
        List<Path> jars = jars();

        assertThat(jars)
                .extracting(jar -> jar.getFileName().toString())
                .anyMatch(name -> name.startsWith("blobshuffle-core"))
                .noneMatch(
                        name -> name.matches("(kafka_|kafka-server|kafka-streams|scala-|rocksdbjni|junit-|assertj-).*"))
                .noneMatch(name -> name.matches(
                        "blobshuffle-(kstreams|kafka-embedded|postgresql-embedded|s3sim|testkit|bench).*"));
    }

    @Test
    void toolsWithAllStoresAndTheLogStaySmall() throws IOException {
        long bytes = 0;
        for (Path jar : jars()) {
            bytes += Files.size(jar);
        }

        assertThat(bytes).isLessThanOrEqualTo(MOST_BYTES);
    }

    /** Modules of users require these names, so they must not depend on the names of the jars. */
    @Test
    void eachOfOurJarsNamesItsModule() throws IOException {
        int named = 0;
        for (Path jar : jars()) {
            String file = jar.getFileName().toString();
            if (file.startsWith("blobshuffle-")) {
                String artifact = file.replaceFirst("-[0-9].*", "");
                try (JarFile opened = new JarFile(jar.toFile())) {
                    assertThat(opened.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                            .as(file)
                            .isEqualTo(artifact.replaceFirst("-", ".")
                                    .replace("-", "")
                                    .replaceFirst("^", "dev."));
                    named++;
                }
            }
        }
        assertThat(named).isGreaterThanOrEqualTo(8);
    }

    private static List<Path> jars() throws IOException {
        return List.of(Files.readString(Path.of("target", "classpath")).strip().split(File.pathSeparator)).stream()
                .map(Path::of)
                .filter(Files::isRegularFile)
                .toList();
    }
}
