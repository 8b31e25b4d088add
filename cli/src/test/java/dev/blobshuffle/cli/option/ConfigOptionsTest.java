package dev.blobshuffle.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConfigOptionsTest {
    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    private ConfigOptions options(String... arguments) {
        return CommandLine.populateCommand(new ConfigOptions(new Profiles(directory, environment)), arguments);
    }

    private static StoreOption store(String... arguments) {
        return CommandLine.populateCommand(new StoreOption(), arguments);
    }

    @Test
    void anOptionWinsOverTheConfigAndTheConfigOverTheProfile() throws IOException {
        write("prod.properties", "rw-r--r--", "blobshuffle.store=file:///profile\nbootstrap.servers=profile:9092\n");
        Path config = write("app.properties", "rw-r--r--", "blobshuffle.store=file:///config\n");

        ConfigOptions options = options("--profile", "prod", "--config", config.toString());

        assertThat(store("--store", "file:///option").uri(options)).isEqualTo("file:///option");
        assertThat(store().uri(options)).isEqualTo("file:///config");
        assertThat(store().uri(options("--profile", "prod"))).isEqualTo("file:///profile");
        assertThat(options.connection()).containsEntry("bootstrap.servers", "profile:9092");
    }

    @Test
    void onlyWhatLeadsToTheBrokersIsTakenForClients() throws IOException {
        Path config = write(
                "app.properties",
                "rw-r--r--",
                "bootstrap.servers=a:9092\nsecurity.protocol=SSL\nadmin.security.protocol=SASL_SSL\n"
                        + "metric.reporters=absent.Reporter\nclient.id=app\nauto.offset.reset=none\n"
                        + "blobshuffle.zone=a\n");

        assertThat(options("--config", config.toString()).connection())
                .isEqualTo(Map.of("bootstrap.servers", "a:9092", "security.protocol", "SASL_SSL"));
    }

    @Test
    void aProfileWithSecretsThatOthersMayReadIsRefused() throws IOException {
        write("open.properties", "rw-r--r--", "admin.sasl.jaas.config=module required password=x;\n");
        write("closed.properties", "rw-------", "sasl.jaas.config=module required password=x;\n");
        write("reference.properties", "rw-r--r--", "ssl.key.password=${file:/etc/secret:key}\n");

        assertThatThrownBy(() -> options("--profile", "open").values())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Run chmod 600");
        assertThat(options("--profile", "closed").values()).hasSize(1);
        assertThat(options("--profile", "reference").values()).hasSize(1);
    }

    @Test
    void whatCannotBeFoundIsSaid() {
        assertThatThrownBy(() -> store().uri(options())).hasMessageContaining("Give --store, or --config");
        assertThatThrownBy(() -> options("--profile", "none").values())
                .hasMessageContainingAll("Cannot read --profile", "none.properties");
        assertThatThrownBy(() -> options("--profile", "../none").values())
                .hasMessageContaining("Cannot use profile '../none'");
    }

    @Test
    void theProfileInUseIsTheDefaultUnlessOthersAreNamed() throws IOException {
        write("prod.properties", "rw-------", "blobshuffle.store=file:///prod\n");
        write("test.properties", "rw-------", "blobshuffle.store=file:///test\n");
        Path config = write("app.properties", "rw-------", "bootstrap.servers=a:1\n");
        new Profiles(directory, Map.of()).use("prod");

        assertThat(store().uri(options())).isEqualTo("file:///prod");
        assertThat(store().uri(options("--profile", "test"))).isEqualTo("file:///test");
        assertThat(options("--profile", "").values()).isEmpty();
        assertThat(options("--config", config.toString()).values()).containsOnlyKeys("bootstrap.servers");
        ConfigOptions others = options();
        others.ignoreCurrent();
        assertThat(others.values()).isEmpty();
        environment.put("BLOBSHUFFLE_PROFILE", "test");
        assertThat(store().uri(options())).isEqualTo("file:///test");
        environment.put("BLOBSHUFFLE_PROFILE", "");
        assertThat(options().values()).isEmpty();
    }

    private Path write(String name, String permissions, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
