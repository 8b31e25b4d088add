package dev.blobshuffle.core.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.internal.owner.LeaseText.State;
import dev.blobshuffle.core.store.Register;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaseTextTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00.123456789Z");
    private static final Instant NOON_MILLIS = Instant.parse("2026-01-01T12:00:00.123Z");

    private static Register register(String text, Instant stored) {
        return new Register("1", text, stored);
    }

    @Test
    void aTimeIsThatAtWhichTheStoreWroteTheValue() {
        LeaseText one = LeaseText.NONE.with(42, Line.renewed(HOUR, "spark app 1"));
        LeaseText read = LeaseText.parse(register(one.textAfter(LeaseText.NONE), NOON));
        assertThat(read.lease(42)).contains(new Line(State.LIVE, HOUR, Optional.of(NOON_MILLIS), "spark app 1"));

        LeaseText two = read.with(7, Line.renewed(HOUR, "spark app 2"));
        String text = two.textAfter(read);
        assertThat(text)
                .isEqualTo("BlobShuffle leases 1\ncounter 2\nlive 000007 3600000 now spark app 2\n"
                        + "live 00002a 3600000 1767268800123 spark app 1\n");
        LeaseText later = LeaseText.parse(register(text, NOON.plus(HOUR)));
        assertThat(later.lease(42)).as("the other's time stays").isEqualTo(read.lease(42));
        assertThat(later.lease(7).orElseThrow().since()).contains(NOON_MILLIS.plus(HOUR));
    }

    @Test
    void aLeaseEndsAfterItsLengthAndIsOverAfterItsGrace() {
        Line live = new Line(State.LIVE, HOUR, Optional.of(NOON), "a");
        assertThat(live.isDue(NOON.plus(HOUR))).isFalse();
        assertThat(live.isDue(NOON.plus(HOUR).plusMillis(1))).isTrue();
        Line ended = new Line(State.ENDED, HOUR, Optional.of(NOON), "a");
        assertThat(ended.isDue(NOON.plus(Duration.ofMinutes(15)))).isFalse();
        assertThat(ended.isDue(NOON.plus(Duration.ofMinutes(15)).plusMillis(1))).isTrue();
        assertThat(live.ended().isDue(Instant.MAX)).as("not written yet").isFalse();
    }

    @Test
    void otherTextsAreRefused() {
        String head = "BlobShuffle leases 1\ncounter 1\n";
        for (String text : List.of(
                "",
                head.replace("1\nc", "2\nc"),
                "BlobShuffle leases 1\n",
                "BlobShuffle leases 1\ncounter x\n",
                head + "live 00002a 1 now a",
                head + "live 00002a 1 then a\n",
                head + "live 2a 1 now a\n",
                head + "gone 00002a 1 now a\n",
                head + "live 00002a 1 now a\nlive 00002a 1 now a\n")) {
            assertThatThrownBy(() -> LeaseText.parse(register(text, NOON)))
                    .isInstanceOf(InvalidSettingsException.class);
        }
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            StringBuilder text = new StringBuilder(head + "live 00002a 1 now a\nended 00002b 1 2 b\n");
            text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
            try {
                LeaseText ignored = LeaseText.parse(register(text.toString(), NOON));
            } catch (BlobShuffleException e) {
                assertThat(e).isInstanceOf(InvalidSettingsException.class);
            }
        }
    }

    @Test
    void aNameIsOneLineOfAsciiAndARegisterIsBounded() {
        assertThat(Line.renewed(HOUR, "a\nb\u00fc").name()).isEqualTo("a b");
        LeaseText full = LeaseText.NONE;
        for (int owner = 1; owner < 2000; owner++) {
            full = full.with(owner, Line.renewed(HOUR, "x".repeat(100)));
        }
        LeaseText tooMuch = full;
        assertThatThrownBy(() -> tooMuch.textAfter(LeaseText.NONE)).isInstanceOf(StoreRefusedException.class);
    }
}
