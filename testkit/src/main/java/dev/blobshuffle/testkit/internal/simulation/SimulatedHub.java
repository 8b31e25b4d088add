package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A process with a hub, as a standalone cache has one. Guarded by the simulation's baton. */
final class SimulatedHub {
    private static final int PORT = 7400;

    private final World world;
    private final SimulatedProcess process;
    private final ShuffleMetrics metrics;
    private final Hub hub;
    private final Member member;
    private Duration frozenUntil = Duration.ZERO;

    SimulatedHub(World world, int number, CombineOptions options) {
        this.world = world;
        process = world.time().process("hub-" + number);
        metrics = new ShuffleMetrics(process);
        long writer = BlobId.writer(process.randomLong());
        BlobStore store =
                world.seams().hubStore(new CheckedStore(world.store().client(process), world.ledger()), world.time());
        hub = new Hub(store, options, process, metrics, new Hub.Names(writer, 0), owner -> true);
        member = new Member(writer, new Endpoint("hub-" + number, PORT), CombiningZone.ZONE, Set.of(), Footer.VERSION);
    }

    Hub hub() {
        return hub;
    }

    Member member() {
        return member;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() {
        process.kill();
    }

    /** Neither receives nor answers for a while. */
    void freeze(Duration span) {
        frozenUntil = world.time().elapsed().plus(span);
    }

    /** How long it still stands still; zero if it works. */
    Duration frozen() {
        Duration left = frozenUntil.minus(world.time().elapsed());
        return left.isNegative() ? Duration.ZERO : left;
    }

    long heldBytes() {
        return metrics.value(Gauge.COMBINE_BUFFER_USED);
    }

    /** Parts that it took, less the blobs that it made of them. */
    long saved() {
        return metrics.value(Counter.PARTS_TAKEN) - metrics.value(Counter.BLOBS_COMBINED);
    }

    /** Checks that a stored blob holds segments of one owner. Each owner has its own topic. */
    private static final class CheckedStore extends ForwardingBlobStore {
        private final Ledger ledger;

        CheckedStore(BlobStore store, Ledger ledger) {
            super(store);
            this.ledger = ledger;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            ByteBuffer blob = ByteBuffer.wrap(HubNetwork.copy(content));
            Footer footer = FooterCodec.decode(blob, blob.remaining());
            String topic = CombiningZone.isOwn(id) ? Sweeps.TOPIC : ForeignContributor.TOPIC;
            for (Footer.Segment segment : footer.segments()) {
                if (!segment.partition().stream().equals(topic)) {
                    ledger.violation("blob " + id + " holds a segment of another owner: " + segment.partition());
                }
            }
            return super.put(id, content);
        }
    }
}
