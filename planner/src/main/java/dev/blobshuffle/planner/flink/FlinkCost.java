package dev.blobshuffle.planner.flink;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.OptionalDouble;

/**
 * The cost of one {@code keyBy}, natively and through blobs. {@code docs/guides/planner.md} has the
 * formulas. A pure function of the shuffle and the prices.
 */
public final class FlinkCost {
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double GIBIBYTE = 1 << 30;

    /** Bytes of a reference on Flink's network. */
    private static final double REFERENCE = 55;

    private final FlinkShuffle shuffle;
    private final PriceTable prices;

    /** The verdict about a shuffle. */
    public enum Verdict {
        /** Blobs cost less than the traffic that they replace. */
        PAYS,
        /** All subtasks are in one zone. */
        ONE_ZONE,
        /** The provider does not charge for traffic between zones. */
        CROSSINGS_ARE_FREE,
        /** Processors, storage and the store's traffic cost more than the crossing. */
        BYTES_COST_MORE,
        /** Blobs are too small for their requests. */
        SMALL_BLOBS
    }

    /** The costs of a shuffle at some prices. */
    public FlinkCost(FlinkShuffle shuffle, PriceTable prices) {
        this.shuffle = shuffle;
        this.prices = prices;
    }

    /** Flink's own exchange. */
    public HourlyCost ofFlink() {
        double crossing = awayBytes();
        return new HourlyCost(0, 0, crossing, crossingUsd(crossing), 0, 0, 0);
    }

    /** Blobs for all that leaves its zone, and references to them. */
    public HourlyCost throughBlobs() {
        double away = awayBytes();
        double blobs = away == 0 ? 0 : away / shuffle.blobBytes();
        double gets = blobs * shuffle.readers();
        double references = blobs * shuffle.segments() * REFERENCE;
        double requests =
                blobs * prices.requests().put() + gets * prices.requests().get();
        return new HourlyCost(
                blobs,
                gets,
                references,
                crossingUsd(references),
                requests + storeTrafficUsd(away),
                storageUsd(away),
                cpuUsd(away));
    }

    /** Whether blobs pay, and if not, why. */
    public Verdict verdict() {
        if (shuffle.cluster().zones() == 1) {
            return Verdict.ONE_ZONE;
        }
        if (prices.traffic().crossing() == 0) {
            return Verdict.CROSSINGS_ARE_FREE;
        }
        if (throughBlobs().total() < ofFlink().total()) {
            return Verdict.PAYS;
        }
        return savedPerByte() > 0 ? Verdict.SMALL_BLOBS : Verdict.BYTES_COST_MORE;
    }

    /** The size of a blob from which on blobs pay; empty if no size does. */
    public OptionalDouble breakEvenBlobBytes() {
        double perBlob = prices.requests().put()
                + shuffle.readers() * prices.requests().get()
                + crossingUsd(shuffle.segments() * REFERENCE);
        return savedPerByte() > 0 ? OptionalDouble.of(perBlob / savedPerByte()) : OptionalDouble.empty();
    }

    /** The saving by a byte that goes through a blob, without the requests. */
    private double savedPerByte() {
        return crossingUsd(1) - storeTrafficUsd(1) - storageUsd(1) - cpuUsd(1);
    }

    private double awayBytes() {
        return shuffle.awayBytesPerSecond() * SECONDS_PER_HOUR;
    }

    private double crossingUsd(double bytes) {
        return prices.traffic().of(bytes, prices.traffic().crossing());
    }

    /** Each byte is read by one subtask. */
    private double storeTrafficUsd(double bytes) {
        return prices.traffic()
                .of(bytes, prices.traffic().upload() + prices.traffic().download());
    }

    private double storageUsd(double bytes) {
        double months = shuffle.batching().kept().toMillis() / 1e3 / SECONDS_PER_HOUR / prices.monthHours();
        return prices.traffic().of(bytes, prices.traffic().storageMonth()) * months;
    }

    private double cpuUsd(double bytes) {
        double hours = bytes / GIBIBYTE * shuffle.batching().cpuSecondsPerGib() / SECONDS_PER_HOUR;
        return hours * prices.vcpuPerHour();
    }
}
