package dev.blobshuffle.core.internal.write.upload;

import static dev.blobshuffle.core.internal.write.options.BatchLayout.PACKED;
import static dev.blobshuffle.core.internal.write.options.BatchLayout.PER_ZONE;
import static dev.blobshuffle.core.internal.write.options.BatchLayout.SINGLE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackingTest {
    private static Map<String, Long> sections(long... bytes) {
        Map<String, Long> sections = new LinkedHashMap<>();
        for (int i = 0; i < bytes.length; i++) {
            sections.put("z" + i, bytes[i]);
        }
        return sections;
    }

    @Test
    void smallSectionsShareOneBlob() {
        assertThat(Packing.pack(sections(10, 20, 30), 100, PACKED)).containsExactly(List.of("z2", "z1", "z0"));
    }

    @Test
    void fullSectionsHaveABlobEach() {
        assertThat(Packing.pack(sections(100, 100, 100), 100, PACKED))
                .hasSize(3)
                .allSatisfy(blob -> assertThat(blob).hasSize(1));
    }

    @Test
    void theLargestSectionIsPlacedFirst() {
        assertThat(Packing.pack(sections(30, 90, 60), 100, PACKED)).containsExactly(List.of("z1"), List.of("z2", "z0"));
    }

    @Test
    void aSectionLargerThanABlobIsNotSplit() {
        assertThat(Packing.pack(sections(1000), 100, PACKED)).containsExactly(List.of("z0"));
    }

    @Test
    void thePapersLayoutGivesEachZoneABlobHoweverSmall() {
        assertThat(Packing.pack(sections(10, 20, 30), 100, PER_ZONE))
                .containsExactly(List.of("z0"), List.of("z1"), List.of("z2"));
    }

    @Test
    void aSingleBlobTakesAllHoweverLarge() {
        assertThat(Packing.pack(sections(100, 100, 100), 100, SINGLE)).containsExactly(List.of("z0", "z1", "z2"));
    }

    @Test
    void everySectionIsInOneBlobAndBlobsAreAsFewAsTheRuleSays() {
        Random random = new Random(1);
        for (int round = 0; round < 1000; round++) {
            long[] bytes = random.longs(1 + random.nextInt(5), 1, 300).toArray();
            Map<String, Long> sections = sections(bytes);
            List<List<String>> blobs = Packing.pack(sections, 100, PACKED);
            assertThat(blobs.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(sections.keySet());
            long total = sections.values().stream().mapToLong(Long::longValue).sum();
            assertThat(blobs).hasSizeLessThanOrEqualTo((int) Math.min(bytes.length, (total + 99) / 100));
        }
    }
}
