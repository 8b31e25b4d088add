package dev.blobshuffle.kstreams.chaos;

import dev.blobshuffle.kafkaembedded.ClientPath;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The connections between instances and brokers. Each instance has its own to each broker, so that
 * it can be cut off alone. Owned by the thread of the run.
 */
final class ChaosNetwork implements AutoCloseable {
    /** By instance, then by broker. */
    private final List<List<ChaosProxy>> proxies = new ArrayList<>();

    private final List<String> bootstrapServers = new ArrayList<>();

    ChaosNetwork(KafkaProcess kafka, int instances) throws IOException {
        for (int instance = 0; instance < instances; instance++) {
            int way = instance;
            List<ClientPath> paths = IntStream.range(0, kafka.brokers())
                    .mapToObj(broker -> kafka.clientPaths(broker).get(way))
                    .toList();
            bootstrapServers.add(paths.stream()
                    .map(path -> "127.0.0.1:" + path.advertisedPort())
                    .collect(Collectors.joining(",")));
            List<ChaosProxy> own = new ArrayList<>();
            proxies.add(own);
            for (ClientPath path : paths) {
                own.add(new ChaosProxy(path.advertisedPort(), path.port()));
            }
        }
    }

    /** The brokers' addresses for an instance. */
    String bootstrapServers(int instance) {
        return bootstrapServers.get(instance);
    }

    /** The connections of an instance to all brokers. */
    List<ChaosProxy> ways(int instance) {
        return proxies.get(instance);
    }

    static void block(List<ChaosProxy> ways, Set<ChaosProxy.Direction> directions) {
        ways.forEach(way -> way.block(directions));
    }

    static void heal(List<ChaosProxy> ways, ChaosProxy.Backlog backlog) {
        ways.forEach(way -> way.heal(backlog));
    }

    @Override
    public void close() throws IOException {
        for (List<ChaosProxy> own : proxies) {
            for (ChaosProxy proxy : own) {
                proxy.close();
            }
        }
    }
}
