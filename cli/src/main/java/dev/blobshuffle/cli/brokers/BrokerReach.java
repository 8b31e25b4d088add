package dev.blobshuffle.cli.brokers;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Utils;

/**
 * Checks that a process listens at the brokers' addresses. A Kafka client retries refused addresses
 * until its call times out, and does not report why. Stateless.
 */
final class BrokerReach {
    private static final int CONNECT_MILLIS = 1_000;

    /**
     * The number of silent addresses after which the check stops. The client, which waits longer,
     * handles them.
     */
    private static final int MOST_SILENT = 2;

    private static final String SILENT = "no answer";

    private BrokerReach() {}

    /**
     * Returns if a connection opens, or may open.
     *
     * @param bootstrap {@code host:port} pairs with commas
     * @throws KafkaException each address refuses connections, or its host is unknown
     */
    static void check(String bootstrap) {
        Map<String, String> reasons = new LinkedHashMap<>();
        int silent = 0;
        for (String address : bootstrap.split(",")) {
            String host = Utils.getHost(address.strip());
            Integer port = Utils.getPort(address.strip());
            if (host == null || port == null) {
                return; // The client reports the malformed address.
            }
            Optional<String> reason = refusal(host, port);
            if (reason.isEmpty()) {
                return;
            }
            if (reason.get().equals(SILENT)) {
                silent++;
                if (silent == MOST_SILENT) {
                    return;
                }
            }
            reasons.put(address.strip(), reason.get());
        }
        if (silent == 0 && !reasons.isEmpty()) {
            StringBuilder text = new StringBuilder("Cannot reach the brokers: ");
            String separator = "";
            for (Map.Entry<String, String> reason : reasons.entrySet()) {
                text.append(separator).append(reason.getValue()).append(" at ").append(reason.getKey());
                separator = ", ";
            }
            throw new KafkaException(text.append(". Check that the brokers run, and host and port in --bootstrap,")
                    .append(" --config or --profile.")
                    .toString());
        }
    }

    /** The reason why all of a host's addresses refuse connections; empty if one accepts. */
    private static Optional<String> refusal(String host, int port) {
        String reason = SILENT;
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                try (Socket socket = new Socket()) {
                    socket.connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
                    return Optional.empty();
                } catch (NoRouteToHostException e) {
                    reason = "no route to the host";
                } catch (ConnectException e) {
                    reason = "connection refused";
                }
            }
            return Optional.of(reason);
        } catch (UnknownHostException e) {
            return Optional.of("unknown host");
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of(SILENT);
        }
    }
}
