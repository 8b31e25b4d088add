package dev.blobshuffle.planner.messaging;

import java.util.Optional;

/**
 * The cost of one system, in US dollars a year.
 *
 * @param requests requests to the store
 * @param crossing traffic between zones
 * @param brokers machines of brokers
 * @param database machines and disks of the metadata database
 * @param storage stored records
 * @param clients processor time of publishers and subscribers; empty if not counted
 */
public record YearlyCost(
        double requests, double crossing, double brokers, double database, double storage, Optional<Double> clients) {

    /** The sum, without the clients if they are not counted. */
    public double total() {
        return requests + crossing + brokers + database + storage + clients.orElse(0.0);
    }
}
