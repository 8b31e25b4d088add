package dev.blobshuffle.kafka.internal.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Brokers delete commits of a group without members some time after the last one. So the test
 * checks that there are new commits, which it reads from the brokers' own topic.
 */
class SkipNoteIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final GivenUp SECOND = new GivenUp(List.of(new GivenUp.Range(1, 2)));

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
    private final SystemTime time = new SystemTime();
    private final String application = "skipping-" + System.nanoTime();
    private final TopicPartition shuffled = new TopicPartition(application + "-repartition", 0);
    private Admin admin;
    private KafkaConsumer<byte[], byte[]> offsets;

    @BeforeEach
    void note() throws Exception {
        KAFKA.createTopic(shuffled.topic(), 1);
        admin = Admin.create(client);
        SkipGroup.write(admin, application, Map.of(shuffled, SECOND.in(new OffsetAndMetadata(0))));
        offsets = new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        List<PartitionInfo> partitions = offsets.partitionsFor("__consumer_offsets");
        offsets.assign(partitions.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList());
        offsets.seekToBeginning(offsets.assignment());
        awaitCommits(1);
    }

    @AfterEach
    void close() {
        offsets.close();
        admin.close();
        time.close();
    }

    /** Waits for a number of further commits of the note. */
    private void awaitCommits(int count) {
        AtomicInteger seen = new AtomicInteger();
        Clients.waitFor(count + " commits of the note").until(() -> {
            offsets.poll(Duration.ofMillis(50)).forEach(record -> {
                if (isNote(record)) {
                    seen.incrementAndGet();
                }
            });
            return seen.get() >= count;
        });
    }

    private boolean isNote(ConsumerRecord<byte[], byte[]> record) {
        String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.ISO_8859_1);
        return key.contains(SkipGroup.of(application)) && key.contains(shuffled.topic()) && record.value() != null;
    }

    private void commit(long offset) throws Exception {
        admin.alterConsumerGroupOffsets(application, Map.of(shuffled, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    @Test
    void noteIsWrittenAgainAndAgainAndStaysAsItWas() throws Exception {
        commit(1);
        try (SkipNote note = SkipNote.keep(client, application, OFTEN, time)) {
            assertThat(note).isNotNull();
            awaitCommits(3);
        }
        assertThat(SkipGroup.read(admin, application, PATIENCE)).containsExactly(Map.entry(shuffled, SECOND));
    }

    @Test
    void applicationThatHasCommittedNothingStillNeedsIt() throws Exception {
        assertThat(SkipGroup.renew(admin, application, PATIENCE)).isTrue();
        awaitCommits(1);
    }

    @Test
    void whatTheApplicationHasPassedIsLeftToBeForgotten() throws Exception {
        commit(2);
        assertThat(SkipGroup.renew(admin, application, PATIENCE)).isFalse();
        commit(1); // Back again, before the brokers have deleted the commits.
        assertThat(SkipGroup.renew(admin, application, PATIENCE)).isTrue();
        awaitCommits(1);
    }

    @Test
    void nothingIsWrittenWhereNothingIsNoted() throws Exception {
        assertThat(SkipGroup.renew(admin, "another-" + application, PATIENCE)).isFalse();
    }
}
