package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.write.options.BatchScope;

/**
 * Requests and bytes per second of a shuffle through blobs, over all instances.
 *
 * @param puts writes of blobs, hedges included
 * @param gets reads of parts of blobs, hedges included
 * @param notifications notifications through Kafka
 * @param storedBytes bytes written to the store
 * @param fetchedBytes bytes read from the store
 * @param notificationBytes bytes of notifications, one copy
 * @param inlinedBytes bytes that go through Kafka as plain records, one copy
 */
public record Traffic(
        double puts,
        double gets,
        double notifications,
        double storedBytes,
        double fetchedBytes,
        double notificationBytes,
        double inlinedBytes) {
    /**
     * The largest gap between two ranges that one request reads: {@code FetchPlan} in the
     * Debatcher.
     */
    private static final double LARGEST_GAP = 64 << 10;

    /** The traffic of a workload. */
    static Traffic of(Workload workload, Tuning tuning, Batching batching, LatencyProfile profile) {
        Requests requests = new Requests(0, 0);
        double notifications = 0;
        double stored = 0;
        double inlined = 0;
        for (Seal seal : batching.seals()) {
            double perSecond = batching.batchers() * seal.perSecond();
            if (seal.isInlined()) {
                inlined += perSecond * seal.records() * workload.recordBytes();
            } else {
                double gets = getsPerSection(workload, tuning, seal, batching.partitions(seal)) * seal.sections();
                requests = requests.plus(perSecond * seal.blobs().size(), perSecond * gets);
                notifications += perSecond * batching.segments(seal);
                stored += perSecond * seal.bytes();
            }
        }
        HubBatching hub = new HubBatching(workload, tuning, batching);
        if (hub.isUsed()) {
            requests = ofHubs(workload, batching, hub, hub.slowShare(profile));
        }
        double away = tuning.cache() == Tuning.Cache.ZONE ? awayShare(workload) : 1;
        double attempts = 1 + tuning.hedgedShare();
        return new Traffic(
                requests.puts() * attempts,
                requests.gets() * attempts,
                notifications,
                stored,
                stored * away,
                notifications * tuning.notificationBytes(),
                inlined);
    }

    /** Requests per second, each sent once. */
    private record Requests(double puts, double gets) {
        Requests plus(double morePuts, double moreGets) {
            return new Requests(puts + morePuts, gets + moreGets);
        }
    }

    /**
     * The requests for blobs that hubs combine. Of the slow ones, each part is stored by itself
     * too.
     */
    private static Requests ofHubs(Workload workload, Batching batching, HubBatching hub, double slow) {
        Requests requests = new Requests(0, 0);
        for (HubBatching.Kind blob : hub.kinds()) {
            double perSecond = workload.zones() * blob.perSecond();
            double own = slow * blob.parts();
            double zones = batching.zonesHit(blob.records()) + own * batching.zonesHit(blob.records() / blob.parts());
            requests = requests.plus(perSecond * (1 + own), perSecond * awayShare(workload) * zones);
        }
        return requests;
    }

    /** Share of readers that are not in the writer's zone. */
    static double awayShare(Workload workload) {
        return (workload.zones() - 1.0) / workload.zones();
    }

    /**
     * Reads of one section: one per zone other than the writer's, one per consumer, or one per
     * partition if a consumer's partitions are far apart. The segments of several lanes in a
     * partition are notified one after the other. The reader fetches the first at once, and the
     * remaining ones together.
     */
    static double getsPerSection(Workload workload, Tuning tuning, Seal seal, double partitionsHit) {
        if (tuning.cache() == Tuning.Cache.ZONE) {
            return awayShare(workload);
        }
        double partitions = partitionsHit / Math.max(1, seal.sections());
        double consumers = Math.max(1, (double) workload.instances() * workload.threads() / workload.zones());
        double gap = (consumers - 1) * seal.bytes() / Math.max(1, partitionsHit);
        double lanes = tuning.scope() == BatchScope.INSTANCE ? workload.threads() : 1;
        double rounds = 2 - 1 / lanes;
        return rounds * (gap <= LARGEST_GAP ? Math.min(consumers, partitions) : partitions);
    }

    /** Average bytes of a blob. */
    public double blobBytes() {
        return puts > 0 ? storedBytes / puts : 0;
    }
}
