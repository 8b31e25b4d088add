package dev.blobshuffle.postgresql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.version.Versions;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LogLibrariesTest {
    private static final Optional<String> DRIVER =
            Optional.of(Versions.of("org.postgresql:postgresql").oldest());
    private static final Optional<String> POOL =
            Optional.of(Versions.of("com.zaxxer:HikariCP").oldest());

    @Test
    void aDriverThatIsTooOldIsRefusedWithBothVersionsAndTheRemedy() {
        assertThatThrownBy(() -> LogLibraries.requireSupported(Optional.of("42.7.4"), POOL))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageMatching(
                        "Cannot open the log: postgresql 42\\.7\\.4 is too old: BlobShuffle needs 42\\.7\\.5"
                                + " or newer\\. Set the version of org\\.postgresql:postgresql in your build, for example to"
                                + " 42\\.7\\.\\d+\\.");
    }

    @Test
    void aPoolThatIsTooOldIsRefusedWithBothVersionsAndTheRemedy() {
        assertThatThrownBy(() -> LogLibraries.requireSupported(DRIVER, Optional.of("5.1.0")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("HikariCP 5.1.0 is too old: BlobShuffle needs 6.3.0 or newer. Set the version of"
                        + " com.zaxxer:HikariCP in your build");
    }

    @Test
    void theOldestVersionsAndUnknownOnesPass() {
        assertThatCode(() -> LogLibraries.requireSupported(DRIVER, POOL)).doesNotThrowAnyException();
        assertThatCode(() -> LogLibraries.requireSupported(Optional.empty(), Optional.empty()))
                .doesNotThrowAnyException();
    }

    @Test
    void theVersionsOnTheClassPathAreKnown() {
        assertThat(LogLibraries.driver())
                .hasValueSatisfying(version -> assertThat(version).startsWith("42."));
        assertThat(Versions.present("com.zaxxer:HikariCP", getClass().getClassLoader()))
                .isPresent();
    }

    /** Uses a class loader whose pool reports an old version. */
    @Test
    void noPoolIsOpenedWithALibraryThatIsTooOld() throws Exception {
        try (URLClassLoader loader = new WithOldPool()) {
            Class<?> uri = loader.loadClass(PostgresqlUri.class.getName());
            Class<?> timeouts = loader.loadClass(DatabaseTimeouts.class.getName());
            Object parsed = uri.getMethod("parse", String.class).invoke(null, "postgresql://localhost:1/log");
            assertThatThrownBy(() -> loader.loadClass(ConnectionPool.class.getName())
                            .getMethod("open", uri, String.class, timeouts)
                            .invoke(
                                    null,
                                    parsed,
                                    "test",
                                    timeouts.getField("DEFAULT").get(null)))
                    .isInstanceOf(InvocationTargetException.class)
                    .rootCause()
                    .hasMessageContaining("Cannot open the log: HikariCP 5.1.0 is too old");
        }
    }

    private static final class WithOldPool extends URLClassLoader {
        WithOldPool() throws MalformedURLException {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() throws MalformedURLException {
            List<URL> entries = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                entries.add(Path.of(entry).toUri().toURL());
            }
            return entries.toArray(URL[]::new);
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return name.equals("META-INF/maven/com.zaxxer/HikariCP/pom.properties")
                    ? new ByteArrayInputStream("version=5.1.0".getBytes(StandardCharsets.ISO_8859_1))
                    : super.getResourceAsStream(name);
        }
    }
}
