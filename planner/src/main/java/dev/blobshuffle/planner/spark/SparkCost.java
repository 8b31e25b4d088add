package dev.blobshuffle.planner.spark;

import static dev.blobshuffle.planner.spark.SparkShuffle.ceil;

import dev.blobshuffle.core.internal.pricing.PriceTable;

/**
 * The cost of one shuffle in each way of shuffling. {@code docs/guides/planner.md} has the
 * formulas. A pure function of the shuffle and the prices.
 */
public final class SparkCost {
    /** {@code spark.blobshuffle.blob.bytes}. */
    private static final double BLOB = 64 << 20;

    /** Segments of a blob: {@code PackingRule} in the module spark. */
    private static final long SEGMENTS = 65_536;

    /** The bytes that Spark asks for at once: a fifth of {@code spark.reducer.maxSizeInFlight}. */
    private static final double REQUEST = (48 << 20) / 5.0;

    /** The ranges that a cache of a zone would read. */
    private static final double LONG_REQUEST = 16 << 20;

    /** Parts of a multipart upload of Hadoop's S3 file system. */
    private static final double PART = 64 << 20;

    private final SparkShuffle shuffle;
    private final PriceTable prices;

    /** The costs of a shuffle at some prices. */
    public SparkCost(SparkShuffle shuffle, PriceTable prices) {
        this.shuffle = shuffle;
        this.prices = prices;
    }

    /** Spark's own: files at executors, which other executors read. */
    public ShuffleCost ofSpark() {
        return cost(0, 0, 0, shuffle.bytes() * shuffle.awayShare(), shuffle.mapsPerExecutor());
    }

    /**
     * An object with an index and checksums for each map, and a read for each map and reducer, as
     * in IBM's plug-in. Each executor looks for each map's objects once, and reads its index and
     * checksums. An executor's loss re-runs its maps, because the plug-in does not report reliable
     * storage.
     */
    public ShuffleCost objectPerMap() {
        double parts = Math.ceil(shuffle.mapBytes() / PART);
        double data = parts <= 1 ? 1 : parts + 2;
        double perExecutor = 3.0 * shuffle.maps() * shuffle.cluster().executors();
        double blocks = (double) shuffle.maps() * shuffle.reducers();
        return cost(shuffle.maps() * (data + 2), blocks + perExecutor, shuffle.bytes(), 0, shuffle.mapsPerExecutor());
    }

    /**
     * Ours with {@code durability=write-behind}, all blobs uploaded and all executors alive.
     * Readers get the files of writers in their zone. From other zones they read the store, block
     * by block.
     */
    public ShuffleCost writeBehind() {
        long maps = mapsUntilUpload();
        return cost(blobs(maps), gets(maps) * shuffle.awayShare(), shuffle.bytes() * shuffle.awayShare(), 0, 0);
    }

    /** The requests that the loss of one executor adds to {@link #writeBehind}. */
    public double getsAfterLoss() {
        double share = 1.0 / shuffle.cluster().executors();
        return gets(mapsUntilUpload()) * (1 - shuffle.awayShare()) * share;
    }

    /** The same, where each zone reads the blobs of the others once, in long ranges. */
    public ShuffleCost writeBehindCached() {
        return cached(mapsUntilUpload(), shuffle.awayShare());
    }

    /** Ours with {@code durability=sync}: all bytes come from the store, block by block. */
    public ShuffleCost sync() {
        long maps = Math.min(mapsPerBlob(), shuffle.cluster().cores());
        return cost(blobs(maps), gets(maps), shuffle.bytes(), 0, 0);
    }

    /** The same, where each zone reads each byte from the store once, in long ranges. */
    public ShuffleCost syncCached() {
        return cached(mapsPerBlob(), 1);
    }

    /** @param share of the blobs that a zone reads */
    private ShuffleCost cached(long mapsPerBlob, double share) {
        double zones = shuffle.cluster().zones() * share;
        double blobs = blobs(mapsPerBlob);
        double ranges = zones * Math.ceil(shuffle.bytes() / LONG_REQUEST);
        return cost(blobs, ranges + footers(blobs) * share, zones * shuffle.bytes(), 0, 0);
    }

    /**
     * The maps of a blob with {@code durability=write-behind}. If there are other zones, an upload
     * waits for a second only, so a blob has the maps that end together.
     */
    private long mapsUntilUpload() {
        long maps = mapsPerBlob();
        return shuffle.cluster().zones() == 1
                ? maps
                : Math.min(maps, shuffle.cluster().cores());
    }

    /** Maps until a blob is full, of those that one executor runs. */
    private long mapsPerBlob() {
        long bySize = (long) Math.ceil(BLOB / shuffle.mapBytes());
        long bySegments = Math.max(1, SEGMENTS / shuffle.reducers());
        return Math.min(Math.min(bySize, bySegments), shuffle.mapsPerExecutor());
    }

    private double blobs(long mapsPerBlob) {
        double writers = Math.min(shuffle.cluster().executors(), shuffle.maps());
        return Math.min(shuffle.maps(), writers * ceil(shuffle.mapsPerExecutor(), mapsPerBlob));
    }

    /** Each reducer reads its partition of each blob, which is one range. */
    private double gets(long mapsPerBlob) {
        double blobs = blobs(mapsPerBlob);
        double perBlock = Math.ceil(shuffle.bytes() / (blobs * shuffle.reducers()) / REQUEST);
        return blobs * shuffle.reducers() * perBlock + footers(blobs);
    }

    /** Each executor with reducers reads each footer once. */
    private double footers(double blobs) {
        return blobs * Math.min(shuffle.cluster().executors(), shuffle.reducers());
    }

    private ShuffleCost cost(double puts, double gets, double fetched, double crossing, long mapsAgain) {
        PriceTable.Traffic traffic = prices.traffic();
        double stored = puts > 0 ? shuffle.bytes() : 0;
        double requests =
                puts * prices.requests().put() + gets * prices.requests().get();
        double bytes = traffic.of(stored, traffic.upload()) + traffic.of(fetched, traffic.download());
        return new ShuffleCost(
                puts, gets, crossing, requests + bytes, traffic.of(crossing, traffic.crossing()), mapsAgain);
    }
}
