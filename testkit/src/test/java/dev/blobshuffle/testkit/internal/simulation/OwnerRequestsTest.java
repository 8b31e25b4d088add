package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.blobshuffle.core.internal.claim.OwnerMemory;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Member;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What owners cost in requests to the store and to Kafka, with the durations that BlobShuffle uses.
 * {@code docs/operations.md} has the numbers.
 */
class OwnerRequestsTest {
    private static final Duration SPAN = Duration.ofHours(20);
    private static final Promise PROMISE = new Promise(Duration.ofMinutes(45), Optional.empty());

    private final SimulatedTime time = new SimulatedTime(1);
    private final OwnersCluster cluster = new OwnersCluster("cluster");
    private final SimulatedStore store = new SimulatedStore((fault, oneIn) -> false, time, new Ledger(), blob -> false);
    private int registerReads;
    private int registerWrites;
    private int lists;
    private int topicReads;
    private int topicWrites;

    @AfterEach
    void close() {
        time.close();
    }

    private void watch() {
        BlobStore ignored = OwnerWatch.watched(store(), source(), OwnerTiming.USUAL, time);
    }

    private void sweep() {
        Sweeper sweeper = new Sweeper(
                Optional.of(SweepTiming.USUAL),
                new BlobLifetime(Optional.empty(), Duration.ofHours(6)),
                this::store,
                new Source(),
                new ShuffleMetrics(),
                time);
        Membership.Reading reading = sweeper.watch(Membership.none()).reading();
        reading.subscribed(Set.of("topic"));
        reading.reads(Set.of(new Partition("topic", 0)));
    }

    /** Runs for some hours, and then counts requests. */
    private void measure() {
        time.settle(Duration.ofHours(4));
        registerReads = 0;
        registerWrites = 0;
        lists = 0;
        topicReads = 0;
        topicWrites = 0;
        time.settle(SPAN);
    }

    private static double perHour(int count) {
        return (double) count / SPAN.toHours();
    }

    @Test
    void anInstanceChecksEightyTimesAnHourAndRaisesElevenTimes() {
        watch();
        measure();
        assertThat(perHour(registerReads)).isCloseTo(80, offset(0.5));
        assertThat(perHour(registerWrites)).isCloseTo(11.5, offset(0.5));
        assertThat(topicReads).isEqualTo(registerReads);
        assertThat(topicWrites).isEqualTo(registerWrites);
        assertThat(lists).isZero();
    }

    @Test
    void manyInstancesOfAClusterRaiseAsOftenAsOne() {
        watch();
        watch();
        watch();
        measure();
        assertThat(perHour(registerReads)).isCloseTo(240, offset(1.0));
        assertThat(perHour(registerWrites)).isCloseTo(11.5, offset(0.5));
    }

    /** A sweep takes 2 hours and 5 minutes; three steps, of which two open the store. */
    @Test
    void aSweepReadsAndWritesRegistersSevenTimesAndListsGenerationsOnce() {
        sweep();
        measure();
        double sweeps = (double) lists / BlobKey.SHARDS;
        assertThat(sweeps / SPAN.toHours()).isCloseTo(1 / 2.1, offset(0.05));
        assertThat(registerReads / sweeps).isCloseTo(7, offset(0.5));
        assertThat(registerWrites / sweeps).isCloseTo(7, offset(0.5));
        assertThat(topicReads / sweeps).isCloseTo(3, offset(0.5));
        assertThat(topicWrites / sweeps).isCloseTo(3, offset(0.5));
    }

    private OwnerSource source() {
        return fingerprint -> new OwnerSource.Seat(new Member("cluster", "claims", PROMISE), new Memory());
    }

    private BlobStore store() {
        return new ForwardingBlobStore(store.client(time.process("instance"))) {
            @Override
            public CompletionStage<List<Long>> generations(int owner) {
                lists += BlobKey.SHARDS; // As a bucket asks: SweepRequestsTest.
                return super.generations(owner);
            }

            @Override
            public Optional<Registers> registers() {
                return super.registers().map(CountedRegisters::new);
            }
        };
    }

    private final class CountedRegisters implements Registers {
        private final Registers registers;

        CountedRegisters(Registers registers) {
            this.registers = registers;
        }

        @Override
        public CompletionStage<Optional<Register>> read(String name) {
            registerReads++;
            return registers.read(name);
        }

        @Override
        public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
            registerWrites++;
            return registers.replace(name, expected, text);
        }
    }

    private final class Memory implements OwnerMemory {
        @Override
        public ClaimsTopic read(String topic) {
            topicReads++;
            return cluster.claims(topic);
        }

        @Override
        public Optional<String> remember(Remember what) {
            topicWrites++;
            cluster.remember("claims", what);
            return Optional.empty();
        }

        @Override
        public void forget(long before, Set<String> kept) {}
    }

    /** A log without a record. */
    private final class Source implements SweepSource {
        @Override
        public boolean covers(String topic) {
            return true;
        }

        @Override
        public SweepRight right(OwnerTiming timing, Time sweeper) {
            return OwnerSweepRight.own(source(), timing, sweeper);
        }

        @Override
        public NotificationLogs logs(Time sweeper) {
            return new OwnersLogs(cluster, time);
        }
    }
}
