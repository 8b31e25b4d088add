package dev.blobshuffle.flightdaemon.internal.server.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.flightdaemon.internal.server.Descriptors;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Checks that invalid settings of sharing and connections are refused. */
class SharingTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static void refuses(ThrowingCallable settings, String option) {
        assertThatThrownBy(settings)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(option);
    }

    private static Sharing sharing(int puts, long rate, Duration rateTime, Duration wait) {
        return new Sharing(OptionalInt.of(puts), rate, rateTime, wait);
    }

    @Test
    void whatCannotBeSharedIsRefused() {
        refuses(() -> sharing(0, 1, SECOND, SECOND), "--puts-per-tenant");
        refuses(() -> new Sharing(OptionalInt.empty(), 0, 1, SECOND, SECOND), "--calls-per-tenant");
        refuses(() -> sharing(1, 0, SECOND, SECOND), "--least-rate");
        refuses(() -> sharing(1, (1 << 30) + 1, SECOND, SECOND), "--least-rate");
        refuses(() -> sharing(1, 1, Duration.ZERO, SECOND), "--least-rate-time");
        refuses(() -> sharing(1, 1, Duration.ofHours(25), SECOND), "--least-rate-time");
        refuses(() -> sharing(1, 1, SECOND, Duration.ZERO), "--longest-wait");
        assertThat(sharing(1, 1 << 30, Duration.ofHours(24), SECOND).leastBytes())
                .isEqualTo(86_400L << 30);
        assertThat(sharing(1, 1, Duration.ofMillis(1), SECOND).leastBytes()).isEqualTo(1);
    }

    @Test
    void limitsWithoutRoomForAClientAreRefused() {
        refuses(() -> new ConnectionLimits(1, 1, SECOND, SECOND), "--connections");
        refuses(() -> new ConnectionLimits(8, 0, SECOND, SECOND), "--connections-per-address");
        refuses(() -> new ConnectionLimits(8, 9, SECOND, SECOND), "--connections-per-address");
        refuses(() -> new ConnectionLimits(8, 8, Duration.ZERO, SECOND), "--first-call-time");
        refuses(() -> new ConnectionLimits(8, 8, SECOND, Duration.ZERO), "--idle-time");
    }

    @Test
    void connectionsLeaveDescriptorsForFiles() {
        Descriptors.check(1000, OptionalLong.empty());
        Descriptors.check(1000, OptionalLong.of(1512));
        refuses(() -> Descriptors.check(1000, OptionalLong.of(1511)), "Raise the limit (ulimit -n)");
    }
}
