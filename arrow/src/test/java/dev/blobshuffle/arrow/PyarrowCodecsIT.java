package dev.blobshuffle.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drawn contents, compressed by pyarrow and decompressed here, and the other way round. */
class PyarrowCodecsIT {
    private static final Path PROGRAM = Path.of("src", "test", "python", "codecs.py");

    @TempDir
    private Path directory;

    private static byte[] next(ByteBuffer file) {
        byte[] part = new byte[file.getInt()];
        file.get(part);
        return part;
    }

    private static byte[] bytes(ArrowBuf buffer, long from) {
        byte[] bytes = new byte[(int) (buffer.writerIndex() - from)];
        buffer.getBytes(from, bytes);
        return bytes;
    }

    private static void append(ByteArrayOutputStream file, byte[] part) {
        byte[] length = ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(part.length)
                .array();
        file.writeBytes(length);
        file.writeBytes(part);
    }

    @ParameterizedTest
    @CsvSource({"lz4, LZ4_FRAME, 1", "lz4, LZ4_FRAME, 2", "zstd, ZSTD, 3"})
    void bothReadWhatTheOtherCompresses(String name, CodecType type, String seed) throws Exception {
        Path theirs = directory.resolve("theirs");
        String program = PROGRAM.toAbsolutePath().toString();
        assertThat(Python.run(List.of(program, "write", name, seed, theirs.toString())))
                .isEmpty();
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(theirs)).order(ByteOrder.LITTLE_ENDIAN);
        ByteArrayOutputStream ours = new ByteArrayOutputStream();
        CompressionCodec codec = ArrowCompression.INSTANCE.createCodec(type);
        int compressed = 0;
        try (BufferAllocator allocator = new RootAllocator()) {
            while (file.hasRemaining()) {
                byte[] raw = next(file);
                byte[] frame = next(file);
                ArrowBuf body = allocator.buffer(CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH + frame.length);
                body.writeLong(raw.length);
                body.writeBytes(frame);
                ArrowBuf read = codec.decompress(allocator, body);
                assertThat(bytes(read, 0)).isEqualTo(raw);
                // Which closes what it has read.
                try (ArrowBuf own = codec.compress(allocator, read)) {
                    // What does not become smaller stays as it is.
                    if (own.getLong(0) == raw.length) {
                        append(ours, raw);
                        append(ours, bytes(own, CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH));
                        compressed++;
                    }
                }
            }
        }
        Path written = Files.write(directory.resolve("ours"), ours.toByteArray());
        assertThat(compressed).isGreaterThan(100);
        assertThat(Python.run(List.of(program, "check", name, written.toString())))
                .isEqualTo(compressed + "\n");
    }
}
