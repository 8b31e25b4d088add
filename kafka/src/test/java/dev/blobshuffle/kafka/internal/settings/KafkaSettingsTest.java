package dev.blobshuffle.kafka.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaSettingsTest {
    private static Settings parse(Map<String, ?> configuration) {
        return parse(configuration, Map.of());
    }

    private static Settings parse(Map<String, ?> configuration, Map<String, String> environment) {
        return Settings.parse(configuration, KafkaSettings.GROUPS, environment);
    }

    @Test
    void everythingHasADefaultButTheStore() {
        Settings settings = parse(Map.of("application.id", "somebody else's"));
        assertThat(settings.value(WriteSettings.BATCH_MAX_BYTES)).isEqualTo(ByteSize.ofMebibytes(16));
        assertThat(settings.value(WriteSettings.COMPRESSION_TYPE)).isEqualTo(Codec.NONE);
        assertThat(settings.value(KafkaSettings.TOPICS_INCLUDE)).isEmpty();
        assertThatThrownBy(() -> StoreSettings.uri(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.store")
                .hasMessageContaining("file:///");
    }

    @Test
    void valuesMayBeTextsOrObjects() {
        Settings settings = parse(Map.of(
                "blobshuffle.batch.max.bytes", 1 << 20,
                "blobshuffle.write.buffer.bytes", "32 MiB",
                "blobshuffle.batch.max.delay.ms", "20",
                "blobshuffle.write.enabled", false,
                "blobshuffle.batch.scope", "Lane",
                "blobshuffle.compression.type", "zstd",
                "blobshuffle.client.supplier", String.class,
                "blobshuffle.topics.include", "a-.*, b",
                "blobshuffle.topics.exclude", List.of("c")));
        assertThat(settings.value(WriteSettings.BATCH_MAX_BYTES).bytes()).isEqualTo(1 << 20);
        assertThat(settings.value(WriteSettings.WRITE_BUFFER_BYTES)).isEqualTo(ByteSize.ofMebibytes(32));
        assertThat(settings.value(WriteSettings.BATCH_MAX_DELAY)).isEqualTo(Duration.ofMillis(20));
        assertThat(settings.value(KafkaSettings.WRITE_ENABLED)).isFalse();
        assertThat(settings.value(WriteSettings.BATCH_SCOPE)).isEqualTo(BatchScope.LANE);
        assertThat(settings.value(WriteSettings.COMPRESSION_TYPE)).isEqualTo(Codec.ZSTD);
        assertThat(settings.value(KafkaSettings.CLIENT_SUPPLIER)).contains("java.lang.String");
        assertThat(settings.value(KafkaSettings.TOPICS_INCLUDE)).containsExactly("a-.*", "b");
        assertThat(settings.value(KafkaSettings.TOPICS_EXCLUDE)).containsExactly("c");
    }

    @Test
    void anUnknownKeyUnderThePrefixNamesTheNearestKnownOne() {
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.batch.max.byte", "1")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.batch.max.byte:")
                .hasMessageContaining("nearest is blobshuffle.batch.max.bytes;");
    }

    @ParameterizedTest
    @CsvSource({
        "batch.max.bytes, 16 MB, 16 MiB",
        "batch.max.bytes, -1, bytes",
        "batch.max.bytes, 99999999999 GiB, bytes",
        "batch.max.delay.ms, 0.5, milliseconds",
        "batch.max.delay.ms, -1, milliseconds",
        "batch.target.latency.ms, 0, milliseconds",
        "delivery.timeout.ms, 0, milliseconds",
        "write.enabled, yes, true or false",
        "batch.scope, thread, 'instance, lane'",
        "compression.type, gzip, 'none, lz4, zstd'",
        "topics.include, a(b, regular expressions"
    })
    void aValueOfAnotherFormSaysTheForm(String name, String value, String form) {
        assertThatThrownBy(() -> parse(Map.of("blobshuffle." + name, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle." + name)
                .hasMessageContaining(form);
    }

    @Test
    void valuesThatContradictEachOtherAreRefusedWithBothNames() {
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.batch.max.bytes", "48 MiB")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("batch.max.bytes=48 MiB")
                .hasMessageContaining("write.buffer.bytes=64 MiB");
        assertThatThrownBy(() -> parse(
                        Map.of("blobshuffle.record.max.bytes", "48 MiB", "blobshuffle.write.buffer.bytes", "40 MiB")))
                .hasMessageContaining("record.max.bytes=48 MiB")
                .hasMessageContaining("write.buffer.bytes=40 MiB");
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.record.max.bytes", "65 MiB")))
                .hasMessageContaining("record.max.bytes=65 MiB")
                .hasMessageContaining("at most 64 MiB");
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.inline.max.bytes", "17 MiB")))
                .hasMessageContaining("write.enabled");
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.batch.max.delay.ms", "120000")))
                .hasMessageContaining("delivery.timeout.ms");
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.batch.target.latency.ms", "120000")))
                .hasMessageContaining("batch.target.latency.ms=120000")
                .hasMessageContaining("delivery.timeout.ms=120000");
        assertThatThrownBy(() -> parse(
                        Map.of("blobshuffle.batch.target.latency.ms", "1000", "blobshuffle.batch.max.delay.ms", "0")))
                .hasMessageContaining("leave one of them out");
    }

    @Test
    void theZoneIsTheSettingThenTheRackThenTheEnvironment() {
        Map<String, String> environment = Map.of("TOPOLOGY_ZONE", "env");
        assertThat(parse(Map.of("blobshuffle.zone", "own", "client.rack", "rack"), environment)
                        .zone())
                .isEqualTo(new Zone("own"));
        assertThat(parse(Map.of("blobshuffle.zone", " ", "client.rack", "rack"), environment)
                        .zone())
                .isEqualTo(new Zone("rack"));
        assertThat(parse(Map.of(), environment).zone()).isEqualTo(new Zone("env"));
        assertThat(parse(Map.of(), Map.of("TOPOLOGY_ZONE", "")).zone()).isEqualTo(Zone.SINGLE);
    }

    @Test
    void theirTextShowsNoParametersOfTheStore() {
        Settings settings =
                parse(Map.of("blobshuffle.store", "s3://bucket/p?token=secret", "blobshuffle.write.enabled", "true"));
        assertThat(settings.toString()).isEqualTo("blobshuffle.store=s3://bucket/p?…, blobshuffle.write.enabled=true");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 1023",
        "1024, 1 KiB",
        "16 MiB, 16 MiB",
        "16mib, 16 MiB",
        "2048 KiB, 2 MiB",
        "3 GiB, 3 GiB",
        "5000 GiB, 5000 GiB",
        "7 B, 7"
    })
    void aSizeIsShownInItsLargestWholeUnit(String text, String shown) {
        assertThat(ByteSize.parse(text)).hasToString(shown);
    }

    @Test
    void blobsStayWhileNeededOrForATimeAndAreSweptLongAfterTheirNotifications() {
        assertThat(parse(Map.of()).value(RetentionSettings.RETENTION)).isEmpty();
        assertThat(parse(Map.of("blobshuffle.retention", "Needed")).value(RetentionSettings.RETENTION))
                .isEmpty();
        assertThat(parse(Map.of("blobshuffle.retention", "86400000")).value(RetentionSettings.RETENTION))
                .contains(Duration.ofDays(1));
        assertThat(parse(Map.of("blobshuffle.sweep.interval.ms", 0)).value(RetentionSettings.SWEEP_INTERVAL))
                .isEmpty();
        assertThatThrownBy(() -> parse(Map.of("blobshuffle.retention", "60000")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("needed, or milliseconds from 900000");
        assertThatThrownBy(() -> parse(Map.of(
                        "blobshuffle.delivery.timeout.ms", "1000000", "blobshuffle.sweep.interval.ms", "1800000")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("before its notification is sent");
    }

    /**
     * The wait of {@code blobshuffle gc} limits writers too, because the command does not know
     * their settings.
     */
    @Test
    void notificationsComeInTimeForTheApplicationsSweepsAndForTheCommand() {
        assertThat(notifyWithin(Map.of())).isEqualTo(Duration.ofMinutes(45));
        assertThat(notifyWithin(Map.of("blobshuffle.sweep.interval.ms", "1800000")))
                .isEqualTo(Duration.ofMinutes(15));
        assertThat(notifyWithin(Map.of("blobshuffle.sweep.interval.ms", "21600000")))
                .isEqualTo(Duration.ofMinutes(45));
        assertThat(notifyWithin(Map.of("blobshuffle.sweep.interval.ms", "0"))).isEqualTo(Duration.ofMinutes(45));
        assertThat(notifyWithin(Map.of(
                        "blobshuffle.sweep.interval.ms", "21600000", "blobshuffle.delivery.timeout.ms", "7200000")))
                .isEqualTo(Duration.ofHours(2));
    }

    private static Duration notifyWithin(Map<String, ?> configuration) {
        Settings settings = parse(configuration);
        return RetentionSettings.notifyWithin(settings, settings.value(WriteSettings.DELIVERY_TIMEOUT));
    }

    @Test
    void otherFrontDoorsNameItsOwnSettingsAsItsOwn() {
        for (Setting<?> own : new KafkaSettings().settings()) {
            assertThatThrownBy(() -> Settings.parse(Map.of(own.name(), "a"), List.of(new ZoneSettings())))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageStartingWith("Cannot use setting " + own.name() + " here: only Kafka Streams");
        }
    }

    /** Its name begins as those of Kafka do, and it is at the door of Kafka. */
    @Test
    void misspeltSettingOfSlowFunctionsIsStillNamedAsMisspelt() {
        String misspelt = "blobshuffle.keyparallel.max.concurency";
        assertThatThrownBy(() -> parse(Map.of(misspelt, "7")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("nearest is blobshuffle.keyparallel.max.concurrency");
    }
}
