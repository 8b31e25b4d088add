package dev.blobshuffle.core.internal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.blobshuffle.core.store.BlobBytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadBuffersTest {
    private static final int MIB = 1 << 20;

    private final ReadBuffers buffers = new ReadBuffers(4 * MIB);

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 262_143, 262_144, 262_145, 1_048_576, 1_048_577, 3_000_001, 9_000_000})
    void aLoanHasExactlyItsLengthAndLittleMoreMemory(int length) {
        for (int i = 0; i < 2; i++) {
            try (BlobBytes bytes = buffers.lend(length)) {
                assertThat(bytes.buffer().position()).isZero();
                assertThat(bytes.buffer().capacity()).isEqualTo(length);
                assertThat(bytes.buffer().array().length).isBetween(length, length + length / 4);
            }
        }
    }

    @Test
    void whatWasGivenBackIsLentAgain() {
        byte[] array = giveBack(buffers.lend(MIB));
        try (BlobBytes shorter = buffers.lend(MIB - 1000)) {
            assertThat(shorter.buffer().array()).isSameAs(array);
            assertThat(buffers.kept()).isZero();
        }
    }

    @Test
    void whatIsOnLoanIsNobodyElses() {
        BlobBytes first = buffers.lend(MIB);
        BlobBytes second = buffers.lend(MIB);
        assertThat(second.buffer().array()).isNotSameAs(first.buffer().array());
    }

    @Test
    void closingTwiceGivesBackOnce() {
        BlobBytes bytes = buffers.lend(MIB);
        bytes.close();
        bytes.close();
        assertThat(buffers.kept()).isEqualTo(MIB);
        BlobBytes next = buffers.lend(MIB);
        bytes.close();
        assertThat(buffers.lend(MIB).buffer().array()).isNotSameAs(next.buffer().array());
    }

    @Test
    void bytesThatWereGivenBackCannotBeAskedFor() {
        BlobBytes bytes = buffers.lend(MIB);
        bytes.close();
        assertThatIllegalStateException().isThrownBy(bytes::buffer).withMessageContaining("given back");
    }

    @Test
    void noMoreIsKeptThanAllowedAndTheOldestGoes() {
        List<BlobBytes> lent = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            lent.add(buffers.lend(MIB));
        }
        byte[] oldest = giveBack(lent.get(0));
        lent.subList(1, 10).forEach(BlobBytes::close);
        assertThat(buffers.kept()).isEqualTo(4 * MIB);
        for (int i = 0; i < 4; i++) {
            assertThat(buffers.lend(MIB).buffer().array()).isNotSameAs(oldest);
        }
    }

    @Test
    void whatIsLargerThanEverythingThatMayBeKeptIsNotKept() {
        byte[] kept = giveBack(buffers.lend(MIB));
        giveBack(buffers.lend(5 * MIB));
        assertThat(buffers.lend(MIB).buffer().array()).isSameAs(kept);
    }

    @Test
    void smallReadsAreNotKept() {
        giveBack(buffers.lend(1000));
        assertThat(buffers.kept()).isZero();
    }

    @Test
    void nothingIsKeptAfterClear() {
        byte[] array = giveBack(buffers.lend(MIB));
        buffers.clear();
        assertThat(buffers.kept()).isZero();
        assertThat(buffers.lend(MIB).buffer().array()).isNotSameAs(array);
    }

    private static byte[] giveBack(BlobBytes bytes) {
        byte[] array = bytes.buffer().array();
        bytes.close();
        return array;
    }
}
