package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.GeneratedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsReferenceTest {
    @Test
    void theReferenceSaysWhatTheConstantsSay() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Settings

                Set these in the application's configuration. The names are the same for every front door. An unknown name with the prefix `blobshuffle.` is an error.
                All instances of an application must agree on `store`, `topics.include` and `topics.exclude`. This page is generated from the constants in `Settings`.

                | Name | Default | Form | Meaning |
                |---|---|---|---|
                """);
        for (Setting<?> setting : Settings.all()) {
            row(page, setting.name(), setting.defaultText(), setting.form(), setting.doc());
        }
        page.append("""

                ## Slow functions

                Settings of functions that Kafka Streams [calls in parallel](guides/key-parallel.md). Each holds for all nodes whose code leaves the default.
                With a node's name before it, as in `blobshuffle.keyparallel.NAME.timeout.ms`, it overrides that node's code.

                | Name | Default | Form | Meaning |
                |---|---|---|---|
                """);
        for (NodeSetting setting : NodeSetting.values()) {
            row(page, setting.nameForAll(), setting.defaultText(), setting.form(), setting.doc());
        }
        page.append(storeParameters());
        GeneratedPage.check("settings.md", SettingsReferenceTest.class, page.toString());
    }

    /** The last part of the page, which a test of the tools checks: they have all stores. */
    private static String storeParameters() throws IOException {
        String now = Files.readString(Path.of("..", "docs", "settings.md"));
        int start = now.indexOf("\n## Store URIs\n");
        return start < 0 ? "" : now.substring(start);
    }

    private static void row(StringBuilder page, String name, String defaultText, String form, String doc) {
        page.append("| `")
                .append(name)
                .append("` | ")
                .append(GeneratedPage.cell(defaultText))
                .append(" | ")
                .append(GeneratedPage.cell(form))
                .append(" | ")
                .append(GeneratedPage.cell(doc))
                .append(" |\n");
    }
}
