package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of writing and reading a notification. It occurs once per segment, so even microseconds
 * would not matter.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class NotificationCodecBenchmark {
    private final Notification notification = new Notification(
            new BlobId(29_000_000, 0x1234_5678_9abc_def0L, 123_456),
            0xcafe,
            5_592_405,
            5_592_405,
            7_456_540,
            1_864_135,
            1_780,
            Codec.LZ4,
            0x1234_5678);

    private final byte[] bytes = NotificationCodec.encode(notification);

    /** Encodes a notification. */
    @Benchmark
    public byte[] encode() {
        return NotificationCodec.encode(notification);
    }

    /** Decodes and verifies a notification. */
    @Benchmark
    public Notification decode() {
        return NotificationCodec.decode(bytes);
    }
}
