package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.blobshuffle.core.internal.format.Codec;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameEncoderTest {
    @ParameterizedTest
    @EnumSource(Codec.class)
    void onlyTheFramesOwnRangeIsTouched(Codec codec) {
        byte[] chunk = new byte[10_000];
        Arrays.fill(chunk, (byte) 7);
        byte[] value = new byte[4_000];
        int end = RecordLayout.encode(chunk, 1_000, 0, null, value, Headers.NONE);
        try (FrameEncoder encoder = new FrameEncoder(codec)) {
            Frame frame = encoder.encode(chunk, 1_000, end - 1_000, 1, 0);
            assertThat(frame.codec()).isEqualTo(codec);
            assertThat(frame.offset()).isEqualTo(1_000);
            assertThat(frame.length()).isLessThanOrEqualTo(frame.rawLength());
        }
        assertThat(Arrays.copyOf(chunk, 1_000)).containsOnly(7);
        assertThat(Arrays.copyOfRange(chunk, end, chunk.length)).containsOnly(7);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void whatDoesNotShrinkStaysAsItIs(Codec codec) {
        byte[] value = new byte[1_000];
        new SplittableRandom(1).nextBytes(value);
        byte[] chunk = new byte[2_000];
        int length = RecordLayout.encode(chunk, 0, 0, null, value, Headers.NONE);
        byte[] raw = chunk.clone();
        try (FrameEncoder encoder = new FrameEncoder(codec)) {
            Frame frame = encoder.encode(chunk, 0, length, 1, 0);
            assertThat(frame.codec()).isEqualTo(Codec.NONE);
            assertThat(frame.length()).isEqualTo(length);
        }
        assertThat(chunk).isEqualTo(raw);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void aCursorReadsAFrameBeforeItIsStored(Codec codec) {
        byte[] chunk = new byte[5_000];
        int at = 100;
        for (int i = 0; i < 10; i++) {
            at = RecordLayout.encode(chunk, at, 3, new byte[] {(byte) i}, new byte[300], Headers.NONE);
        }
        try (FrameEncoder encoder = new FrameEncoder(codec)) {
            RecordCursor cursor = new RecordCursor();
            cursor.reset(encoder.encode(chunk, 100, at - 100, 10, 1_000));
            for (int i = 0; i < 10; i++) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.key()).containsExactly(i);
                assertThat(cursor.value()).hasSize(300).containsOnly(0);
                assertThat(cursor.timestamp()).isEqualTo(1_000 + 3 * (i + 1));
            }
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    void framesOfNothingAreRefused() {
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            assertThatIllegalArgumentException().isThrownBy(() -> encoder.encode(new byte[8], 0, 0, 0, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> encoder.encode(new byte[8], 0, 8, 3, 0));
        }
    }

    @Test
    void theUpperBoundHoldsForEveryRecord() {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 5_000; i++) {
            TestRecord record = TestRecord.random(random);
            int bound = (int) RecordLayout.maxEncodedSize(record.keyBytes(), record.valueBytes(), record.headersView());
            byte[] exact = new byte[bound];
            int end = RecordLayout.encode(
                    exact, 0, random.nextLong(), record.keyBytes(), record.valueBytes(), record.headersView());
            assertThat(end).isBetween(RecordLayout.MIN_ENCODED_SIZE, bound);
        }
    }
}
