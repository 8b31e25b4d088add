package dev.blobshuffle.kstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrongStateTest {
    private static final TopicPartition PARTITION = new TopicPartition("chaos-numbers-changelog", 3);

    private final MockConsumer<Integer, byte[]> consumer = new MockConsumer<>("earliest");

    private final Map<Integer, TopicPartition> homes = new HashMap<>();

    @TempDir
    private Path directory;

    private List<String> changelog(long... values) {
        consumer.schedulePollTask(() -> {
            for (int i = 0; i < values.length; i++) {
                byte[] value =
                        ByteBuffer.allocate(Long.BYTES).putLong(values[i]).array();
                consumer.addRecord(new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), i, 17, value));
            }
        });
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        consumer.updateEndOffsets(Map.of(PARTITION, (long) values.length));
        return WrongState.in(PARTITION, consumer, homes);
    }

    @Test
    void growingValuesAreNoFalls() {
        assertThat(changelog(1, 2, 3))
                .containsExactly("chaos-numbers-changelog-3: 3 records up to offset 3 of 3, 0 falls");
    }

    @Test
    void valueThatWasNotRestoredIsAFall() {
        List<String> lines = changelog(1, 2, 3, 2);

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).endsWith("1 falls");
        assertThat(lines.get(1)).contains("key 17 falls from 3 (offset 2").contains("to 2 (offset 3");
    }

    @Test
    void keyOfAnotherPartitionIsNamed() {
        homes.put(17, new TopicPartition(PARTITION.topic(), 5));
        List<String> lines = changelog(1);

        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).contains("key 17 of chaos-numbers-changelog-5 is at 1 (offset 0");
    }

    @Test
    void logShowsWhatWasRestored() throws Exception {
        Path log = directory.resolve("output.log");
        Files.write(log, List.of("Finished restoring changelog chaos-numbers-changelog-3", "something else"));

        assertThat(WrongState.inLog(log)).containsExactly("Finished restoring changelog chaos-numbers-changelog-3");
    }
}
