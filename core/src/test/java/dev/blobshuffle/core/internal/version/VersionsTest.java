package dev.blobshuffle.core.internal.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionsTest {
    private static final String HTTP = "org.apache.httpcomponents.client5:httpclient5";

    @TempDir
    private Path jar;

    @ParameterizedTest
    @ValueSource(strings = {"5.3.1", "5.3", "4.5.14", "5.3.9-redhat-1"})
    void anOlderLibraryIsRefusedWithBothVersionsAndTheRemedy(String version) throws Exception {
        try (URLClassLoader loader = loader(version)) {
            assertThatThrownBy(() -> Versions.require("open store s3://", HTTP, loader))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Cannot open store s3://: httpclient5 " + version + " is too old")
                    .hasMessageContaining("needs 5.4 or newer")
                    .hasMessageContaining("Set the version of " + HTTP + " in your build");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.4", "5.4.4", "5.5.1", "5.10", "6.0", "unknown"})
    void otherVersionsPass(String version) throws Exception {
        try (URLClassLoader loader = loader(version)) {
            assertThatCode(() -> Versions.require("open store s3://", HTTP, loader))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aLibraryOfUnknownVersionPasses() {
        assertThatCode(() -> Versions.require("open store s3://", HTTP, ClassLoader.getPlatformClassLoader()))
                .doesNotThrowAnyException();
    }

    /** The name that Maven's shade plugin writes into our classes. */
    @Test
    void aRelocatedLibraryPasses() {
        assertThatCode(() -> Versions.require(
                        "open store s3://", "shaded.amazon.awssdk:s3", ClassLoader.getPlatformClassLoader()))
                .doesNotThrowAnyException();
    }

    @Test
    void aPatchOfTheNewestReleaseIsNoNewRelease() {
        Supported library = Versions.of(HTTP);
        assertThat(library.isUntested("5.6.99")).isFalse();
        assertThat(library.isUntested("5.7")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"5.6.4, 5.3.6, false", "5.6, 5.4, true", "5.5.2, 5.3.6, true", "5.4, 5.2.5, false"})
    void clientAndCoreMustFitTogether(String client, String core, boolean fit) {
        assertThat(HttpPair.problem(client, core).isEmpty()).isEqualTo(fit);
    }

    /** A shaded jar has its own manifest, but keeps the resource. */
    @Test
    void ownVersionIsThatOfTheBuild() {
        assertThat(OwnVersion.text()).matches("\\d+\\.\\d+\\.\\d+.*");
    }

    private URLClassLoader loader(String version) throws Exception {
        Path file = jar.resolve("META-INF/maven/" + HTTP.replace(':', '/') + "/pom.properties");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "version=" + version + "\n");
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    }
}
