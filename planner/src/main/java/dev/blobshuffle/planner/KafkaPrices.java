package dev.blobshuffle.planner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.Optional;

/**
 * The prices of a Kafka service for the bytes of a topic, in US dollars: the billed share of the
 * bytes that cross zones, at the cloud's price, and the service's own charges. Broker hours and
 * disks are not included. Immutable data from the files that {@link KafkaPriceTables} reads.
 *
 * @param name the table's name @param title the name for display
 * @param date when the prices were valid, from the file
 * @param source where the prices come from
 * @param assumed the prices that were not looked up; "nothing" if all were
 * @param crossings which crossings are billed
 * @param service the service's own prices
 * @param notificationSeconds usual time from the send of a notification until its arrival
 */
public record KafkaPrices(
        String name,
        String title,
        String date,
        String source,
        String assumed,
        Crossings crossings,
        Service service,
        double notificationSeconds) {
    private static final double SECONDS_PER_HOUR = 3600;

    /** The readers of a topic. */
    public enum Readers {
        /** None, as with changelogs, which only a restore reads. */
        NONE,
        /** A consumer group that fetches from a replica in its zone ({@code client.rack}). */
        RACK_AWARE,
        /** A consumer group that fetches from leaders. */
        FROM_LEADERS
    }

    /**
     * The billed shares of the bytes that cross zones, 0 to 1.
     *
     * @param clients between clients and brokers
     * @param replicas between brokers
     */
    public record Crossings(double clients, double replicas) {
        /** Checks that both are shares. */
        public Crossings {
            require(clients >= 0 && clients <= 1, "client.crossings.billed", clients);
            require(replicas >= 0 && replicas <= 1, "replica.crossings.billed", replicas);
        }
    }

    /**
     * The service's own charges, per billed gigabyte of records.
     *
     * @param gigabyteBytes the bytes of a billed gigabyte
     * @param written dollars for the bytes that clients write
     * @param read dollars for the bytes that clients read
     * @param puts requests to the cloud's object store for the bytes written
     * @param gets requests to the cloud's object store for the bytes read
     */
    public record Service(double gigabyteBytes, double written, double read, double puts, double gets) {
        /** Checks that none is negative. */
        public Service {
            require(gigabyteBytes >= 1, "gigabyte.bytes", gigabyteBytes);
            require(written >= 0, "written.usd.per.gb", written);
            require(read >= 0, "read.usd.per.gb", read);
            require(puts >= 0, "puts.per.gb", puts);
            require(gets >= 0, "gets.per.gb", gets);
        }
    }

    /** Checks the time. */
    public KafkaPrices {
        require(notificationSeconds >= 0 && notificationSeconds <= 60, "notification.seconds", notificationSeconds);
    }

    private static void require(boolean sound, String what, double value) {
        if (!sound) {
            throw new InvalidSettingsException("Cannot use prices of a Kafka service: " + what + " is " + value
                    + ". Give a share of 0 to 1, a price or number of 0 or more, and at most 60 s.");
        }
    }

    /**
     * Dollars per hour for a flow of bytes through a topic.
     *
     * @param cloud prices of crossings and requests
     */
    public double usdPerHour(double bytesPerSecond, PriceTable cloud, Workload workload, Readers readers) {
        double away = Traffic.awayShare(workload);
        double crossed = crossings.clients * (readers == Readers.FROM_LEADERS ? 2 * away : away)
                + crossings.replicas * (Math.min(workload.replicationFactor(), workload.zones()) - 1);
        PriceTable.Requests requests = cloud.requests();
        double perGigabyte = service.written + service.puts * requests.put();
        if (readers != Readers.NONE) {
            perGigabyte += service.read + service.gets * requests.get();
        }
        return SECONDS_PER_HOUR
                * (crossed * cloud.traffic().of(bytesPerSecond, cloud.traffic().crossing())
                        + bytesPerSecond / service.gigabyteBytes * perGigabyte);
    }

    /**
     * Size in bytes from which a blob of one zone's records costs less than the same bytes through
     * this service. Empty if no size does.
     */
    public Optional<Double> breakEvenBytes(PriceTable cloud, Workload workload) {
        double away = Traffic.awayShare(workload);
        PriceTable.Traffic traffic = cloud.traffic();
        double perBlob = cloud.requests().put() + away * cloud.requests().get();
        double nativePerByte = usdPerHour(1, cloud, workload, Readers.RACK_AWARE) / SECONDS_PER_HOUR;
        double storePerByte = traffic.of(1, traffic.upload()) + away * traffic.of(1, traffic.download());
        double saved = nativePerByte - storePerByte;
        return saved > 0 ? Optional.of(perBlob / saved) : Optional.empty();
    }

    /** Whether the cloud bills every crossing and nothing else, as with brokers of your own. */
    boolean isSelfManaged() {
        return crossings.equals(new Crossings(1, 1)) && service.equals(new Service(service.gigabyteBytes, 0, 0, 0, 0));
    }
}
