package dev.blobshuffle.flightdaemon.internal.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Checks which tenant's connections stay, and which tenant's are closed to make room. */
class TenantPlacesTest {
    private final TenantPlaces<Integer> places = new TenantPlaces<>(8, 8, 2);

    private void fill(String tenant) {
        for (int i = 0; i < 8; i++) {
            assertThat(places.enter(i, "address")).isEmpty();
            assertThat(places.keep(i, tenant)).as("connection %s", i).isEqualTo(i < 6);
        }
    }

    @Test
    void aTenantKeepsNoMoreThanThreeQuarters() {
        fill("a");
        assertThat(places.enter(10, "address")).contains(6);
        assertThat(places.keep(10, "b")).isTrue();
        assertThat(places.enter(11, "address")).contains(7);
        assertThat(places.keep(11, "a")).isFalse();
        assertThat(places.enter(12, "address")).contains(11);
        assertThat(places.count()).isEqualTo(8);
    }

    @Test
    void aConnectionThatEndsLeavesItsPlaceToItsTenant() {
        fill("a");
        places.leave(0);
        places.leave(0);
        assertThat(places.keep(6, "a")).isTrue();
        assertThat(places.keep(7, "a")).isFalse();
        assertThat(places.keep(6, "a")).isTrue();
    }

    @Test
    void theOnlyTenantKeepsAll() {
        TenantPlaces<Integer> alone = new TenantPlaces<>(8, 8, 1);
        for (int i = 0; i < 8; i++) {
            assertThat(alone.enter(i, "address")).isEmpty();
            assertThat(alone.keep(i, "a")).isTrue();
        }
        assertThat(alone.enter(9, "address")).contains(9);
    }
}
