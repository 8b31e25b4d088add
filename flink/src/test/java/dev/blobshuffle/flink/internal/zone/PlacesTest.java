package dev.blobshuffle.flink.internal.zone;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.streaming.api.operators.collect.CollectCoordinationResponse;
import org.junit.jupiter.api.Test;

class PlacesTest {
    private static final Place ONE_IN_A = new Place("one", "a");
    private static final Place TWO_IN_A = new Place("two", "a");
    private static final Place THREE_IN_B = new Place("three", "b");

    private final Places places = new Places();

    @Test
    void anAnswerWaitsForAllSubtasks() {
        CompletableFuture<CoordinationResponse> answer = places.ask(ONE_IN_A);

        places.reported(1, TWO_IN_A, 2);
        assertThat(answer).isNotDone();
        places.reported(0, THREE_IN_B, 2);

        assertNear(answer, false, true);
        assertNear(places.ask(THREE_IN_B), true, false);
    }

    /** Nothing of the attempt before is left, where the parallelism may have been another. */
    @Test
    void theNextAttemptReportsAgain() {
        places.reported(0, ONE_IN_A, 2);
        places.reported(1, TWO_IN_A, 2);
        places.left(1);

        CompletableFuture<CoordinationResponse> answer = places.ask(ONE_IN_A);
        assertThat(answer).isNotDone();
        places.reported(1, THREE_IN_B, 2);
        assertNear(answer, true, false);

        places.reset();
        answer = places.ask(ONE_IN_A);
        assertThat(answer).isNotDone();
        places.reported(0, THREE_IN_B, 1);
        assertNear(answer, false);
    }

    @Test
    void aTaskManagerIsNearItselfEvenIfZonesAreNotKnown() {
        Place unknown = new Place("one", null);

        assertThat(unknown.isNear(new Place("one", null))).isTrue();
        assertThat(unknown.isNear(new Place("two", null))).isFalse();
        assertThat(unknown.isNear(THREE_IN_B)).isFalse();
        assertThat(new Place(null, null).isNear(new Place(null, null))).isFalse();
    }

    @Test
    void theJobNamesAZoneElseTheTaskManagersSettingElseItsEnvironment() {
        Configuration settings = new Configuration();
        settings.setString("blobshuffle.zone", "b");
        Map<String, String> environment = Map.of("TOPOLOGY_ZONE", "c");

        assertThat(Place.of("one", id -> id + "-a", settings, environment)).isEqualTo(new Place("one", "one-a"));
        assertThat(Place.of("one", id -> "", settings, environment)).isEqualTo(new Place("one", "b"));
        assertThat(Place.of("one", id -> "", new Configuration(), environment)).isEqualTo(new Place("one", "c"));
        assertThat(Place.of("one", id -> "", new Configuration(), Map.of())).isEqualTo(new Place("one", null));
    }

    /** As Flink assigns key groups to subtasks: 0 and 1, then 2 and 3. */
    @Test
    void aKeyGroupIsNearIfItsSubtaskIs() {
        places.reported(0, THREE_IN_B, 2);
        places.reported(1, TWO_IN_A, 2);

        assertThat(NearSubtasks.of(places.ask(ONE_IN_A).join()).groups(4)).containsExactly(false, false, true, true);
    }

    private static void assertNear(CompletableFuture<CoordinationResponse> answer, Boolean... near) {
        assertThat(answer)
                .isCompletedWithValueMatching(
                        response -> NearSubtasks.of(response).equals(new NearSubtasks(List.of(near))));
        assertThat(answer.join()).as("a class that Flink knows").isInstanceOf(CollectCoordinationResponse.class);
    }
}
