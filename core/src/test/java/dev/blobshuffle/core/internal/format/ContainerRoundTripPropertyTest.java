package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContainerRoundTripPropertyTest {
    private static final int CASES = 500;

    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void whatWasWrittenComesBack(ContentKind kind) {
        for (int seed = 0; seed < CASES; seed++) {
            Written written = new Written(kind, new SplittableRandom(seed));
            byte[] blob = written.bytes.toByteArray();
            assertThat(TestContainers.verified(blob)).as("seed %d", seed).isEqualTo(written.container);

            ContainerReader reader = new ContainerReader(written.container, TestContainers.source(blob));
            for (int i = 0; i < written.frames.size(); i++) {
                Container.Segment segment = written.container.segments().get(i);
                List<byte[]> frames = written.frames.get(i);
                assertThat(TestContainers.array(reader.segment(segment)))
                        .as("seed %d, segment %d", seed, i)
                        .isEqualTo(joined(frames));
                for (int j = 0; j < segment.frames().size(); j++) {
                    assertThat(TestContainers.array(reader.frame(segment, j)))
                            .as("seed %d, segment %d, frame %d", seed, i, j)
                            .isEqualTo(frames.get(j));
                }
            }
        }
    }

    private static byte[] joined(List<byte[]> frames) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        frames.forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    /** A random blob and its frames. */
    private static final class Written {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<List<byte[]>> frames = new ArrayList<>();
        private final SplittableRandom random;
        private final ContentKind kind;
        private final boolean hasOrigins;
        private final boolean hasRows;
        private final boolean hasRawLengths;
        private final Container container;

        Written(ContentKind kind, SplittableRandom random) {
            this.kind = kind;
            this.random = random;
            hasOrigins = random.nextBoolean();
            hasRows = kind == ContentKind.ARROW || random.nextBoolean();
            hasRawLengths = random.nextBoolean();
            ContainerWriter writer = new ContainerWriter(
                    TestContainers.ID,
                    random.nextInt(),
                    random.nextLong(),
                    kind,
                    buffer -> bytes.writeBytes(TestContainers.array(buffer)));
            if (kind == ContentKind.ARROW || random.nextBoolean()) {
                writer.prelude(ByteBuffer.wrap(bytes()));
            }
            for (int zone = random.nextInt(4); zone > 0; zone--) {
                writer.section(new Zone("zone-" + zone));
                for (int segment = 1 + random.nextInt(5); segment > 0; segment--) {
                    segment(writer);
                }
            }
            if (kind == ContentKind.OPAQUE && random.nextBoolean()) {
                writer.postlude(ByteBuffer.wrap(bytes()));
            }
            container = writer.finish();
        }

        private void segment(ContainerWriter writer) {
            if (random.nextBoolean()) {
                writer.align();
            }
            List<byte[]> parts = new ArrayList<>();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                parts.add(bytes());
            }
            frames.add(parts);
            Container.Origin origin = new Container.Origin("s" + random.nextInt(2), number(), random.nextInt(2));
            writer.segment(
                    random.nextBoolean() ? random.nextInt(10) : random.nextInt(Integer.MAX_VALUE),
                    hasOrigins ? Optional.of(origin) : Optional.empty(),
                    hasRows ? OptionalLong.of(random.nextLong(1L << 50)) : OptionalLong.empty(),
                    hasRawLengths ? OptionalLong.of(number()) : OptionalLong.empty(),
                    parts.stream().map(ByteBuffer::wrap).toList());
        }

        /** Small, or of any size. */
        private long number() {
            return random.nextBoolean() ? random.nextInt(3) : random.nextLong() >>> 1;
        }

        private byte[] bytes() {
            int length = 1 + random.nextInt(300);
            byte[] part = new byte[kind == ContentKind.ARROW ? 8 * length : length];
            random.nextBytes(part);
            return part;
        }
    }
}
