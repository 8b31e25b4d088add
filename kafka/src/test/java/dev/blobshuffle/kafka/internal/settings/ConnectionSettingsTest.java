package dev.blobshuffle.kafka.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionSettingsTest {
    private final Map<String, Object> application = new HashMap<>(Map.of(
            "bootstrap.servers", "one:9092",
            "security.providers", "own.Provider",
            "sasl.jaas.config", "${file:secrets:login}",
            "config.providers", "file",
            "config.providers.file.class", "own.Files",
            "own.password", "word",
            "client.id", "orders",
            "metric.reporters", "own.Reporter",
            "blobshuffle.store", "memory://orders",
            "retries", 5));

    @Test
    void internalClientsHaveConnectionSecurityAndSettingsOfOwnClasses() {
        application.put("acks", "1");
        application.put("group.id", "orders");
        application.put("interceptor.classes", "own.Interceptor");
        application.put("ssl.protocol", null);
        Map<String, Object> admin = ConnectionSettings.ofAdmin(application, "blobshuffle-sweep");

        assertThat(admin)
                .containsOnly(
                        Map.entry("bootstrap.servers", "one:9092"),
                        Map.entry("security.providers", "own.Provider"),
                        Map.entry("sasl.jaas.config", "${file:secrets:login}"),
                        Map.entry("config.providers", "file"),
                        Map.entry("config.providers.file.class", "own.Files"),
                        Map.entry("own.password", "word"),
                        Map.entry("client.id", "blobshuffle-sweep"),
                        Map.entry("retries", 5));
        assertThat(ConnectionSettings.ofProducer(admin)).isEqualTo(admin);
        admin.remove("retries");
        assertThat(ConnectionSettings.ofConsumer(application)).doesNotContainKeys("retries", "acks");
        assertThat(ConnectionSettings.ofConsumer(admin)).isEqualTo(admin);
    }
}
