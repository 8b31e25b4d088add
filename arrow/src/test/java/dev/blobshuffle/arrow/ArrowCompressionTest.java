package dev.blobshuffle.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.util.Random;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing the allocator fails if a buffer is still held. */
class ArrowCompressionTest {
    private static final int LENGTH = 200_000;

    private static CompressionCodec codec(CodecType type) {
        return ArrowCompression.INSTANCE.createCodec(type);
    }

    private static ArrowBuf filled(BufferAllocator allocator, boolean isRandom) {
        ArrowBuf buffer = allocator.buffer(LENGTH);
        byte[] bytes = new byte[LENGTH];
        if (isRandom) {
            new Random(5).nextBytes(bytes);
        }
        buffer.writeBytes(bytes);
        return buffer;
    }

    @ParameterizedTest
    @EnumSource(names = {"LZ4_FRAME", "ZSTD"})
    void buffersComeBack(CodecType type) {
        for (boolean isRandom : new boolean[] {false, true}) {
            try (BufferAllocator allocator = new RootAllocator()) {
                ArrowBuf compressed = codec(type).compress(allocator, filled(allocator, isRandom));
                assertThat(compressed.writerIndex()).isLessThan(isRandom ? LENGTH + 9L : LENGTH / 100L);
                try (ArrowBuf expected = filled(allocator, isRandom);
                        ArrowBuf raw = codec(type).decompress(allocator, compressed)) {
                    assertThat(raw.writerIndex()).isEqualTo(LENGTH);
                    assertThat(raw.nioBuffer(0, LENGTH)).isEqualTo(expected.nioBuffer(0, LENGTH));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LZ4_FRAME", "ZSTD"})
    void damagedBuffersAreCorruptAndNothingIsLeaked(CodecType type) {
        try (BufferAllocator allocator = new RootAllocator();
                ArrowBuf compressed = codec(type).compress(allocator, filled(allocator, false))) {
            for (int at = 8; at < compressed.writerIndex(); at += 3) {
                byte right = compressed.getByte(at);
                compressed.setByte(at, right ^ 0xFF);
                assertReadOrCorrupt(type, allocator, compressed);
                compressed.setByte(at, right);
            }
            long held = allocator.getAllocatedMemory();
            for (long length : new long[] {-7, 1, LENGTH - 1, LENGTH + 1, Integer.MAX_VALUE - 8}) {
                compressed.setLong(0, length);
                assertThatThrownBy(() -> codec(type).decompress(allocator, compressed))
                        .as("length %d", length)
                        .isInstanceOf(BlobCorruptException.class)
                        .hasMessageStartingWith("Cannot decompress a buffer with ");
            }
            compressed.setLong(0, 1L << 40);
            assertThatThrownBy(() -> codec(type).decompress(allocator, compressed))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Write smaller batches");
            assertThat(allocator.getAllocatedMemory()).isEqualTo(held);
        }
    }

    /** The codec frees what it has read only if it succeeds, as arrow-java expects. */
    private static void assertReadOrCorrupt(CodecType type, BufferAllocator allocator, ArrowBuf compressed) {
        compressed.getReferenceManager().retain();
        try (ArrowBuf raw = codec(type).decompress(allocator, compressed)) {
            assertThat(raw.writerIndex()).isEqualTo(LENGTH);
        } catch (BlobCorruptException e) {
            compressed.getReferenceManager().release();
        }
    }

    @Test
    void arrowFindsTheCodecs() {
        assertThat(CompressionCodec.Factory.INSTANCE.createCodec(CodecType.LZ4_FRAME))
                .isSameAs(codec(CodecType.LZ4_FRAME));
        assertThat(CompressionCodec.Factory.INSTANCE.createCodec(CodecType.ZSTD))
                .hasSameClassAs(codec(CodecType.ZSTD));
        assertThatThrownBy(() -> codec(CodecType.NO_COMPRESSION)).isInstanceOf(IllegalArgumentException.class);
    }
}
