package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What fits into a limited time. */
class TimeBoxTest {
    private static final long TWO_HOURS = Duration.ofHours(2).toNanos();

    @Test
    void everythingFitsWithoutALimit() {
        TimeBox<String> box = TimeBox.unlimited();
        box.took("a", Long.MAX_VALUE / 2);

        assertThat(box.isLimited()).isFalse();
        assertThat(box.hasRoomFor("a")).isTrue();
    }

    @Test
    void whatTookLongerThanIsLeftDoesNotFitAgain() {
        TimeBox<String> box =
                TimeBox.of(Duration.ofHours(1), name -> name.charAt(0), name -> name.equals("guessed") ? 1 : 0);
        assertThat(box.hasRoomFor("long")).as("nothing is known yet").isTrue();
        box.took("short", 1);
        box.took("long", TWO_HOURS);

        assertThat(box.hasRoomFor("long")).isFalse();
        assertThat(box.hasRoomFor("short")).isTrue();
        assertThat(box.hasRoomFor("other"))
                .as("it may take as long as the longest")
                .isFalse();
        assertThat(box.hasRoomFor("guessed"))
                .as("nothing of its kind was seen, but it is said to be short")
                .isTrue();
        assertThat(box.hasRoomFor("small"))
                .as("it takes as long as the longest of its kind")
                .isTrue();
    }

    @Test
    void whatWasMeasuredCountsMoreThanAGuess() {
        TimeBox<String> box = TimeBox.of(Duration.ofHours(1), name -> name.charAt(0), name -> 1);
        assertThat(box.hasRoomFor("long")).isTrue();
        box.took("long", TWO_HOURS);

        assertThat(box.hasRoomFor("long")).isFalse();
        assertThat(box.hasRoomFor("like the long one")).isFalse();
    }

    @Test
    void nothingFitsWhenTheTimeIsOver() {
        assertThat(TimeBox.of(Duration.ZERO, name -> name, name -> 0).hasRoomFor("a"))
                .isFalse();
    }
}
