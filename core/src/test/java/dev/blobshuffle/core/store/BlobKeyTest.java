package dev.blobshuffle.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlobKeyTest {
    @Test
    void everyIdComesBackFromItsKey() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            int owner = i % 2 == 0 ? BlobId.NO_OWNER : 1 + random.nextInt(BlobId.MOST_OWNERS);
            BlobId id = new BlobId(
                    owner,
                    random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63),
                    random.nextLong() >>> (owner == BlobId.NO_OWNER ? 0 : 24),
                    random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63));
            String key = BlobKey.of(id);
            assertThat(BlobKey.parse(key)).contains(id);
            assertThat(key).startsWith(BlobKey.generation(owner, BlobKey.shard(id), id.generation()));
            assertThat(BlobKey.generation(owner, id.generation())).anyMatch(key::startsWith);
            assertThat(BlobId.parse(id.toString())).contains(id);
            assertThat(
                            owner == BlobId.NO_OWNER
                                    ? new BlobId(id.generation(), id.ownerAndWriter(), id.sequence())
                                    : BlobId.owned(id.generation(), id.ownerAndWriter(), id.sequence()))
                    .isEqualTo(id);
        }
    }

    @Test
    void extremeIdsHaveKeys() {
        BlobId largest = new BlobId(Long.MAX_VALUE, -1, Long.MAX_VALUE);
        assertThat(BlobKey.parse(BlobKey.of(largest))).contains(largest);
        BlobId smallest = new BlobId(0, 0, 0);
        assertThat(BlobKey.of(smallest)).isEqualTo("blobs/00/0000000000/0000000000000000-0.blob");
        assertThat(BlobKey.parse(BlobKey.of(smallest))).contains(smallest);
    }

    @Test
    void theKeyOfAnOwnedBlobBeginsWithItsOwner() {
        BlobId id = new BlobId(0xC0DE, 29_453_760, 0x1234, 7);
        assertThat(BlobKey.of(id))
                .isEqualTo("blobs/00c0de/" + shardOf(id) + "/0029453760/0000001234-7.blob")
                .startsWith(BlobKey.owner(0xC0DE));
        assertThat(id).hasToString("00c0de-29453760-0000001234-7");
        assertThat(BlobKey.parseOwner("blobs/00c0de/")).hasValue(0xC0DE);
        assertThat(BlobKey.parseOwner("blobs/3f/")).hasValue(BlobId.NO_OWNER);
        for (String other :
                List.of("blobs/", "blobs/40/", "blobs/000000/", "blobs/00C0DE/", "blobs/00c0de/00/", "x/")) {
            assertThat(BlobKey.parseOwner(other)).as(other).isEmpty();
        }
    }

    private static String shardOf(BlobId id) {
        return String.format(Locale.ROOT, "%02x", BlobKey.shard(id));
    }

    @Test
    void anOwnerHas24BitsAndItsWriters40() {
        assertThatThrownBy(() -> new BlobId(1 << 24, 1, 1, 1)).hasMessageContaining("24 bits");
        assertThatThrownBy(() -> new BlobId(-1, 1, 1, 1)).hasMessageContaining("24 bits");
        assertThatThrownBy(() -> new BlobId(1, 1, 1L << 40, 1)).hasMessageContaining("up to 40");
        assertThatThrownBy(() -> BlobId.owned(1, 5, 1)).hasMessageContaining("no owner");
    }

    @Test
    void consecutiveBlobsSpreadOverTheShards() {
        long shards = IntStream.range(0, 256)
                .map(sequence -> BlobKey.shard(new BlobId(1, 42, sequence)))
                .distinct()
                .count();
        assertThat(shards).isEqualTo(BlobKey.SHARDS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "../../etc/passwd",
                "28/0029453760/0123456789abcdef-300.blob",
                "other/28/0029453760/0123456789abcdef-300.blob",
                "blobs/28/0029453760/../0123456789abcdef-300.blob",
                "/blobs/28/0029453760/0123456789abcdef-300.blob",
                "blobs/28/0029453760/0123456789abcdef-300.blob/",
                "blobs/28/0029453760/0123456789abcdef-300.blob\n",
                "blobs/28/0029453760/0123456789abcdef-300.blob.tmp",
                "blobs\\28\\0029453760\\0123456789abcdef-300.blob",
                "blobs/000000/28/0029453760/0123456789-300.blob",
                "blobs/00c0de/28/0029453760/0123456789abcdef-300.blob",
                "blobs/0c0de/28/0029453760/0123456789-300.blob",
                "blobs/28/0029453760/0123456789-300.blob",
                "blobs/28/0029453760/0123456789ABCDEF-300.blob",
                "blobs/27/0029453760/0123456789abcdef-300.blob",
                "blobs/28/00029453760/0123456789abcdef-300.blob",
                "blobs/28/29453760/0123456789abcdef-300.blob",
                "blobs/28/0029453760/0123456789abcdef-0300.blob",
                "blobs/28/0029453760/0123456789abcdef--300.blob",
                "blobs/28/9999999999999999999/0123456789abcdef-300.blob",
                "blobs/28/0029453760/0123456789abcdef-9999999999999999999.blob",
                "blobs/28/\u0660029453760/0123456789abcdef-300.blob",
            })
    void whatNoIdMakesIsNoKey(String key) {
        assertThat(BlobKey.parse(key)).isEmpty();
    }

    @Test
    void aGenerationsPrefixTellsTheGenerationAndNothingElseDoes() {
        for (long generation : new long[] {0, 29_453_760, 9_999_999_999L, 10_000_000_000L, Long.MAX_VALUE}) {
            for (String prefix : BlobKey.generation(0, generation)) {
                assertThat(BlobKey.parseGeneration(prefix)).hasValue(generation);
            }
        }
        for (String other : List.of(
                "",
                "blobs/28/",
                "blobs/28/0029453760",
                "blobs/48/0029453760/",
                "28/0029453760/",
                "blobs/28/00029453760/",
                "blobs/28/9999999999999999999/")) {
            assertThat(BlobKey.parseGeneration(other)).as(other).isEmpty();
        }
    }

    /** Some stores refuse a key below another key. */
    @Test
    void noKeyIsADirectoryOfAnother() {
        assertThat(BlobKey.of(new BlobId(1, 2, 3))).endsWith(".blob");
        assertThat(BlobKey.generation(7, 1)).allMatch(prefix -> !prefix.contains(".blob"));
    }

    @Test
    void keysStayBelowTheDirectory() {
        Path root = Path.of("/root/blobs");
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 1000; i++) {
            BlobId id = new BlobId(random.nextLong(Long.MAX_VALUE), random.nextLong(), random.nextLong(Long.MAX_VALUE));
            Path path = root.resolve(BlobKey.of(id)).normalize();
            assertThat(path).startsWithRaw(root).hasToString(root + "/" + BlobKey.of(id));
        }
    }
}
