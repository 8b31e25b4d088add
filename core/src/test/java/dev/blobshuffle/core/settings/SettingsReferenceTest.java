package dev.blobshuffle.core.settings;

import dev.blobshuffle.core.GeneratedPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SettingsReferenceTest {
    @Test
    void theReferenceSaysWhatTheConstantsSay() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Settings

                Given with the application's own configuration, under the prefix `blobshuffle.`; the same names everywhere. An unknown name under the prefix is an error.
                All instances of an application must agree on `store`, `topics.include` and `topics.exclude`. This page is generated from the constants in `Settings`.

                | Name | Default | Form | Meaning |
                |---|---|---|---|
                """);
        for (Setting<?> setting : Settings.all()) {
            page.append("| `")
                    .append(setting.name())
                    .append("` | ")
                    .append(GeneratedPage.cell(setting.defaultText()))
                    .append(" | ")
                    .append(GeneratedPage.cell(setting.form()))
                    .append(" | ")
                    .append(GeneratedPage.cell(setting.doc()))
                    .append(" |\n");
        }
        GeneratedPage.check("settings.md", SettingsReferenceTest.class, page.toString());
    }
}
