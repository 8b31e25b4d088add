package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;

/** An instance of another owner that uses the same hubs. Guarded by the simulation's baton. */
final class ForeignContributor {
    static final String TOPIC = "foreign";

    private static final int OWNER = 9;

    private final World world;
    private final CombiningZone zone;
    private final SimulatedProcess process;
    private final long writer;
    private long sequence;

    ForeignContributor(World world, CombiningZone zone) {
        this.world = world;
        this.zone = zone;
        process = world.time().process("foreign");
        writer = BlobId.writer(process.randomLong());
    }

    /** Hands over a part now and then. */
    void start() {
        handSoon();
    }

    private void handSoon() {
        SimulatedTime time = world.time();
        process.schedule(Duration.ofMillis(1 + time.random(150)), () -> {
            if (world.strikes(Fault.PART_FOREIGN, 2)) {
                hand();
            }
            if (time.elapsed().compareTo(Schedule.FAULTY) < 0) {
                handSoon();
            }
        });
    }

    private void hand() {
        long generation = process.wallMillis() / BlobId.MILLIS_PER_GENERATION;
        BlobLayout layout = layout(new BlobId(OWNER, generation, writer, sequence++));
        BlobContent content = BlobContent.of(layout.buffers(), () -> {});
        List<SimulatedHub> hubs = zone.hubs();
        SimulatedHub hub = hubs.get(world.time().random(hubs.size()));
        var ignored = new HubNetwork(world, zone, process).to(hub.member(), layout.id(), content);
    }

    private BlobLayout layout(BlobId id) {
        byte[] body = new byte[64];
        int length = RecordLayout.encode(body, 0, 0, null, new byte[] {1, 2, 3}, Headers.NONE);
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            SegmentSource segment = new SegmentSource(
                    CombiningZone.ZONE,
                    new Partition(TOPIC, 0),
                    "lane",
                    0,
                    0,
                    List.of(encoder.encode(body, 0, length, 1, 0)));
            return BlobLayout.of(id, world.store().client(process).fingerprint(), 0, List.of(segment));
        }
    }
}
