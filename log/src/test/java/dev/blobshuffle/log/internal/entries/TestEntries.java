package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.store.BlobId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Entries for tests. */
final class TestEntries {
    static final long TIMESTAMP = 1_767_225_600_000L;
    static final int STORE = 0x1122_3344;
    static final BlobId BLOB = new BlobId(29_453_760, 0x0123_4567_89ab_cdefL, 300);
    private static final BlobId OTHER = new BlobId(29_453_761, 0xfedc_ba98_7654_3210L, 41);

    private TestEntries() {}

    /** A segment of the example blob of {@code docs/format.md}, in partition 3. */
    static Notification documented() {
        Binding binding = new Binding(Binding.tag(new Partition("t", 3)), Optional.empty());
        return new Notification(BLOB, STORE, 0, 56, 0, 56, 2, Codec.NONE, 0xf867_66e8, Optional.of(binding));
    }

    /** The example of {@code docs/format.md}. */
    static List<EncodedEntries> documentedBatch() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        encoder.segment(3, documented(), TIMESTAMP - 5, TIMESTAMP);
        encoder.record(5, TIMESTAMP, bytes("key"), bytes("value"), Headers.NONE);
        encoder.record(5, TIMESTAMP + 7, null, bytes(""), Headers.NONE);
        return encoder.finish();
    }

    /** One batch with every kind of content. */
    static byte[] everything() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        encoder.record(0, -1, null, null, Headers.NONE);
        encoder.segment(7, segment(OTHER, 7, 0, 4096, 64, 4000, 1, Codec.LZ4, Optional.of("key-1")), 5, 5);
        encoder.segment(
                0,
                segment(
                        BLOB,
                        0,
                        1L << 40,
                        1L << 41,
                        1L << 40,
                        8,
                        Notification.MAX_RECORDS,
                        Codec.ZSTD,
                        Optional.empty()),
                Long.MIN_VALUE,
                Long.MAX_VALUE);
        encoder.record(0, Long.MAX_VALUE, bytes("a"), bytes("b"), Headers.NONE);
        encoder.record(0, Long.MIN_VALUE, bytes("a"), bytes("x".repeat(300)), Headers.NONE);
        encoder.segment(7, segment(OTHER, 7, 4096, 8, 4096, 8, 3, Codec.NONE, Optional.of("key-1")), 0, TIMESTAMP);
        encoder.record(Integer.MAX_VALUE, TIMESTAMP, bytes(""), null, Headers.NONE);
        List<EncodedEntries> batches = encoder.finish();
        return batches.get(0).entries();
    }

    static Notification segment(
            BlobId blob,
            int partition,
            long sectionOffset,
            long sectionLength,
            long offset,
            long length,
            int records,
            Codec codec,
            Optional<String> key) {
        Binding binding = new Binding(Binding.tag(new Partition("t", partition)), key);
        return new Notification(
                blob, STORE, sectionOffset, sectionLength, offset, length, records, codec, 17, Optional.of(binding));
    }

    static Notification random(SplittableRandom random, int partition) {
        long sectionOffset = random.nextLong(1L << random.nextInt(1, 40));
        long inSection = random.nextLong(1L << random.nextInt(1, 30));
        long length = random.nextLong(1, 1L << random.nextInt(1, 30));
        return segment(
                new BlobId(random.nextInt(3), random.nextInt(3), random.nextInt(2)),
                partition,
                sectionOffset,
                inSection + length,
                sectionOffset + inSection,
                length,
                random.nextInt(8) == 0 ? Notification.MAX_RECORDS : 1 + random.nextInt(5000),
                Codec.values()[random.nextInt(3)],
                random.nextInt(3) == 0 ? Optional.of("k" + random.nextInt(2)) : Optional.empty());
    }

    /** The content of a run, comparable. */
    static List<String> described(Entries.Run run) {
        List<String> result = new ArrayList<>();
        if (run instanceof Entries.SegmentRun segment) {
            result.add(
                    run.partition() + " " + segment.notification() + " " + segment.earliest() + " " + segment.latest());
        } else if (run instanceof Entries.PlainRun plain) {
            RecordCursor cursor = new RecordCursor();
            plain.reset(cursor);
            while (cursor.next()) {
                result.add(record(run.partition(), cursor.timestamp(), cursor.key(), cursor.value()));
            }
        }
        return result;
    }

    static String record(int partition, long timestamp, byte[] key, byte[] value) {
        return partition + " " + timestamp + " " + Arrays.toString(key) + " " + Arrays.toString(value);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
