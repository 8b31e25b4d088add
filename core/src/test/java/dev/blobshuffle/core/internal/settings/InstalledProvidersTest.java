package dev.blobshuffle.core.internal.settings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobStoreProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledProvidersTest {
    @TempDir
    private Path jar;

    /** Like a shaded jar from which a class was removed. */
    @Test
    void aListedClassThatIsAbsentIsNamedWithTheRemedy() throws Exception {
        Path services = jar.resolve("META-INF/services/" + BlobStoreProvider.class.getName());
        Files.createDirectories(services.getParent());
        Files.writeString(services, "com.shop.LostProvider\n");
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, BlobStoreProvider.class.getClassLoader())) {
            assertThatThrownBy(() -> InstalledProviders.of(BlobStoreProvider.class, loader))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("com.shop.LostProvider not found")
                    .hasMessageContaining("META-INF/services/" + BlobStoreProvider.class.getName())
                    .hasMessageContaining("Keep the listed classes");
        }
    }
}
