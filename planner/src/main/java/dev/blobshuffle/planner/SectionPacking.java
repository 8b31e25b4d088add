package dev.blobshuffle.planner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Distributes sections over blobs by the Batcher's rule (its class {@code Packing}), with
 * fractional bytes. Stateless.
 */
final class SectionPacking {
    private SectionPacking() {}

    /**
     * Distributes sections, the largest first, each into the first blob with room, or else into the
     * emptiest.
     *
     * @return the sections' sizes of each blob; no blob is empty
     */
    static List<List<Double>> pack(List<Double> sections, Tuning.Layout layout, double blobBytes) {
        double total = Seal.bytesOf(sections);
        int count = switch (layout) {
            case PER_ZONE -> sections.size();
            case SINGLE -> 1;
            case PACKED -> (int) Math.max(1, Math.min(Math.ceil(total / blobBytes), sections.size()));
        };
        List<List<Double>> blobs = new ArrayList<>();
        double[] filled = new double[count];
        for (int i = 0; i < count; i++) {
            blobs.add(new ArrayList<>());
        }
        List<Double> ordered = new ArrayList<>(sections);
        ordered.sort(Comparator.reverseOrder());
        for (double section : ordered) {
            int blob = layout == Tuning.Layout.PER_ZONE ? emptiest(filled) : choose(filled, section, blobBytes);
            filled[blob] += section;
            blobs.get(blob).add(section);
        }
        blobs.removeIf(List::isEmpty);
        return blobs;
    }

    private static int choose(double[] filled, double bytes, double blobBytes) {
        for (int i = 0; i < filled.length; i++) {
            if (filled[i] + bytes <= blobBytes) {
                return i;
            }
        }
        return emptiest(filled);
    }

    private static int emptiest(double[] filled) {
        int emptiest = 0;
        for (int i = 1; i < filled.length; i++) {
            if (filled[i] < filled[emptiest]) {
                emptiest = i;
            }
        }
        return emptiest;
    }
}
