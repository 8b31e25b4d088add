package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import dev.blobshuffle.core.failure.BlobCorruptException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Footers of a faulty or hostile writer, with correct checksums and wrong numbers. */
class HostileFooterTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CONTENT = 16;
    private static final long HUGE = Long.MAX_VALUE;

    /** Unsigned 2^64 - 8. A reader that treats lengths as signed reads -8. */
    private static final long NEGATIVE = -8;

    static Stream<Arguments> soundFooters() {
        return Stream.of(
                footer("one segment", 0, writer -> section(writer, 1, 0, 0, CONTENT)),
                footer("a gap of seven", 0, writer -> section(writer, 1, 0, 7, CONTENT - 7)),
                footer("the last partition", 0, writer -> section(writer, 1, 0xffff_fffeL, 0, CONTENT)),
                footer("rows", 1, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    writer.varlong(HUGE);
                }),
                footer("two frames", 4, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    frames(writer, 2, 1, CONTENT - 1);
                }));
    }

    static Stream<Arguments> hostileFooters() {
        return Stream.of(
                footer("absurd sections", 0, writer -> writer.varlong(HUGE)),
                footer("more sections than bytes", 0, writer -> writer.varlong(1000)),
                footer("absurd segments", 0, writer -> section(writer, Integer.MAX_VALUE, 0, 0, CONTENT)),
                footer("no segments", 0, writer -> section(writer, 0, 0, 0, CONTENT)),
                footer("a zone that does not exist", 0, writer -> {
                    writer.varlong(1);
                    writer.varlong(1);
                    segment(writer, 0, 0, CONTENT);
                }),
                footer("a zone twice", 0, writer -> {
                    writer.varlong(2);
                    for (int i = 0; i < 2; i++) {
                        writer.varlong(0);
                        writer.varlong(1);
                        segment(writer, 0, 0, CONTENT / 2);
                    }
                }),
                footer("a length of 0", 0, writer -> section(writer, 1, 0, 0, 0)),
                footer("a length beyond the blob", 0, writer -> section(writer, 1, 0, 0, CONTENT + 1)),
                footer("a length before the end", 0, writer -> section(writer, 1, 0, 0, CONTENT - 1)),
                footer("a length of 63 bits", 0, writer -> section(writer, 1, 0, 0, HUGE)),
                footer("a negative length", 0, writer -> section(writer, 1, 0, 0, NEGATIVE)),
                footer("lengths that overflow", 0, writer -> {
                    section(writer, 2, 0, 0, Integer.MAX_VALUE);
                    segment(writer, 0, HUGE, CONTENT);
                }),
                footer("an overlap", 0, writer -> {
                    section(writer, 2, 0, 0, CONTENT);
                    segment(writer, 0, NEGATIVE, 8);
                }),
                footer("a gap of eight", 0, writer -> section(writer, 1, 0, 8, CONTENT - 8)),
                footer("a partition below 0", 0, writer -> section(writer, 1, 1, 0, CONTENT)),
                footer("a partition above 31 bits", 0, writer -> section(writer, 1, 1L << 32, 0, CONTENT)),
                footer("negative rows", 1, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    writer.varlong(NEGATIVE);
                }),
                footer("rows that overflow", 1, writer -> {
                    section(writer, 2, 0, 0, CONTENT / 2);
                    writer.varlong(HUGE);
                    segment(writer, 0, 0, CONTENT / 2);
                    writer.varlong(HUGE);
                }),
                footer("negative raw bytes", 2, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    writer.varlong(NEGATIVE);
                }),
                footer("one frame", 4, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    frames(writer, 1, CONTENT);
                }),
                footer("frames that do not add up", 4, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    frames(writer, 2, 1, CONTENT);
                }),
                footer("an empty frame", 4, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    frames(writer, 2, 0, CONTENT);
                }),
                footer("absurd frames", 4, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    frames(writer, Integer.MAX_VALUE, 1);
                }),
                footer("an unknown column", 8, writer -> section(writer, 1, 0, 0, CONTENT)),
                footer("bytes after the end", 0, writer -> {
                    section(writer, 1, 0, 0, CONTENT);
                    writer.varlong(0);
                    writer.fixedByte(0);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("soundFooters")
    void aSoundFooterIsRead(String name, byte[] blob) {
        assertThat(ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length).segments())
                .isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileFooters")
    void aHostileFooterIsCorrupt(String name, byte[] blob) {
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length));
    }

    @Test
    void hostileTablesAreCorrupt() {
        assertCorrupt(writer -> writer.varlong(Integer.MAX_VALUE)); // names
        assertCorrupt(writer -> {
            writer.varlong(1);
            writer.string("s");
            writer.varlong(Integer.MAX_VALUE); // origins
        });
        for (long[] origin : new long[][] {{1, 0, 0}, {0, NEGATIVE, 0}, {0, 0, NEGATIVE}}) {
            assertCorrupt(writer -> {
                writer.varlong(1);
                writer.string("s");
                writer.varlong(1);
                for (long number : origin) {
                    writer.varlong(number);
                }
                rest(writer, 0);
            });
        }
        assertCorrupt(
                writer -> { // a prelude longer than the limit
                    writer.varlong(0);
                    writer.varlong(0);
                    rest(writer, Container.MAX_PIECE_LENGTH + 1L);
                });
    }

    /**
     * Names are the part of a footer that an attacker can make most expensive: an object for two
     * bytes.
     */
    @Test
    void memoryIsInProportionToTheFooter() {
        int names = 1 << 19;
        byte[] blob = blob(writer -> {
            head(writer, 0);
            writer.varlong(names);
            for (int i = 0; i < names; i++) {
                writer.fixedByte(1);
                writer.fixedByte(0x80); // not UTF-8: decoded to a wider character
            }
            writer.varlong(0);
            rest(writer, 0);
        });
        assertThat(ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length).segments())
                .isEmpty();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(64L * blob.length);
    }

    /** A blob with one zone and 16 bytes of content. The case writes its sections. */
    private static Arguments footer(String name, int columns, Consumer<ByteWriter> sections) {
        byte[] footer = blob(writer -> {
            head(writer, columns);
            writer.varlong(1);
            writer.string("zone");
            writer.varlong(0);
            writer.varlong(0);
            sections.accept(writer);
            writer.varlong(0);
        });
        byte[] blob = new byte[CONTENT + footer.length];
        System.arraycopy(footer, 0, blob, CONTENT, footer.length);
        return Arguments.of(name, blob);
    }

    private static void assertCorrupt(Consumer<ByteWriter> tables) {
        byte[] blob = blob(writer -> {
            head(writer, 0);
            tables.accept(writer);
        });
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length));
    }

    private static byte[] blob(Consumer<ByteWriter> footer) {
        ByteWriter writer = new ByteWriter();
        footer.accept(writer);
        return Trailer.append(writer, ContentKind.OPAQUE, 2);
    }

    private static void head(ByteWriter writer, int columns) {
        for (int i = 0; i < 4; i++) {
            writer.fixedLong(i);
        }
        writer.fixedInt(0);
        writer.varlong(columns);
    }

    /** Prelude, no sections, no postlude. */
    private static void rest(ByteWriter writer, long prelude) {
        writer.varlong(prelude);
        if (prelude > 0) {
            writer.fixedInt(0);
        }
        writer.varlong(0);
        writer.varlong(0);
    }

    /** One section, and its first segment. */
    private static void section(ByteWriter writer, long count, long partition, long gap, long length) {
        writer.varlong(1);
        writer.varlong(0);
        writer.varlong(count);
        segment(writer, partition, gap, length);
    }

    private static void segment(ByteWriter writer, long partition, long gap, long length) {
        writer.varlong(partition);
        writer.varlong(gap);
        writer.varlong(length);
        writer.fixedInt(0);
    }

    private static void frames(ByteWriter writer, long count, long... lengths) {
        writer.varlong(count);
        for (long length : lengths) {
            writer.varlong(length);
            writer.fixedInt(0);
        }
    }
}
