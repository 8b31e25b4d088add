package dev.blobshuffle.core.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionPlacesTest {
    private final ConnectionPlaces<String> places = new ConnectionPlaces<>(4, 2);

    @Test
    void theEldestStrangerOfAFullAddressMakesRoom() {
        assertThat(places.enter("a1", "a")).isEmpty();
        assertThat(places.enter("a2", "a")).isEmpty();
        assertThat(places.enter("b1", "b")).isEmpty();
        assertThat(places.enter("a3", "a")).contains("a1");
        assertThat(places.enter("a4", "a")).contains("a2");
        assertThat(places.count()).isEqualTo(3);
    }

    @Test
    void theEldestStrangerOfAllMakesRoomWhenTheServerIsFull() {
        places.enter("a1", "a");
        places.enter("b1", "b");
        places.enter("c1", "c");
        places.enter("d1", "d");
        places.earn("a1");
        assertThat(places.enter("e1", "e")).contains("b1");
        assertThat(places.count()).isEqualTo(4);
    }

    @Test
    void whoHasEarnedAPlaceKeepsItAndTheNewcomerGoes() {
        places.enter("a1", "a");
        places.enter("a2", "a");
        places.earn("a1");
        places.earn("a2");
        assertThat(places.enter("a3", "a")).contains("a3");
        places.leave("a1");
        places.leave("a1");
        assertThat(places.enter("a4", "a")).isEmpty();
        assertThat(places.count()).isEqualTo(2);
    }
}
