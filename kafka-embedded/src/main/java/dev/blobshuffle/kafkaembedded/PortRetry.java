package dev.blobshuffle.kafkaembedded;

import java.util.List;
import java.util.function.Function;

/** Retries the start of a cluster on other ports if another process has taken a port. */
final class PortRetry {
    private static final int ATTEMPTS = 5;

    private PortRetry() {}

    /**
     * Calls the attempt with nodes on new ports until it succeeds. After a failure it tries the
     * ports to find out whether one was taken, because a controller that cannot bind ends its
     * process without a reason.
     *
     * @param attempt starts the nodes, or throws and leaves none running
     */
    static <T> T start(
            ClusterConfig config, DataDirectory data, PortSource ports, Function<List<BrokerNode>, T> attempt) {
        for (int i = 1; ; i++) {
            List<BrokerNode> nodes = BrokerNode.layOut(config, data, ports);
            try {
                return attempt.apply(nodes);
            } catch (IllegalStateException e) {
                if (i == ATTEMPTS || nodes.stream().allMatch(PortRetry::isFree)) {
                    throw e;
                }
                data.startOver(config.brokers());
            }
        }
    }

    private static boolean isFree(BrokerNode node) {
        return PortSource.isFree(node.port()) && PortSource.isFree(node.controllerPort());
    }
}
