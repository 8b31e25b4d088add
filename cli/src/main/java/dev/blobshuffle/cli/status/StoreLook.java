package dev.blobshuffle.cli.status;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Lists a store backwards from its newest blobs, within limits, and requests the length of a
 * sample. Owned by one thread.
 */
final class StoreLook {
    /**
     * The trailing digits of the minute that one listing covers: ten minutes of a busy store fit in
     * memory.
     */
    private static final int DIGITS = 1;

    /** Most listings of one run. At AWS's list price they cost a tenth of a cent. */
    private static final int MOST_LISTINGS = 200;

    private static final int SAMPLE = 20;
    private static final long HOUR = 60;

    private final BlobStore store;
    private final Optional<PriceTable> prices;
    private final int most;
    private final StopSignal waiting;

    /** @param most blobs after which the listing ends */
    StoreLook(BlobStore store, Optional<PriceTable> prices, int most, StopSignal waiting) {
        this.store = store;
        this.prices = prices;
        this.most = most;
        this.waiting = waiting;
    }

    /** The store. */
    BlobStore store() {
        return store;
    }

    /**
     * Counts the blobs.
     *
     * @throws CompletionException the store failed
     */
    StoreState look(long nowMillis) throws InterruptedException {
        long minute = TimeUnit.MILLISECONDS.toMinutes(nowMillis);
        Set<OwnerSpan> spans = spans();
        List<BlobId> sample = new ArrayList<>();
        long blobs = 0;
        long recent = 0;
        long oldest = Long.MAX_VALUE;
        int listings = 0;
        boolean isCut = false;
        for (OwnerSpan span : spans) {
            if (blobs >= most || listings == MOST_LISTINGS) {
                isCut = true;
                break;
            }
            List<StoredBlob> listed = waiting.await(store.list(span.owner(), span.generations()));
            listings++;
            blobs += listed.size();
            for (StoredBlob blob : listed) {
                recent += blob.id().generation() > minute - HOUR ? 1 : 0;
                oldest = Math.min(oldest, blob.id().generation());
            }
            listed.stream().limit(SAMPLE).map(StoredBlob::id).forEach(sample::add);
        }
        long counted = oldest == Long.MAX_VALUE ? 0 : Math.max(1, Math.min(HOUR, minute - oldest + 1));
        return new StoreState(
                store.location(),
                blobs,
                Math.round(averageLength(sample) * blobs),
                isCut,
                oldest == Long.MAX_VALUE ? Optional.empty() : Optional.of(TimeUnit.MINUTES.toMillis(oldest)),
                recent,
                (int) counted,
                prices);
    }

    private record OwnerSpan(int owner, GenerationSpan generations) {}

    /** All spans, the newest first. */
    private Set<OwnerSpan> spans() throws InterruptedException {
        Set<OwnerSpan> spans = new TreeSet<>(
                Comparator.comparing((OwnerSpan span) -> span.generations().first())
                        .reversed()
                        .thenComparing(OwnerSpan::owner));
        for (int owner : waiting.await(store.owners())) {
            waiting.await(store.generations(owner))
                    .forEach(generation -> spans.add(new OwnerSpan(owner, GenerationSpan.around(generation, DIGITS))));
        }
        return spans;
    }

    /**
     * The average length of an even sample. A blob that a sweep deletes meanwhile does not count.
     */
    private double averageLength(List<BlobId> sample) throws InterruptedException {
        int step = Math.max(1, sample.size() / SAMPLE);
        double sum = 0;
        int count = 0;
        for (int i = 0; i < sample.size(); i += step) {
            try {
                sum += waiting.await(store.length(sample.get(i)));
                count++;
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof BlobMissingException)) {
                    throw e;
                }
            }
        }
        return count == 0 ? 0 : sum / count;
    }
}
