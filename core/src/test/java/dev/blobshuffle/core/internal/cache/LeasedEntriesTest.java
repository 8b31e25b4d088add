package dev.blobshuffle.core.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeasedEntriesTest {
    private final List<String> gone = new ArrayList<>();
    private int evicted;
    private final LeasedEntries<String> entries = new LeasedEntries<>(100, gone::add, count -> evicted += count);

    private static CachedPart part(int number) {
        return new CachedPart(new BlobId(1, 2, number), 0, 10);
    }

    private LeasedEntries<String>.Lease add(int number, long bytes) {
        assertThat(entries.reserve(bytes)).isTrue();
        return entries.insert(part(number), "v" + number, bytes);
    }

    @Test
    void theLeastRecentlyUsedMakesWay() {
        add(1, 40).close();
        add(2, 40).close();
        entries.lease(part(1)).close();
        add(3, 40).close();
        assertThat(gone).containsExactly("v2");
        assertThat(evicted).isEqualTo(1);
        assertThat(entries.lease(part(2))).isNull();
        assertThat(entries.used()).isEqualTo(80);
    }

    @Test
    void whatIsOnLeaseStaysAndNothingIsEvictedInVain() {
        LeasedEntries<String>.Lease held = add(1, 60);
        add(2, 40).close();
        assertThat(entries.reserve(50)).isFalse();
        assertThat(gone).isEmpty();
        held.close();
        assertThat(entries.reserve(50)).isTrue();
        assertThat(gone).containsExactly("v1");
        assertThat(entries.reserve(60)).isFalse();
        assertThat(entries.reserve(50)).isTrue();
        assertThat(gone).containsExactly("v1", "v2");
    }

    @Test
    void aReservationThatIsGivenBackIsRoomAgain() {
        assertThat(entries.reserve(100)).isTrue();
        assertThat(entries.reserve(1)).isFalse();
        entries.giveBack(100);
        add(1, 100).close();
        assertThat(entries.used()).isEqualTo(100);
    }

    @Test
    void whatIsForgottenOnLeaseCountsUntilItsLastLeaseEnds() {
        LeasedEntries<String>.Lease first = add(1, 60);
        LeasedEntries<String>.Lease second = first.share();
        entries.forget(part(1));
        assertThat(entries.lease(part(1))).isNull();
        first.close();
        first.close();
        assertThat(gone).isEmpty();
        assertThat(entries.reserve(50)).isFalse();
        assertThat(second.value()).isEqualTo("v1");
        second.close();
        assertThat(gone).containsExactly("v1");
        assertThat(entries.used()).isZero();
    }

    @Test
    void anEntryTakesThePlaceOfItsNamesake() {
        LeasedEntries<String>.Lease old = add(1, 30);
        assertThat(entries.reserve(30)).isTrue();
        entries.insert(part(1), "new", 30).close();
        LeasedEntries<String>.Lease now = entries.lease(part(1));
        assertThat(now.value()).isEqualTo("new");
        now.close();
        old.close();
        assertThat(gone).containsExactly("v1");
        assertThat(entries.used()).isEqualTo(30);
    }

    @Test
    void aClosedCacheGivesEverythingBackAndTakesNothing() {
        LeasedEntries<String>.Lease held = add(1, 30);
        add(2, 30).close();
        entries.close();
        assertThat(gone).containsExactly("v2");
        assertThat(entries.reserve(1)).isFalse();
        held.close();
        assertThat(gone).containsExactly("v2", "v1");
        assertThat(entries.used()).isZero();
    }

    @Test
    void whateverHappensTheBudgetHoldsAndEveryValueComesBackOnce() {
        for (int seed = 0; seed < 40; seed++) {
            schedule(new Random(seed));
        }
    }

    private static void schedule(Random random) {
        Map<String, Integer> back = new HashMap<>();
        LeasedEntries<String> cache =
                new LeasedEntries<>(1000, value -> back.merge(value, 1, Integer::sum), count -> {});
        List<LeasedEntries<String>.Lease> leases = new ArrayList<>();
        int inserted = 0;
        for (int step = 0; step < 500; step++) {
            CachedPart part = part(random.nextInt(20));
            long bytes = 1 + random.nextInt(300);
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    if (cache.reserve(bytes)) {
                        leases.add(cache.insert(part, "value " + inserted++, bytes));
                    }
                }
                case 2 -> {
                    LeasedEntries<String>.Lease lease = cache.lease(part);
                    if (lease != null) {
                        assertThat(back).doesNotContainKey(lease.value());
                        leases.add(lease);
                    }
                }
                case 3 -> cache.forget(part);
                default -> {
                    if (!leases.isEmpty()) {
                        leases.remove(random.nextInt(leases.size())).close();
                    }
                }
            }
            assertThat(cache.used()).isBetween(0L, 1000L);
            leases.forEach(lease -> assertThat(back).doesNotContainKey(lease.value()));
        }
        leases.forEach(LeasedEntries.Lease::close);
        cache.close();
        assertThat(cache.used()).isZero();
        assertThat(back)
                .hasSize(inserted)
                .allSatisfy((value, times) -> assertThat(times).isEqualTo(1));
    }
}
