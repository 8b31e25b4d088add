package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.OwnerMemory;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Member;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SkewedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A process that uses the store and a cluster: an instance of an application, or {@code gc}. It
 * checks each blob that it deletes. Guarded by the simulation's baton.
 */
class OwnersUser {
    final OwnersWorld world;
    final OwnersCluster cluster;
    final SimulatedProcess process;
    final Time time;
    private final OwnerMemory memory;
    private final Member member;
    private final Profile profile;
    private boolean isAway;
    private boolean isByAge;

    /** Who lived when a sweep asked for the last time whether it may delete. */
    private Set<OwnersInstance> asked = Set.of();

    OwnersUser(OwnersWorld world, OwnersCluster cluster, String name, Profile profile) {
        this.world = world;
        this.cluster = cluster;
        process = world.time().process(name);
        time = new SkewedTime(process, profile.skew());
        member = new Member(cluster.id(), profile.claims(), profile.promise());
        this.profile = profile;
        memory = new Memory();
    }

    /** How a process starts. */
    record Profile(String claims, Promise promise, Duration floor, Duration skew) {}

    OwnerSource source() {
        return fingerprint -> new OwnerSource.Seat(member, memory);
    }

    Profile profile() {
        return profile;
    }

    Promise promise() {
        return member.promise();
    }

    /** Lets its brokers be away, or back. */
    void away(boolean is) {
        isAway = is;
    }

    /** The store, whose registers take a while. */
    BlobStore store() {
        return new ForwardingBlobStore(world.store().client(process, this::deleted)) {
            @Override
            public Optional<Registers> registers() {
                return super.registers().map(SlowRegisters::new);
            }
        };
    }

    private void deleted(BlobId blob) {
        world.deleted(blob, this);
    }

    /** The owners' right, which notes what its answers depended on. */
    SweepRight noted(SweepRight right) {
        return new NotedRight(right);
    }

    boolean isByAge() {
        return isByAge;
    }

    Set<OwnersInstance> asked() {
        return asked;
    }

    Duration floor() {
        return profile.floor();
    }

    /** Whether the blobs that it deletes may be those of a cluster that is gone for good. */
    boolean isForgetting(OwnersCluster other) {
        return false;
    }

    private void pause() {
        world.time().pause(Duration.ofMillis(world.time().random(60)));
    }

    private final class Memory implements OwnerMemory {
        @Override
        public ClaimsTopic read(String topic) {
            pause();
            return isAway ? new ClaimsTopic.Unreadable("the brokers are away") : cluster.claims(topic);
        }

        @Override
        public Optional<String> remember(Remember what) {
            pause();
            if (isAway) {
                return Optional.of("the brokers are away");
            }
            cluster.remember(member.topic(), what);
            pause();
            return Optional.empty();
        }

        @Override
        public void forget(long before, Set<String> kept) {
            cluster.forgetRaises(member.topic(), before, kept);
        }
    }

    private final class SlowRegisters implements Registers {
        private final Registers registers;

        SlowRegisters(Registers registers) {
            this.registers = registers;
        }

        @Override
        public CompletionStage<Optional<Register>> read(String name) {
            pause();
            CompletionStage<Optional<Register>> answer = registers.read(name);
            pause();
            return answer;
        }

        @Override
        public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
            pause();
            CompletionStage<Boolean> answer = registers.replace(name, expected, text);
            pause();
            return world.strikes(OwnersFault.REGISTER_ANSWER_LOST, 60)
                    ? CompletableFuture.failedFuture(new StoreUnavailableException(
                            "Cannot replace register " + name + ": the simulation says so."))
                    : answer;
        }
    }

    private final class NotedRight implements SweepRight {
        private final SweepRight right;

        NotedRight(SweepRight right) {
            this.right = right;
        }

        @Override
        public void use(BlobStore store) {
            right.use(store);
        }

        @Override
        public StoreClock clock() throws InterruptedException {
            return right.clock();
        }

        @Override
        public Leave next() throws InterruptedException {
            Set<OwnersInstance> present = world.present();
            Leave leave = right.next();
            if (leave.stage() == Stage.LIST) {
                isByAge = leave.timeToLive().isPresent();
            }
            asked = present;
            return leave;
        }

        @Override
        public Duration listed() {
            return right.listed();
        }

        @Override
        public Duration decided() {
            return right.decided();
        }

        @Override
        public Duration over() {
            return right.over();
        }

        @Override
        public void requireOwn() throws InterruptedException {
            Set<OwnersInstance> present = world.present();
            right.requireOwn();
            asked = present;
        }
    }
}
