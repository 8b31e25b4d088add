package dev.blobshuffle.arrow.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.Parameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class Lz4FrameTest {
    /** Around the target, to see what is written outside of it. */
    private static final int GUARD = 64;

    private static final byte GUARD_BYTE = 0x55;

    /** What makes literals and matches of all kinds: no, short, long, near and far repetition. */
    static List<byte[]> contents() {
        Random random = new Random(3);
        List<byte[]> contents = new ArrayList<>();
        for (int length : new int[] {1, 2, 7, 8, 12, 13, 16, 64, 65, 1_000, 65_535, 65_536, 65_537, 300_000}) {
            contents.add(new byte[length]);
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            contents.add(noise);
            byte[] mixed = new byte[length];
            for (int at = 0; at < length; ) {
                int run = Math.min(length - at, 1 + random.nextInt(random.nextInt(10) == 0 ? 3_000 : 40));
                if (at == 0 || random.nextInt(3) == 0) {
                    random.nextBytes(noise);
                    System.arraycopy(noise, 0, mixed, at, run);
                } else {
                    int distance = 1 + random.nextInt(Math.min(at, random.nextBoolean() ? 9 : 70_000));
                    for (int i = at; i < at + run; i++) {
                        mixed[i] = mixed[i - distance];
                    }
                }
                at += run;
            }
            contents.add(mixed);
        }
        for (int period = 1; period <= 40; period++) {
            byte[] periodic = new byte[1_000 + period];
            for (int i = 0; i < periodic.length; i++) {
                periodic[i] = (byte) (i % period * 31);
            }
            contents.add(periodic);
        }
        return contents;
    }

    private static byte[] encoded(byte[] content) {
        ByteBuffer target = ByteBuffer.allocateDirect((int) Lz4FrameEncoder.bound(content.length))
                .order(ByteOrder.LITTLE_ENDIAN);
        int length = Lz4FrameEncoder.encode(direct(content), target);
        byte[] frame = new byte[length];
        target.get(0, frame);
        return frame;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** What a frame decodes to. Nothing outside of the target may change. */
    private static byte[] decoded(byte[] frame, int length) {
        ByteBuffer room = ByteBuffer.allocateDirect(length + 2 * GUARD);
        for (int i = 0; i < room.limit(); i++) {
            room.put(i, GUARD_BYTE);
        }
        ByteBuffer target = room.slice(GUARD, length).order(ByteOrder.LITTLE_ENDIAN);
        try {
            Lz4FrameDecoder.decode(direct(frame), target, BlobCorruptException::new);
        } finally {
            for (int i = 0; i < GUARD; i++) {
                assertThat(room.get(i)).isEqualTo(GUARD_BYTE);
                assertThat(room.get(GUARD + length + i)).isEqualTo(GUARD_BYTE);
            }
        }
        byte[] content = new byte[length];
        target.get(0, content);
        return content;
    }

    @Test
    void framesComeBack() {
        for (byte[] content : contents()) {
            assertThat(decoded(encoded(content), content.length)).isEqualTo(content);
        }
        assertThat(decoded(encoded(new byte[0]), 0)).isEmpty();
        assertThat(encoded(new byte[300_000]).length).isLessThan(3_000);
    }

    @Test
    void otherDecodersReadTheFrames() throws IOException {
        for (byte[] content : contents()) {
            byte[] frame = encoded(content);
            try (var apache = new FramedLZ4CompressorInputStream(new ByteArrayInputStream(frame));
                    var jpountz = new LZ4FrameInputStream(new ByteArrayInputStream(frame))) {
                assertThat(apache.readAllBytes()).isEqualTo(content);
                assertThat(jpountz.readAllBytes()).isEqualTo(content);
            }
        }
    }

    static List<Parameters> parametersOfCommonsCompress() {
        List<Parameters> all = new ArrayList<>();
        for (int bits = 0; bits < 8; bits++) {
            all.add(new Parameters(
                    bits < 4 ? BlockSize.K64 : BlockSize.M1, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
        }
        return all;
    }

    /** With blocks that depend on each other, as liblz4 writes them, and with all checksums. */
    @ParameterizedTest
    @MethodSource("parametersOfCommonsCompress")
    void framesOfCommonsCompressAreRead(Parameters parameters) throws IOException {
        for (byte[] content : contents()) {
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            try (OutputStream stream = new FramedLZ4CompressorOutputStream(frame, parameters)) {
                stream.write(content);
            }
            assertThat(decoded(frame.toByteArray(), content.length))
                    .as("%d bytes, %s", content.length, parameters)
                    .isEqualTo(content);
        }
    }

    /** The reason for a decoder of our own. If it fails, lz4-java may do. */
    @Test
    void lz4JavaRefusesDependentBlocks() throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (OutputStream stream =
                new FramedLZ4CompressorOutputStream(frame, new Parameters(BlockSize.K64, false, false, true))) {
            stream.write(new byte[200_000]);
        }
        assertThatThrownBy(() -> new LZ4FrameInputStream(new ByteArrayInputStream(frame.toByteArray())).readAllBytes())
                .hasMessageContaining("Dependent block stream is unsupported");
    }

    @ParameterizedTest
    @EnumSource
    void framesOfLz4JavaAreRead(BLOCKSIZE size) throws IOException {
        for (byte[] content : contents()) {
            assertThat(decoded(frameOfLz4Java(content, size), content.length)).isEqualTo(content);
        }
    }

    /** With all checksums and the size of the content. */
    private static byte[] frameOfLz4Java(byte[] content, BLOCKSIZE size) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (OutputStream stream = new LZ4FrameOutputStream(
                frame,
                size,
                content.length,
                Bits.BLOCK_INDEPENDENCE,
                Bits.BLOCK_CHECKSUM,
                Bits.CONTENT_CHECKSUM,
                Bits.CONTENT_SIZE)) {
            stream.write(content);
        }
        return frame.toByteArray();
    }

    /** With checksums no change of a byte goes unnoticed, wherever it is. */
    @Test
    void checksumsFindEachChangedByte() throws IOException {
        byte[] content = Arrays.copyOf(contents().get(11), 700);
        byte[] frame = frameOfLz4Java(content, BLOCKSIZE.SIZE_64KB);
        for (int at = 0; at < frame.length; at++) {
            byte[] changed = frame.clone();
            changed[at] ^= (byte) (1 << at % 8);
            assertThatThrownBy(() -> decoded(changed, content.length)).isInstanceOf(BlobCorruptException.class);
        }
    }

    @Test
    void aFrameThatIsCutOrTooLongIsCorrupt() {
        byte[] content = contents().get(14);
        byte[] frame = encoded(content);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThatThrownBy(() -> decoded(cut, content.length)).isInstanceOf(BlobCorruptException.class);
        }
        assertThatThrownBy(() -> decoded(Arrays.copyOf(frame, frame.length + 1), content.length))
                .hasMessageContaining("1 follow");
        assertThatThrownBy(() -> decoded(frame, content.length + 1)).isInstanceOf(BlobCorruptException.class);
        assertThatThrownBy(() -> decoded(frame, content.length - 1)).isInstanceOf(BlobCorruptException.class);
    }

    /** It fills the target or is corrupt: no other failure, no endless loop, no byte outside. */
    @Test
    void hostileFramesAreReadOrCorrupt() throws IOException {
        Random random = new Random(17);
        List<byte[]> contents =
                contents().stream().filter(content -> content.length <= 1_100).toList();
        int read = 0;
        int corrupt = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] content = contents.get(random.nextInt(contents.size()));
            byte[] frame = encoded(content);
            int first = random.nextInt(20) == 0 ? 0 : 7;
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                frame[first + random.nextInt(frame.length - first)] = (byte) random.nextInt();
            }
            try {
                assertThat(decoded(frame, content.length)).hasSize(content.length);
                read++;
            } catch (BlobCorruptException e) {
                corrupt++;
            }
        }
        assertThat(read).isPositive();
        assertThat(corrupt).isPositive();
    }

    @Test
    void whatABlockMayNotDoIsCorrupt() {
        // Header of independent blocks, then one block: a literal, and a match 2 bytes before it.
        byte[] header = Arrays.copyOf(encoded(new byte[0]), 7);
        byte[] before = {4, 0, 0, 0, 0x10, 'a', 2, 0, 0, 0, 0, 0};
        byte[] nowhere = {4, 0, 0, 0, 0x10, 'a', 0, 0, 0, 0, 0, 0};
        byte[] endsWithMatch = {4, 0, 0, 0, 0x10, 'a', 1, 0, 0, 0, 0, 0};
        byte[] good = {6, 0, 0, 0, 0x10, 'a', 1, 0, 0x10, 'b', 0, 0, 0, 0};

        assertThat(decoded(joined(header, good), 6)).isEqualTo("aaaaab".getBytes());
        for (byte[] block : List.of(before, nowhere, endsWithMatch)) {
            assertThatThrownBy(() -> decoded(joined(header, block), 5))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("leads outside");
        }
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
