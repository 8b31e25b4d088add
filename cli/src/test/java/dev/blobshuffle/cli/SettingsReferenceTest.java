package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafka.internal.settings.NodeSetting;
import dev.blobshuffle.messaging.internal.MessagingSettings;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Generates and checks the settings reference: the settings of all components and the parameters of
 * the stores' URIs.
 */
class SettingsReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "settings.md");
    private static final List<String> SCHEMES = List.of("file", "memory", "s3", "gs", "az");

    private static final String HEAD = """
            | Name | Default | Form | Meaning |
            |---|---|---|---|
            """;

    private static List<BlobStoreProvider> providers() {
        return SCHEMES.stream()
                .map(scheme -> BlobStores.providers().stream()
                        .filter(provider -> provider.scheme().equals(scheme))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    @Test
    void theReferenceSaysWhatTheComponentsSay() throws IOException {
        String page = page();
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE)
                .as("docs/settings.md is what the components say; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=SettingsReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(page);
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Settings

                Set these in the application's configuration. The names are the same for every front door. An unknown name with the prefix `blobshuffle.` is an error.
                All instances of an application must agree on `store`, `topics.include` and `topics.exclude`. This page is generated from the components' own definitions.
                """);
        Set<String> titles = new HashSet<>();
        for (SettingGroup group : Stream.concat(KafkaSettings.GROUPS.stream(), MessagingSettings.GROUPS.stream())
                .toList()) {
            if (!group.settings().isEmpty() && titles.add(group.title())) {
                page.append("\n## ").append(group.title()).append("\n\n").append(HEAD);
                group.settings()
                        .forEach(setting ->
                                row(page, setting.name(), setting.defaultText(), setting.form(), setting.doc()));
            }
        }
        page.append("""

                ## Slow functions

                Settings of functions that Kafka Streams [calls in parallel](guides/key-parallel.md). Each holds for all nodes whose code leaves the default.
                With a node's name before it, as in `blobshuffle.keyparallel.NAME.timeout.ms`, it overrides that node's code.

                """).append(HEAD);
        for (NodeSetting setting : NodeSetting.values()) {
            row(page, setting.nameForAll(), setting.defaultText(), setting.form(), setting.doc());
        }
        page.append("""

                ## Store URIs

                Parameters of the URI in `blobshuffle.store`, after `?` and separated by `&`; [object stores](stores.md) says more. An unknown one is an error.

                | Store | Parameter | Default | Meaning |
                |---|---|---|---|
                """);
        for (BlobStoreProvider provider : providers()) {
            for (StoreParameter parameter : provider.parameters()) {
                page.append(String.format(
                        "| `%s://` | `%s` | %s | %s |%n",
                        provider.scheme(), parameter.name(), parameter.defaultText(), parameter.doc()));
            }
        }
        page.append("""

                ## Log URI

                Parameters of the URI in `blobshuffle.log`, after `?` and separated by `&`; [messaging](guides/messaging.md#the-database) says more. An unknown one is an error.

                | Log | Parameter | Default | Meaning |
                |---|---|---|---|
                """);
        for (StoreParameter parameter : PostgresqlUri.PARAMETERS) {
            page.append(String.format(
                    "| `postgresql://` | `%s` | %s | %s |%n",
                    parameter.name(), parameter.defaultText(), parameter.doc()));
        }
        return page.toString();
    }

    private static void row(StringBuilder page, String name, String defaultText, String form, String doc) {
        page.append(Stream.of("`" + name + "`", defaultText, form, doc)
                .map(cell -> cell.replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    @Test
    void everyStoreRefusesAParameterThatItDoesNotList() {
        try (SystemTime time = new SystemTime()) {
            for (BlobStoreProvider provider : providers()) {
                StoreUri uri = StoreUri.parse(provider.scheme() + "://account/container?chekcsum=none");
                assertThatThrownBy(() -> provider.open(uri, StoreContext.unmetered(time)))
                        .as(provider.scheme())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("chekcsum")
                        .hasMessageContaining(provider.parameters().get(0).name());
            }
        }
    }
}
