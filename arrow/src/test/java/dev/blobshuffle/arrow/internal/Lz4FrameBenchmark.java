package dev.blobshuffle.arrow.internal;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.Parameters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A mebibyte of ascending numbers, prices and words, so operations per second are MiB per second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class Lz4FrameBenchmark {
    private static final int LENGTH = 1 << 20;

    private final ByteBuffer content = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer decoded = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer encoded =
            ByteBuffer.allocateDirect((int) Lz4FrameEncoder.bound(LENGTH)).order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] drained = new byte[LENGTH];
    private byte[] dependent;
    private byte[] independent;
    private ByteBuffer dependentFrame;

    /** Makes a frame with dependent blocks, as liblz4 does, and one without. */
    @Setup
    public void encodeOnce() throws IOException {
        Random random = new Random(1);
        byte[] bytes = new byte[LENGTH];
        String[] words = "carefully final deposits detect slyly agai furiously express requests haggle".split(" ");
        ByteBuffer filled = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long key = 0; filled.position() < LENGTH / 4; key += random.nextInt(8)) {
            filled.putLong(key);
        }
        while (filled.position() < LENGTH / 2) {
            filled.putLong(90_000 + random.nextInt(10_000_000)).putLong(0);
        }
        while (filled.remaining() > 20) {
            filled.put((words[random.nextInt(words.length)] + " ").getBytes(StandardCharsets.US_ASCII));
        }
        content.put(0, bytes);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (OutputStream stream =
                new FramedLZ4CompressorOutputStream(frame, new Parameters(BlockSize.K64, false, false, true))) {
            stream.write(bytes);
        }
        dependent = frame.toByteArray();
        dependentFrame =
                ByteBuffer.allocateDirect(dependent.length).put(0, dependent).order(ByteOrder.LITTLE_ENDIAN);
        independent = new byte[encode()];
        encoded.get(0, independent);
    }

    /** Ours, into memory outside the heap. */
    @Benchmark
    public int encode() {
        return Lz4FrameEncoder.encode(content, encoded);
    }

    /** Ours, from and into memory outside the heap. */
    @Benchmark
    public ByteBuffer decode() {
        Lz4FrameDecoder.decode(dependentFrame, decoded, BlobCorruptException::new);
        return decoded;
    }

    /** What arrow-compression uses. */
    @Benchmark
    public int decodeByCommonsCompress() throws IOException {
        try (var stream = new FramedLZ4CompressorInputStream(new ByteArrayInputStream(dependent))) {
            return stream.readNBytes(drained, 0, LENGTH);
        }
    }

    /** Which refuses dependent blocks. */
    @Benchmark
    public int decodeIndependentByLz4Java() throws IOException {
        try (var stream = new LZ4FrameInputStream(new ByteArrayInputStream(independent))) {
            return stream.readNBytes(drained, 0, LENGTH);
        }
    }
}
