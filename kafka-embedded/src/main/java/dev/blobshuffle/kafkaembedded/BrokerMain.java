package dev.blobshuffle.kafkaembedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaRaftServer;

/**
 * The main class of a {@link KafkaProcess}' node. Argument: the file with the node's properties. It
 * prints {@link #READY} on standard output when the broker serves, and nothing else there; the log
 * goes to standard error. It halts when standard input ends, which means that its parent has
 * exited. It shuts down gracefully on SIGTERM.
 */
final class BrokerMain {
    static final String READY = "ready";
    private static final int FAILED = 1;

    private BrokerMain() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream toParent = System.out;
        System.setOut(System.err);
        Thread watch = new Thread(BrokerMain::haltWithParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        try {
            KafkaRaftServer server = BrokerServers.server(load(Path.of(arguments[0])));
            Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "shutdown"));
            server.startup();
            toParent.println(READY);
            toParent.flush();
            server.awaitShutdown();
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static Properties load(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return properties;
    }

    private static void haltWithParent() {
        try {
            System.in.transferTo(PrintStream.nullOutputStream());
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(FAILED);
    }
}
