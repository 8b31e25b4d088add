package dev.blobshuffle.core.zone;

import java.util.Map;
import java.util.Optional;

/**
 * An availability zone, within which network traffic is free.
 *
 * @param name the provider's name of the zone, such as {@code us-east-1a}; never blank
 */
public record Zone(String name) {
    /** The only zone, if zones are not configured. */
    public static final Zone SINGLE = new Zone("single");

    /** Checks the name. */
    public Zone {
        if (name.isBlank()) {
            throw new IllegalArgumentException("Cannot name a zone: the name is blank. Give the provider's zone name.");
        }
    }

    /**
     * The zone of this instance: the setting, else Kafka's {@code client.rack}, else the
     * environment variable {@code TOPOLOGY_ZONE}, else {@link #SINGLE}. Kubernetes deployments set
     * {@code TOPOLOGY_ZONE} from the label {@code topology.kubernetes.io/zone}. Blank names count
     * as missing.
     *
     * @param setting the setting {@code blobshuffle.zone}
     * @param clientRack Kafka's setting {@code client.rack}
     * @param environment the process's environment variables
     */
    public static Zone own(Optional<String> setting, Optional<String> clientRack, Map<String, String> environment) {
        return setting.filter(name -> !name.isBlank())
                .or(() -> clientRack.filter(name -> !name.isBlank()))
                .or(() -> Optional.ofNullable(environment.get("TOPOLOGY_ZONE")).filter(name -> !name.isBlank()))
                .map(Zone::new)
                .orElse(SINGLE);
    }
}
