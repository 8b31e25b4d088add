package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.internal.retention.PatientStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Lists chosen generations of an owner in order, several in one request if they have few blobs.
 * Owned by one thread.
 */
final class Spans {
    /** The first generation with blobs. Generation 0 holds claims of earlier versions. */
    private static final long FIRST_GENERATION = 1;

    /** Approximate limit on the blobs of one listing, unless one generation has more. */
    private static final int MOST_AT_ONCE = 100_000;

    private final PatientStore store;
    private final int owner;
    private final List<Long> chosen;
    private int position;
    private int digits;

    /**
     * Spans of an owner.
     *
     * @param isChosen whether to list a generation
     */
    Spans(PatientStore store, int owner, LongPredicate isChosen) throws InterruptedException {
        this.store = store;
        this.owner = owner;
        chosen = store.generations(owner).stream()
                .filter(generation -> generation >= FIRST_GENERATION && isChosen.test(generation))
                .toList();
    }

    boolean hasNext() {
        return position < chosen.size();
    }

    /** The blobs of the next generations, in order. */
    Map<Long, List<StoredBlob>> next() throws InterruptedException {
        GenerationSpan span = GenerationSpan.around(chosen.get(position), digits);
        Map<Long, List<StoredBlob>> found = new TreeMap<>();
        while (hasNext() && span.contains(chosen.get(position))) {
            found.put(chosen.get(position), new ArrayList<>());
            position++;
        }
        List<StoredBlob> all = store.list(owner, span);
        for (StoredBlob blob : all) {
            List<StoredBlob> others = found.get(blob.id().generation());
            if (others != null) {
                others.add(blob);
            }
        }
        adapt(all.size());
        return found;
    }

    private void adapt(int blobs) {
        if (blobs > MOST_AT_ONCE) {
            digits = Math.max(0, digits - 1);
        } else if (blobs < MOST_AT_ONCE / 10) {
            digits = Math.min(digits + 1, GenerationSpan.MOST_DIGITS);
        }
    }
}
