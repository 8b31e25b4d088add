package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight.Guard;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepRight.Stage;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.testkit.internal.simulation.OwnersSchedule.Application;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The steps of {@code gc --forget}. Guarded by the simulation's baton. */
final class OwnersForget extends OwnersUser {
    private static final Promise NOTHING = new Promise(Duration.ZERO, Optional.of(Duration.ZERO));
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int MOST_LOOKS = 100;

    private final int owner;
    private final OwnerText.Owner line;

    /** @param member the application of whose owner it takes its steps */
    OwnersForget(OwnersWorld world, OwnersCluster cluster, int owner, OwnerText.Owner line, Application member) {
        super(world, cluster, "gc", new Profile(member.claims(), NOTHING, member.floor(), Duration.ZERO));
        this.owner = owner;
        this.line = line;
    }

    @Override
    boolean isForgetting(OwnersCluster other) {
        return other.id().equals(line.cluster()) && !other.id().equals(cluster.id());
    }

    void start() {
        var ignored = process.actor("forget", this::forget);
    }

    private void forget() throws InterruptedException {
        OwnerSweepRight right = OwnerSweepRight.forgetting(owner, source(), Guard.NONE, OwnersWorld.TIMING, time);
        try (BlobStore store = store();
                NotificationLogs logs = new OwnersLogs(cluster, world.time())) {
            SweepRight noted = noted(right);
            noted.use(store);
            if (noted.clock().differenceFromOwn().isPresent()) {
                return;
            }
            Sweep sweep = new Sweep(
                    store, SweepScope.everything(Set.of()), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
            Map<Partition, NotificationLogs.Term> terms = logs.terms(topic -> true);
            if (await(noted, Stage.LIST)) {
                BlobListing listing =
                        sweep.list(owner, Optional.empty(), new BlobLifetime(Optional.empty(), floor()), noted.clock());
                Duration ignored = noted.listed();
                if (await(noted, Stage.DECIDE)) {
                    var report = sweep.byLogs(listing, logs, terms);
                    ignored = noted.decided();
                    if (await(noted, Stage.DELETE)) {
                        sweep.delete(listing, noted, logs);
                        right.forget();
                    }
                }
            }
        } catch (BlobShuffleException e) {
            // The operator hears of it.
        }
    }

    private boolean await(SweepRight right, Stage stage) throws InterruptedException {
        Stage now = right.next().stage();
        for (int look = 0;
                look < MOST_LOOKS && (now == Stage.WAIT || stage == Stage.LIST && now == Stage.START_OVER);
                look++) {
            world.time().pause(LOOK);
            now = right.next().stage();
        }
        return now == stage;
    }

    @Override
    boolean isByAge() {
        return false;
    }
}
