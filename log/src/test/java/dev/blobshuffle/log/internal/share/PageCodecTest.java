package dev.blobshuffle.log.internal.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Pages as {@code docs/format.md} describes them; any bytes are a page or
 * {@link BlobCorruptException}.
 */
class PageCodecTest {
    private static final int CASES = Integer.getInteger("fuzz.cases", 4_000);

    /** The example of the document. */
    private static final String DOCUMENTED = "b801ac0202" + "0700000000000000" + "00a8da769b010000" + "03616263"
            + "0900000000000000" + "05a8da769b010000" + "0164" + "131357cd";

    private static final List<SequencedBatch> BATCHES = List.of(
            new SequencedBatch(300, 7, 1_767_225_600_000L, new byte[] {'a', 'b', 'c'}),
            new SequencedBatch(301, 9, 1_767_225_600_005L, new byte[] {'d'}));

    private static byte[] documented() {
        return HexFormat.of().parseHex(DOCUMENTED);
    }

    private static List<SequencedBatch> decode(byte[] bytes) {
        return PageCodec.decode(bytes, bytes.length);
    }

    @Test
    void theDocumentedPageIsWrittenAndRead() {
        assertThat(HexFormat.of().formatHex(PageCodec.encode(300, BATCHES))).isEqualTo(DOCUMENTED);
        assertThat(decode(documented())).usingRecursiveComparison().isEqualTo(BATCHES);
    }

    @Test
    void aPageMayBeEmpty() {
        assertThat(decode(PageCodec.encode(Long.MAX_VALUE, List.of()))).isEmpty();
    }

    @Test
    void theLongestPageIsWithinItsBound() {
        byte[] most = new byte[64 << 10];
        LogQuestion question = new LogQuestion(new UUID(1, 2), 3, new Bookmark(1L << 38, 5, 6), 1);
        List<SequencedBatch> page = List.of(new SequencedBatch(question.from(), 1, 2, most));

        assertThat(PageCodec.encode(question.from(), page)).hasSizeLessThanOrEqualTo(PageCodec.longest(question));
    }

    @Test
    void everyFlippedBitIsFound() {
        for (int bit = 0; bit < documented().length * 8; bit++) {
            byte[] flipped = documented();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> decode(flipped)).isInstanceOf(BlobCorruptException.class);
        }
    }

    @Test
    void anyBytesAreAPageOrCorrupt() {
        int pages = 0;
        int corrupt = 0;
        for (int seed = 0; seed < CASES; seed++) {
            byte[] bytes = mutate(new SplittableRandom(seed));
            try {
                long entries = decode(bytes).stream()
                        .mapToLong(batch -> batch.entries().length)
                        .sum();
                assertThat(entries).isLessThan(bytes.length);
                pages++;
            } catch (BlobCorruptException e) {
                corrupt++;
            } catch (RuntimeException e) {
                throw new AssertionError("Seed " + seed + " ends with " + e, e);
            }
        }
        assertThat(pages).isGreaterThan(CASES / 50);
        assertThat(corrupt).isGreaterThan(CASES / 50);
    }

    /** Changes, cuts or extends the example, and mostly mends its checksum. */
    private static byte[] mutate(SplittableRandom random) {
        byte[] bytes = documented();
        bytes = Arrays.copyOf(bytes, random.nextInt(4) == 0 ? random.nextInt(60) : bytes.length);
        int changes = random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        if (bytes.length > 4 && random.nextInt(4) > 0) {
            int end = bytes.length - 4;
            LittleEndian.writeInt(bytes, end, Checksum.of(bytes, 0, end));
        }
        return bytes;
    }
}
