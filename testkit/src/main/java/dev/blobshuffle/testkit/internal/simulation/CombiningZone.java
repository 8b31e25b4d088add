package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.engine.SinkOpening;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The hubs of a simulated world, the network to them, and what must hold with them: parts of
 * different owners never share a blob, no instance waits long for a hub, and hubs return their
 * memory. Guarded by the simulation's baton.
 */
final class CombiningZone {
    /** The owner of the world's blobs. */
    static final int OWNER = 7;

    static final Zone ZONE = new Zone("zone-0");

    /**
     * The longest that a sound store's blob takes with a hub that fails: patience with the hub, and
     * a put.
     */
    private static final Duration LONGEST_STALL = Duration.ofSeconds(2);

    private final World world;
    private final SimulatedTime time;
    private final CombineOptions options;
    private final List<SimulatedHub> hubs = new ArrayList<>();
    private final List<ShuffleMetrics> contributors = new ArrayList<>();
    private final List<SwitchedCombining> policies = new ArrayList<>();
    private final int atOnce;
    private int started;

    CombiningZone(World world) {
        this.world = world;
        time = world.time();
        atOnce = 1 + time.random(2);
        long partBytes = 1L << (10 + time.random(8));
        long blobBytes = 1L << (10 + time.random(10));
        options = CombineOptions.of(partBytes, blobBytes, partBytes << time.random(6));
    }

    /** Starts the hubs, and the instances of another owner. */
    void start() {
        for (int i = 0; i < atOnce; i++) {
            startHub();
        }
        if (world.schedule().faults().contains(Fault.PART_FOREIGN)) {
            new ForeignContributor(world, this).start();
        }
    }

    private void startHub() {
        hubs.add(new SimulatedHub(world, started++, options));
    }

    /** The store of an instance: it permits to store for the owner. */
    BlobStore owned(BlobStore store) {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Integer> owner() {
                return CompletableFuture.completedFuture(OWNER);
            }
        };
    }

    /** The sink of an instance. */
    BlobSink sink(SimulatedProcess process, SinkOpening.Own own, ShuffleMetrics metrics) {
        contributors.add(metrics);
        Hubs known = new Hubs(new View(time.random(2) == 0), ZONE, own.writer(), Optional.empty(), process);
        SwitchedCombining policy = SwitchedCombining.drawn(time, process, options, known);
        policies.add(policy);
        return new Watched(new CombiningSink(
                new StoreSink(own.store()),
                own.store(),
                new HubNetwork(world, this, process),
                known,
                options,
                policy,
                process,
                metrics));
    }

    /** Finds blobs that wait long for a hub. */
    private final class Watched implements BlobSink {
        private final BlobSink sink;

        Watched(BlobSink sink) {
            this.sink = sink;
        }

        @Override
        public CompletionStage<Placement> put(BlobId id, BlobLayout layout, BlobContent content) {
            Duration began = time.elapsed();
            return sink.put(id, layout, content).whenComplete((placement, failure) -> {
                if (isStoreSound() && time.elapsed().minus(began).compareTo(LONGEST_STALL) > 0) {
                    world.ledger()
                            .violation(
                                    "blob " + id + " waited " + time.elapsed().minus(began) + " for a hub");
                }
            });
        }

        @Override
        public boolean inlines(long batchBytes, long alone) {
            return sink.inlines(batchBytes, alone);
        }
    }

    private boolean isStoreSound() {
        List<Fault> ofPuts =
                List.of(Fault.PUT_FAILED, Fault.PUT_ANSWER_LOST, Fault.PUT_SLOW, Fault.STORE_HANGS, Fault.STORE_DOWN);
        return world.schedule().faults().stream().noneMatch(ofPuts::contains);
    }

    /** The hub with an id; empty if it has ended. */
    Optional<SimulatedHub> hub(long id) {
        return hubs.stream().filter(hub -> hub.member().id() == id).findFirst();
    }

    List<SimulatedHub> hubs() {
        return hubs;
    }

    /** Kills or freezes a hub. */
    void strike() {
        SimulatedHub victim = hubs.get(time.random(hubs.size()));
        if (time.random(2) == 0 && world.schedule().faults().contains(Fault.HUB_FROZEN)) {
            world.ledger().fault(Fault.HUB_FROZEN);
            victim.freeze(Duration.ofMillis(50 + time.random(3000)));
        } else if (world.schedule().faults().contains(Fault.HUB_KILLED) && victim.isAlive()) {
            world.ledger().fault(Fault.HUB_KILLED);
            victim.kill();
            time.schedule(Duration.ofMillis(time.random(2000)), this::startHub);
        }
    }

    /** Checks that the memory of living hubs came back. */
    void check() {
        for (SimulatedHub hub : hubs) {
            if (hub.isAlive() && hub.heldBytes() != 0) {
                world.ledger().violation("a hub holds " + hub.heldBytes() + " bytes of parts");
            }
        }
    }

    /** The parts whose records were announced in a hub's blob. */
    long combined() {
        return contributors.stream()
                .mapToLong(metrics -> metrics.value(Counter.PARTS_COMBINED))
                .sum();
    }

    /** How often instances began or ended to combine. */
    long switches() {
        return policies.stream().mapToLong(SwitchedCombining::switches).sum();
    }

    /** The members as an instance knows them: all hubs, dead ones too, or every second one. */
    private final class View implements ZoneMap {
        private final boolean isPartial;

        View(boolean isPartial) {
            this.isPartial = isPartial;
        }

        @Override
        public List<Member> members() {
            List<Member> known = new ArrayList<>();
            for (int i = 0; i < hubs.size(); i++) {
                if (!isPartial || i % 2 == 0) {
                    known.add(hubs.get(i).member());
                }
            }
            return known;
        }

        @Override
        public List<Member> members(Zone zone) {
            return members();
        }

        @Override
        public Optional<Zone> zoneOf(Partition partition) {
            return Optional.empty();
        }
    }

    /** Whether a blob is the world's or another owner's. */
    static boolean isOwn(BlobId id) {
        return id.owner() == OWNER;
    }
}
