package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.KeyFile;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A writer whose key is removed from the key file. */
class WithdrawnKeyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String KEY = Base64.getEncoder().encodeToString(new byte[Keyring.KEY_LENGTH]);
    private static final Partition P0 = new Partition("t", 0);

    @TempDir
    private Path directory;

    @Test
    void writerStopsUsingAWithdrawnKeyAndGoesOnWhenItIsBack() throws Exception {
        Path file = file("one " + KEY + "\nother " + KEY + "\n");
        RecordingChannel channel = new RecordingChannel();
        try (SystemTime time = new SystemTime();
                MemoryBlobStore store = new MemoryBlobStore("test", 1 << 20);
                Batcher batcher = new Batcher(store, options(file), time, new ShuffleMetrics());
                Lane lane = batcher.lane("lane", channel)) {
            write(lane);
            Files.writeString(file, "rubbish\n");
            write(lane);
            assertThat(channel.sends()).as("a malformed file stops no writer").isEqualTo(2);

            Files.writeString(file, "other " + KEY + "\n");
            await().atMost(MINUTE)
                    .untilAsserted(() -> assertThatThrownBy(() -> write(lane))
                            .cause()
                            .isInstanceOf(InvalidSettingsException.class)
                            .hasMessageContaining("'one'")
                            .hasMessageContaining("does not have it"));
            lane.discard();

            Files.writeString(file, "one " + KEY + "\n");
            int before = channel.sends();
            write(lane);
            assertThat(channel.sends()).isEqualTo(before + 1);
        }
    }

    private static void write(Lane lane) throws InterruptedException {
        lane.output(P0, Zone.SINGLE).append(0, null, new byte[10], Headers.NONE);
        lane.flush(MINUTE);
    }

    private static BatcherOptions options(Path file) {
        return BatcherOptions.builder()
                .keys(Keyring.writing(new KeyFile(file), "one"))
                .build();
    }

    private Path file(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("keys"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
}
