package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.write.options.BatchLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Decides which sections share a blob. At a low rate, one blob with a section per zone is cheapest.
 * At a high rate, a blob per zone (the layout of the BlobShuffle paper, section 3.1) costs no more
 * requests and is better to read. So a batch becomes as few blobs as the target size allows, at
 * most one per zone.
 */
final class Packing {
    private Packing() {}

    /**
     * Distributes sections over blobs, the largest section first. Each goes into the first blob
     * with room, otherwise into the emptiest one. There are {@code clamp(ceil(bytes / blobBytes),
     * 1, sections)} blobs, unless the layout requires one blob, or one per section.
     *
     * @param sections expected stored bytes of each section
     * @param blobBytes the target size of a blob
     * @param layout which sections may share a blob
     * @return the sections of each blob; no blob is empty
     */
    static <S> List<List<S>> pack(Map<S, Long> sections, long blobBytes, BatchLayout layout) {
        if (layout == BatchLayout.PER_ZONE) {
            return sections.keySet().stream().map(List::of).toList();
        }
        long total = sections.values().stream().mapToLong(Long::longValue).sum();
        long wanted = layout == BatchLayout.SINGLE ? 1 : (total + blobBytes - 1) / blobBytes;
        int count = (int) Math.max(1, Math.min(wanted, sections.size()));
        List<List<S>> blobs = new ArrayList<>();
        long[] filled = new long[count];
        for (int i = 0; i < count; i++) {
            blobs.add(new ArrayList<>());
        }
        sections.entrySet().stream()
                .sorted(Map.Entry.<S, Long>comparingByValue(Comparator.reverseOrder()))
                .forEach(section -> {
                    int blob = choose(filled, section.getValue(), blobBytes);
                    filled[blob] += section.getValue();
                    blobs.get(blob).add(section.getKey());
                });
        blobs.removeIf(List::isEmpty);
        return blobs;
    }

    private static int choose(long[] filled, long bytes, long blobBytes) {
        int emptiest = 0;
        for (int i = 0; i < filled.length; i++) {
            if (filled[i] + bytes <= blobBytes) {
                return i;
            }
            if (filled[i] < filled[emptiest]) {
                emptiest = i;
            }
        }
        return emptiest;
    }
}
