package dev.blobshuffle.kafkaembedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;

/**
 * Kafka's server objects of one cluster in this JVM. They start and stop in parallel, because each
 * waits for the others' controllers. Owned by the thread that starts and stops the cluster.
 */
final class BrokerServers {
    private final List<KafkaRaftServer> servers;

    private BrokerServers(List<KafkaRaftServer> servers) {
        this.servers = servers;
    }

    /**
     * Starts a node for each set of properties and returns when all are serving.
     *
     * @throws IllegalStateException if a node fails or the timeout passes; no node keeps running
     */
    static BrokerServers start(List<Properties> nodes, Duration timeout) {
        List<KafkaRaftServer> servers = new ArrayList<>();
        nodes.forEach(properties -> servers.add(server(properties)));
        BrokerServers started = new BrokerServers(List.copyOf(servers));
        try {
            started.inParallel(KafkaRaftServer::startup, timeout);
            return started;
        } catch (ExecutionException e) {
            started.stopAfter(e);
            Throwable cause = e.getCause();
            throw new IllegalStateException(
                    "Cannot start a Kafka node: " + (cause == null ? e : cause)
                            + ". Check its properties and directory.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            started.stopAfter(e);
            throw new IllegalStateException("Cannot start a Kafka node: interrupted. Let the thread wait.", e);
        }
    }

    /** Creates the only node of this process. */
    static KafkaRaftServer server(Properties properties) {
        return new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
    }

    /** Shuts all nodes down gracefully. */
    void stop(Duration timeout) {
        try {
            inParallel(
                    server -> {
                        server.shutdown();
                        server.awaitShutdown();
                    },
                    timeout);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "Cannot stop a Kafka node: " + e.getCause() + ". Its threads may remain.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot stop a Kafka node: interrupted. Let the thread wait.", e);
        }
    }

    /** Stops all nodes after a failure. Adds a further failure to the first as suppressed. */
    void stopAfter(Exception failure) {
        try {
            stop(Duration.ofSeconds(30));
        } catch (IllegalStateException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Performs an action on every node in parallel. A failure interrupts the others, which may be
     * waiting for the node that failed.
     */
    private void inParallel(Consumer<KafkaRaftServer> action, Duration timeout)
            throws ExecutionException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(servers.size());
        try {
            ExecutorCompletionService<Void> done = new ExecutorCompletionService<>(threads);
            for (KafkaRaftServer server : servers) {
                done.submit(() -> action.accept(server), null);
            }
            for (int i = 0; i < servers.size(); i++) {
                Future<Void> next = done.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new ExecutionException(new IllegalStateException("no end after " + timeout));
                }
                next.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
