package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenWriting;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Blobs of two sections, for zones a and b, of random bytes that follow from their number.
 * Stateless.
 */
final class CacheFixture {
    static final Zone A = new Zone("a");
    static final Zone B = new Zone("b");
    static final int SECTION = 1000;

    private CacheFixture() {}

    static BlobId id(int number) {
        return new BlobId(29_700_000, 0x77, number);
    }

    static byte[] blob(int number) {
        byte[] bytes = new byte[2 * SECTION + 50];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    static void put(BlobStore store, LoanCheck loans, int number) throws Exception {
        byte[] blob = blob(number);
        byte[] rest = java.util.Arrays.copyOfRange(blob, 700, blob.length);
        TrackedContent content = loans.content(java.util.Arrays.copyOf(blob, 700), rest);
        List<BlobSection> sections = List.of(new BlobSection(A, 0, SECTION), new BlobSection(B, SECTION, SECTION));
        CompletionStage<Void> put = store.put(id(number), new SectionedContent(content, sections));
        content.release();
        join(put);
    }

    /** Part of a section: 0 of zone a, 1 of zone b. */
    static BlobRange range(int section, int offset, int length) {
        return new BlobRange((long) section * SECTION, SECTION, (long) section * SECTION + offset, length);
    }

    static byte[] read(BlobStore store, int number, BlobRange range) throws Exception {
        return bytes(join(store.get(id(number), range)));
    }

    static byte[] bytes(BlobBytes loan) {
        try (loan) {
            byte[] bytes = new byte[loan.buffer().remaining()];
            loan.buffer().get(bytes);
            return bytes;
        }
    }

    static byte[] expected(int number, BlobRange range) {
        return java.util.Arrays.copyOfRange(blob(number), (int) range.offset(), (int) range.end());
    }

    static <T> T join(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    static CacheOptions memory(long bytes) {
        return options(bytes, List.of(), 0, CacheUnit.SECTION);
    }

    static CacheOptions options(long bytes, List<Path> directories, long diskBytes, CacheUnit unit) {
        return new CacheOptions(A, bytes, new ArrayList<>(directories), diskBytes, unit, WhenWriting.KEEP);
    }
}
