package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The parameters of the stores' URIs, in the settings reference and at the stores. */
class StoreParametersReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "settings.md");
    private static final List<String> SCHEMES = List.of("file", "memory", "s3", "gs", "az");

    private static List<BlobStoreProvider> providers() {
        return SCHEMES.stream()
                .map(scheme -> BlobStores.providers().stream()
                        .filter(provider -> provider.scheme().equals(scheme))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    @Test
    void theReferenceSaysWhatTheProvidersSay() throws IOException {
        StringBuilder section = new StringBuilder("""

                ## Store URIs

                Parameters of the URI in `blobshuffle.store`, after `?` and separated by `&`; [object stores](stores.md) says more. An unknown one is an error.

                | Store | Parameter | Default | Meaning |
                |---|---|---|---|
                """);
        for (BlobStoreProvider provider : providers()) {
            for (StoreParameter parameter : provider.parameters()) {
                section.append(String.format(
                        "| `%s://` | `%s` | %s | %s |%n",
                        provider.scheme(), parameter.name(), parameter.defaultText(), parameter.doc()));
            }
        }
        String page = Files.readString(PAGE);
        if (Boolean.getBoolean("docs.update")) {
            int start = page.indexOf("\n## Store URIs\n");
            page = (start < 0 ? page : page.substring(0, start)) + section;
            Files.writeString(PAGE, page);
        }
        assertThat(page.endsWith(section.toString()))
                .as("docs/settings.md ends with what the providers say; update it: ./mvnw -q -pl cli -am test"
                        + " -Dtest=StoreParametersReferenceTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Ddocs.update=true")
                .isTrue();
    }

    @Test
    void everyStoreRefusesAParameterThatItDoesNotList() {
        try (SystemTime time = new SystemTime()) {
            for (BlobStoreProvider provider : providers()) {
                StoreUri uri = StoreUri.parse(provider.scheme() + "://account/container?chekcsum=none");
                assertThatThrownBy(() -> provider.open(uri, StoreContext.unmetered(time)))
                        .as(provider.scheme())
                        .isInstanceOf(InvalidSettings.class)
                        .hasMessageContaining("chekcsum")
                        .hasMessageContaining(provider.parameters().get(0).name());
            }
        }
    }
}
