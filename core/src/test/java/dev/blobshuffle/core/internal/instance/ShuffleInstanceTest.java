package dev.blobshuffle.core.internal.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lists show the open parts, and the order in which parts closed. */
class ShuffleInstanceTest {
    private final List<String> open = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();

    private enum Step {
        CLOCK,
        MEMBERSHIP,
        STORE,
        DECORATOR,
        JOIN,
        SWEEPER,
        ATTACHED
    }

    @ParameterizedTest
    @EnumSource
    void stepThatFailsLeavesNothingOpen(Step failing) {
        assertThatThrownBy(() -> open(failing))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(failing.name());
        assertThat(open).isEmpty();
    }

    @Test
    void partsCloseInTheReverseOrderOfTheirOpening() {
        ShuffleInstance instance = open(null);
        assertThat(open).contains("membership", "store", "attached");
        instance.close();
        instance.close();
        assertThat(open).isEmpty();
        assertThat(closed).containsExactly("attached", "membership", "store");
    }

    @Test
    void partThatCannotBeClosedKeepsNoOtherOpen() {
        ShuffleInstance instance = open(null);
        AutoCloseable ignored = instance.attach(() -> (AutoCloseable) () -> {
            throw new IllegalStateException("stuck");
        });
        assertThatThrownBy(instance::close).hasMessage("stuck");
        assertThat(open).isEmpty();
    }

    private ShuffleInstance open(Step failing) {
        ShuffleInstance instance = ShuffleInstance.builder(
                        EngineSettings.parse(Map.of("blobshuffle.store", "memory://instance")))
                .clocks(() -> {
                    fail(failing, Step.CLOCK);
                    return new SystemTime();
                })
                .membership(time -> {
                    fail(failing, Step.MEMBERSHIP);
                    open.add("membership");
                    return new CountedMembership(failing);
                })
                .stores((uri, context) -> {
                    fail(failing, Step.STORE);
                    open.add("store");
                    return new ForwardingBlobStore(new MemoryBlobStore("instance", 1 << 20)) {
                        @Override
                        public void close() {
                            ended("store");
                        }
                    };
                })
                .decorating(engine -> {
                    fail(failing, Step.DECORATOR);
                    return engine;
                })
                .sweeping(new NoLogs(), (settings, source, metrics, time) -> {
                    fail(failing, Step.SWEEPER);
                    return Sweeper.of(settings, source, metrics, time);
                })
                .open();
        AutoCloseable ignored = instance.attach(() -> {
            fail(failing, Step.ATTACHED);
            open.add("attached");
            return (AutoCloseable) () -> ended("attached");
        });
        return instance;
    }

    private static void fail(Step failing, Step now) {
        if (failing == now) {
            throw new InvalidSettingsException(now.name());
        }
    }

    private void ended(String part) {
        if (open.remove(part)) {
            closed.add(part);
        }
    }

    private final class CountedMembership implements Membership {
        private final Step failing;

        CountedMembership(Step failing) {
            this.failing = failing;
        }

        @Override
        public void join(Optional<Member> self) {
            fail(failing, Step.JOIN);
        }

        @Override
        public Reading reading() {
            return Membership.none().reading();
        }

        @Override
        public List<Member> members() {
            return List.of();
        }

        @Override
        public List<Member> members(Zone zone) {
            return List.of();
        }

        @Override
        public Optional<Zone> zoneOf(Partition partition) {
            return Optional.empty();
        }

        @Override
        public void close() {
            ended("membership");
        }
    }

    private static final class NoLogs implements SweepSource {
        @Override
        public boolean covers(String topic) {
            return false;
        }

        @Override
        public SweepRight right(OwnerTiming timing, Time time) {
            throw new AssertionError("nothing is swept");
        }

        @Override
        public NotificationLogs logs(Time time) {
            throw new AssertionError("nothing is swept");
        }
    }
}
