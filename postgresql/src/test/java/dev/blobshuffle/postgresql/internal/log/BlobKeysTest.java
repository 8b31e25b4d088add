package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlobKeysTest {
    @Test
    void eachBlobHasAKeyOf20BytesThatNamesItsOwner() {
        for (BlobId blob : List.of(
                new BlobId(0, 0, 0),
                new BlobId(Integer.MAX_VALUE, -1L, Long.MAX_VALUE),
                new BlobId(1, 29_453_760, 0x98_7654_3210L, 0),
                new BlobId(BlobId.MOST_OWNERS, Integer.MAX_VALUE, BlobId.writer(-1L), Long.MAX_VALUE))) {
            assertThat(BlobKeys.of(blob)).hasSize(20);
            assertThat(BlobKeys.blob(BlobKeys.of(blob))).isEqualTo(blob);
        }
    }

    @Test
    void aFormerWriterIsNoOwner() {
        BlobId former = new BlobId(29_453_760, 0x00C0_DE12_0000_0005L, 7);
        assertThat(BlobKeys.blob(BlobKeys.of(former)).owner()).isEqualTo(BlobId.NO_OWNER);
    }
}
