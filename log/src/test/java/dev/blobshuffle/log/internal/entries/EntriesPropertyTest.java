package dev.blobshuffle.log.internal.entries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.Headers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Encoded records are decoded per partition in order, however many batches they take. */
class EntriesPropertyTest {
    private static final int CASES = Integer.getInteger("property.cases", 100);

    @Test
    void batchesHoldWhatWasAdded() {
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int limit = 1024 << random.nextInt(4);
            EntriesEncoder encoder = new EntriesEncoder(limit);
            for (int round = 0; round < 2; round++) {
                Map<Integer, List<String>> expected = new HashMap<>();
                fill(encoder, random, expected);
                assertThat(decoded(encoder.finish(), limit)).as("seed %s", seed).isEqualTo(expected);
            }
        }
    }

    /** Each record begins a partition with a long number: its overhead is the largest. */
    @Test
    void batchesOfManyPartitionsStayWithinTheLimit() {
        for (int size = 0; size < 400; size++) {
            EntriesEncoder encoder = new EntriesEncoder(1024);
            int records = 60;
            for (int i = 0; i < records; i++) {
                long timestamp = i % 2 == 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
                encoder.record(Integer.MAX_VALUE - i, timestamp, null, new byte[size], Headers.NONE);
            }
            List<EncodedEntries> batches = encoder.finish();
            assertThat(batches).as("size %s", size).allMatch(batch -> batch.entries().length <= 1024);
            int most = records * (size + 40) / (1024 - (size + 40) - 40) + 1;
            assertThat(batches).as("size %s", size).hasSizeLessThanOrEqualTo(most);
        }
    }

    @Test
    void smallRecordsOfAPartitionFillABatch() {
        EntriesEncoder encoder = new EntriesEncoder(1024);
        for (int i = 0; i < 40; i++) {
            encoder.record(1, TestEntries.TIMESTAMP, null, new byte[10], Headers.NONE);
        }
        assertThat(encoder.finish()).hasSize(1);
    }

    @Test
    void theLargestRecordFitsAndALargerOneIsRefused() {
        int taken = 0;
        for (int size = 900; size < 1024; size++) {
            EntriesEncoder encoder = new EntriesEncoder(1024);
            try {
                encoder.record(Integer.MAX_VALUE, Long.MAX_VALUE, null, new byte[size], Headers.NONE);
            } catch (IllegalArgumentException e) {
                break;
            }
            taken = size;
            assertThat(encoder.finish()).hasSize(1).allMatch(batch -> batch.entries().length <= 1024);
        }
        assertThat(taken).isBetween(940, 1000);
    }

    private static void fill(EntriesEncoder encoder, SplittableRandom random, Map<Integer, List<String>> expected) {
        int partitions = 1 + random.nextInt(40);
        for (int i = random.nextInt(200); i >= 0; i--) {
            int partition = random.nextInt(partitions);
            List<String> list = expected.computeIfAbsent(partition, ignored -> new ArrayList<>());
            long timestamp = random.nextInt(4) == 0 ? random.nextLong() : TestEntries.TIMESTAMP + random.nextInt(99);
            if (random.nextBoolean()) {
                Notification notification = TestEntries.random(random, partition);
                encoder.segment(partition, notification, timestamp, timestamp + 9);
                list.add(partition + " " + notification + " " + timestamp + " " + (timestamp + 9));
            } else {
                byte[] key = random.nextInt(4) == 0 ? null : new byte[random.nextInt(20)];
                byte[] value = random.nextInt(4) == 0 ? null : new byte[random.nextInt(600)];
                encoder.record(partition, timestamp, key, value, Headers.NONE);
                list.add(TestEntries.record(partition, timestamp, key, value));
            }
        }
    }

    private static Map<Integer, List<String>> decoded(List<EncodedEntries> batches, int limit) {
        Map<Integer, List<String>> result = new HashMap<>();
        for (EncodedEntries batch : batches) {
            assertThat(batch.entries().length).isBetween(1, limit);
            Entries all = EntriesCodec.decode(batch.entries(), partition -> true);
            int index = 0;
            Set<Object> blobs = new HashSet<>();
            for (Entries.Run run : all.runs()) {
                assertThat(run.firstIndex()).isEqualTo(index);
                index += run.records();
                result.computeIfAbsent(run.partition(), ignored -> new ArrayList<>())
                        .addAll(TestEntries.described(run));
                if (run instanceof Entries.SegmentRun segment) {
                    blobs.add(segment.notification().blob());
                }
            }
            assertThat(all.records()).isEqualTo(index);
            assertThat(batch.blobs()).isEqualTo(blobs);
            Entries some = EntriesCodec.decode(batch.entries(), partition -> partition % 3 == 1);
            assertThat(some.records()).isEqualTo(index);
            assertThat(positions(some))
                    .isEqualTo(positions(new Entries(
                            all.runs().stream()
                                    .filter(run -> run.partition() % 3 == 1)
                                    .toList(),
                            index)));
        }
        return result;
    }

    private static List<String> positions(Entries entries) {
        return entries.runs().stream()
                .map(run -> run.partition() + "@" + run.firstIndex() + TestEntries.described(run))
                .toList();
    }

    @Test
    void aBatchIsFilledBeforeTheNextBegins() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 6000; i++) {
            encoder.segment(
                    i % 576,
                    TestEntries.segment(
                            TestEntries.BLOB,
                            i % 576,
                            0,
                            1 << 24,
                            random.nextInt(1 << 23),
                            50_000,
                            50,
                            Codec.LZ4,
                            Optional.empty()),
                    TestEntries.TIMESTAMP,
                    TestEntries.TIMESTAMP + 400);
        }
        List<EncodedEntries> batches = encoder.finish();
        assertThat(batches.size()).isLessThanOrEqualTo(4);
        assertThat(batches.get(0).entries().length).isBetween(50_000, 65_536);
    }

    @Test
    void aRecordThatFitsInNoBatchIsRefused() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        assertThatThrownBy(() -> encoder.record(0, 0, null, new byte[64 * 1024], Headers.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Publish it through a blob");
        assertThat(encoder.finish()).isEmpty();
        encoder.record(0, 0, null, new byte[65_400], Headers.NONE);
        assertThat(encoder.finish()).hasSize(1);
    }

    @Test
    void moreRecordsThanAnIndexCountsGoIntoSeveralBatches() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        for (int i = 0; i < 20; i++) {
            encoder.segment(
                    0,
                    TestEntries.segment(
                            TestEntries.BLOB, 0, 0, 99, 0, 99, Notification.MAX_RECORDS, Codec.NONE, Optional.empty()),
                    0,
                    0);
        }
        List<EncodedEntries> batches = encoder.finish();
        assertThat(batches).hasSize(2);
        assertThat(EntriesCodec.decode(batches.get(0).entries(), partition -> false)
                        .records())
                .isEqualTo(16 * Notification.MAX_RECORDS)
                .isLessThanOrEqualTo(Entries.MAX_RECORDS);
    }
}
