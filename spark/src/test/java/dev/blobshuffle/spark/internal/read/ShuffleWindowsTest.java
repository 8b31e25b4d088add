package dev.blobshuffle.spark.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ShuffleWindowsTest {
    private static final long MIB = 1 << 20;

    private final AtomicLong cache = new AtomicLong(128 * MIB);
    private final ShuffleWindows shuffles = new ShuffleWindows(16 * MIB, cache::get);

    private static BlobId blob(long sequence) {
        return new BlobId(1, 2, sequence);
    }

    private Windows with(int shuffle, int blobs, long length) {
        Windows windows = Windows.NONE;
        for (int i = 0; i < blobs; i++) {
            windows = shuffles.of(shuffle, blob(i), length);
        }
        return windows;
    }

    /** A reader of a partition needs one of each blob. */
    @Test
    void theWindowsOfAllBlobsFitIntoHalfTheCache() {
        assertThat(with(1, 4, 64 * MIB)).isEqualTo(new Windows(16 * MIB));
        assertThat(with(1, 5, 64 * MIB)).isEqualTo(new Windows(8 * MIB));
        assertThat(with(1, 64, 64 * MIB)).isEqualTo(new Windows(MIB));
        assertThat(with(2, 1, 64 * MIB)).as("another shuffle").isEqualTo(new Windows(16 * MIB));
    }

    @Test
    void aShortBlobTakesItsLengthOnly() {
        assertThat(with(1, 64, MIB)).isEqualTo(new Windows(16 * MIB));
        assertThat(with(1, 65, MIB)).isEqualTo(new Windows(MIB / 2));
    }

    @Test
    void thereIsNoWindowWithoutRoom() {
        assertThat(with(1, 1025, 64 * MIB)).isEqualTo(Windows.NONE);
        cache.set(0);
        assertThat(with(2, 1, 64 * MIB)).isEqualTo(Windows.NONE);
    }

    /** Executors that share their caches join one after the other. */
    @Test
    void moreCachesHaveMoreRoom() {
        cache.set(256 * MIB);
        assertThat(with(1, 8, 64 * MIB)).isEqualTo(new Windows(16 * MIB));
    }

    @Test
    void aRangeNamesItsWindowAsItsSection() {
        Windows windows = new Windows(MIB);

        assertThat(windows.range(5 * MIB / 2, 10, 20)).isEqualTo(new BlobRange(0, MIB, 10, 20));
        assertThat(windows.range(5 * MIB / 2, 2 * MIB, 20)).isEqualTo(new BlobRange(2 * MIB, MIB / 2, 2 * MIB, 20));
        assertThat(windows.range(5 * MIB / 2, MIB - 1, 2)).as("two windows").isEqualTo(BlobRange.of(MIB - 1, 2));
        assertThat(Windows.NONE.range(5 * MIB / 2, 10, 20)).isEqualTo(BlobRange.of(10, 20));
    }
}
