package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class BlobListingTest {
    private static BlobListing listing(int runs, int blobs, BlobId... ids) {
        BlobListing listing = new BlobListing(0, runs, blobs);
        for (BlobId id : ids) {
            listing.add(id);
        }
        return listing;
    }

    private static List<BlobId> undecided(BlobListing listing) {
        List<BlobId> ids = new ArrayList<>();
        Optional<Integer> index = listing.undecided(0);
        while (index.isPresent()) {
            ids.add(listing.id(index.get()));
            index = listing.undecided(index.get() + 1);
        }
        return ids;
    }

    @Test
    void holdsAndDecidesWhatASetWould() {
        Random random = new Random(17);
        for (int round = 0; round < 200; round++) {
            TreeSet<BlobId> expected = new TreeSet<>();
            for (int i = 0; i < 200; i++) {
                long writer = random.nextInt(3) - 1L; // As an unsigned number, -1 is the largest.
                expected.add(new BlobId(random.nextInt(4), writer, random.nextInt(40)));
            }
            BlobListing listing = listing(1000, 1000, expected.toArray(BlobId[]::new));
            assertThat(listing.size()).isEqualTo(expected.size());
            assertThat(undecided(listing)).containsExactlyElementsOf(expected);
            Set<BlobId> left = new HashSet<>(expected);
            for (int i = 0; i < 300; i++) {
                BlobId id = new BlobId(random.nextInt(5), random.nextInt(3) - 1L, random.nextInt(45));
                assertThat(listing.decide(id)).as("%s", id).isEqualTo(left.remove(id));
            }
            assertThat(undecided(listing)).containsExactlyInAnyOrderElementsOf(left);
        }
    }

    @Test
    void youngOnesAreSparedUnlessANotificationDecidesThem() {
        BlobListing listing = listing(10, 10, new BlobId(1, 5, 0));
        for (int sequence = 1; sequence < 4; sequence++) {
            assertThat(listing.addYoung(new BlobId(1, 5, sequence))).isTrue();
        }
        listing.add(new BlobId(2, 5, 4));
        assertThat(undecided(listing)).containsExactly(new BlobId(1, 5, 0), new BlobId(2, 5, 4));
        assertThat(listing.condemned(0)).isEmpty();
        assertThat(listing.decide(new BlobId(1, 5, 2))).isTrue();
        assertThat(listing.decide(new BlobId(1, 5, 2))).isFalse();
        listing.condemn(0);
        assertThat(listing.spare()).isEqualTo(2);
        assertThat(listing.spare()).isZero();
        assertThat(listing.condemned()).isEqualTo(1);
        assertThat(listing.condemned(0)).contains(0);
        assertThat(listing.condemned(1)).isEmpty();
        assertThat(undecided(listing)).containsExactly(new BlobId(2, 5, 4));
    }

    @Test
    void fullOneSaysWhereTheNextBegins() {
        BlobId first = new BlobId(1, 5, 0);
        BlobId second = new BlobId(1, 5, 1);
        BlobId later = new BlobId(2, 5, 2);
        assertThat(listing(10, 10, first, second, later).resumeAfter()).isEmpty();
        assertThat(listing(10, 2, first, second, later).resumeAfter()).contains(second);
        assertThat(listing(1, 10, first, second, later).resumeAfter()).contains(second);
        assertThat(listing(1, 10, first, second, later).size()).isEqualTo(2);
    }

    @Test
    void hugeNumbersDecideNothing() {
        BlobListing listing = listing(10, 10, new BlobId(1, 5, 7), new BlobId(1, 5, 8));
        assertThat(listing.decide(new BlobId(1, 5, Long.MAX_VALUE))).isFalse();
        assertThat(listing.decide(new BlobId(1, 5, 6))).isFalse();
        assertThat(listing.decide(new BlobId(1, 5, 9))).isFalse();
        assertThat(undecided(listing)).hasSize(2);
    }
}
