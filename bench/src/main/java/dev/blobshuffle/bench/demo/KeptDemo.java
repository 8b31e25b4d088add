package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.membership.Endpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * The demo that stays up: the commands by which you inspect its brokers, application and store.
 * Stateless.
 */
final class KeptDemo {
    private static final String HOST = "127.0.0.1";
    private static final int FIRST_PORT = 9400;
    private static final int LAST_PORT = 9800;
    private static final String TOPIC = DemoSettings.APPLICATION_ID + "-count-repartition";

    private KeptDemo() {}

    /**
     * The first of as many free ports in a row.
     *
     * @throws DemoFailedException if there are none
     */
    static Endpoint freePorts(int count) {
        for (int first = FIRST_PORT; first < LAST_PORT; first += count) {
            if (areFree(first, count)) {
                return new Endpoint(HOST, first);
            }
        }
        throw new DemoFailedException("Cannot show the metrics: no " + count + " ports in a row are free from "
                + FIRST_PORT + " to " + LAST_PORT + ". Give --metrics-listen.");
    }

    private static boolean areFree(int first, int count) {
        for (int port = first; port < first + count; port++) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }

    /** Prints the commands. */
    static void printCommands(DemoOptions options, String bootstrapServers, String store, PrintWriter out) {
        String brokers = "--bootstrap " + bootstrapServers;
        String from = " --store '" + store + "'";
        out.println();
        out.println(
                "Brokers, application and store stay up, and the feed goes on slowly for an hour. In another terminal:");
        out.println();
        out.println("    ./blobshuffle status " + brokers + " --application-id " + DemoSettings.APPLICATION_ID + from);
        out.println("    ./blobshuffle tail " + brokers + " --topic " + TOPIC + from + " --last 2 --show-data");
        FinalSweep.newest(store)
                .ifPresent(blob -> out.println("    ./blobshuffle inspect" + from + " " + blob + " --records 3"));
        for (int instance = 0; instance < options.instances(); instance++) {
            options.metrics(instance).ifPresent(address -> out.println("    curl -s http://" + address + "/metrics"));
        }
        out.println();
        out.println("Prometheus scrapes the addresses of the last lines: docs/guides/monitoring.md.");
        out.println("Ctrl-C ends everything and deletes what the demo created.");
        out.flush();
    }
}
