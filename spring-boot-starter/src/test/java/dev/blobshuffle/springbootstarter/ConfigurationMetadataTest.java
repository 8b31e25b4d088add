package dev.blobshuffle.springbootstarter;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafka.internal.settings.NodeSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Editors complete {@code blobshuffle.*} in application.yml by metadata that our settings define.
 */
class ConfigurationMetadataTest {
    private static final Path FILE = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
    private static final Pattern WORDS = Pattern.compile("[a-z0-9-]+(, [a-z0-9-]+)+");
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Test
    void theMetadataSaysWhatTheSettingsSay() throws IOException {
        String metadata = metadata();
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(FILE, metadata);
        }
        assertThat(FILE)
                .as("the metadata is what the settings say; update it: ./mvnw -q -Pquick -pl spring-boot-starter"
                        + " -am test -Dtest=ConfigurationMetadataTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Ddocs.update=true")
                .hasContent(metadata);
        assertThat(metadata)
                .contains(
                        "\"blobshuffle.store\"",
                        "\"blobshuffle.batch.max.bytes\"",
                        "\"blobshuffle.keyparallel.timeout.ms\"");
    }

    private static String metadata() throws JsonProcessingException {
        ObjectNode root = JSON.createObjectNode();
        root.putArray("groups");
        root.putArray("properties");
        root.putArray("hints");
        for (SettingGroup group : KafkaSettings.GROUPS) {
            for (Setting<?> setting : group.settings()) {
                add(root, setting.name(), setting.form(), setting.defaultText(), setting.doc());
            }
        }
        for (NodeSetting setting : NodeSetting.values()) {
            add(root, setting.nameForAll(), setting.form(), setting.defaultText(), setting.doc());
        }
        root.withArray("properties")
                .addObject()
                .put("name", "management.health.blobshuffle.enabled")
                .put("type", "java.lang.Boolean")
                .put("description", "Whether to show the health of BlobShuffle.")
                .put("defaultValue", true);
        return JSON.writeValueAsString(root).replace("\r\n", "\n") + "\n";
    }

    private static void add(ObjectNode root, String name, String form, String defaultText, String doc) {
        ObjectNode property = root.withArray("properties")
                .addObject()
                .put("name", name)
                .put("type", type(form))
                .put("description", doc + " Form: " + form + ". Default: " + defaultText + ".");
        if (form.equals("true or false")) {
            property.put("defaultValue", Boolean.parseBoolean(defaultText));
        } else if (form.startsWith("milliseconds") && defaultText.matches("\\d+")) {
            property.put("defaultValue", Long.parseLong(defaultText));
        } else if (WORDS.matcher(form).matches()) {
            property.put("defaultValue", defaultText);
            ObjectNode hint = root.withArray("hints").addObject().put("name", name);
            List.of(form.split(", "))
                    .forEach(word -> hint.withArray("values").addObject().put("value", word));
        }
    }

    private static String type(String form) {
        if (form.equals("true or false")) {
            return "java.lang.Boolean";
        }
        return form.startsWith("milliseconds") ? "java.lang.Long" : "java.lang.String";
    }
}
