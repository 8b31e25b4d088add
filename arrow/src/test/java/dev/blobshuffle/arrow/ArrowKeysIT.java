package dev.blobshuffle.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.FlightDaemon;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of each type that arrow-java has, put by key with arrow-java's client. Python compares the
 * partitions with its own.
 */
class ArrowKeysIT {
    private static final SystemTime TIME = new SystemTime();
    private static final int PARTITIONS = 7;

    @TempDir
    private static Path directory;

    private static FlightDaemon daemon;

    @BeforeAll
    static void start() {
        daemon = ArrowDaemons.insecure(directory, TIME);
    }

    @AfterAll
    static void close() {
        daemon.close();
        TIME.close();
    }

    /** Puts the rows of a partition, each as a batch in the partition of its key. */
    private static void put(
            FlightClient client, BufferAllocator allocator, ArrowReader reader, String target, List<String> names)
            throws Exception {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        FlightDescriptor descriptor = FlightDescriptor.path("default", target, "0", "0", Integer.toString(PARTITIONS));
        ArrowKeys keys = ArrowKeys.of(root, reader, names, PARTITIONS);
        ClientStreamListener writer = null;
        try (SyncPutListener answers = new SyncPutListener();
                VectorSchemaRoot one = VectorSchemaRoot.create(root.getSchema(), allocator)) {
            long rows = 0;
            while (reader.loadNextBatch()) {
                if (writer == null) {
                    // Begins with the dictionaries of the first batch.
                    writer = client.startPut(descriptor, one, reader, answers);
                }
                for (int row = 0; row < root.getRowCount(); row++) {
                    copy(root, row, one);
                    writer.putNext(ArrowDaemons.metadata(allocator, Integer.BYTES, keys.partition(row)));
                }
                rows += root.getRowCount();
            }
            writer.putMetadata(ArrowDaemons.metadata(allocator, Long.BYTES, rows));
            writer.completed();
            answers.read().close();
            // The next put of this connection may begin when this one has ended.
            writer.getResult();
        }
    }

    private static void copy(VectorSchemaRoot from, int row, VectorSchemaRoot to) {
        to.allocateNew();
        for (FieldVector column : to.getFieldVectors()) {
            if (!(column instanceof NullVector)) {
                column.copyFromSafe(row, 0, from.getVector(column.getName()));
            }
        }
        to.setRowCount(1);
    }

    @Test
    void rowsAreWhereThePackagePlacesThem() throws Exception {
        String program = Python.program("keys.py");
        List<String> keys = Python.run(
                        List.of(program, "write", directory.toString(), "keys", Integer.toString(PARTITIONS), "java"))
                .lines()
                .toList();
        try (BufferAllocator allocator = new RootAllocator();
                FlightShuffles shuffles =
                        FlightShuffles.connect(FlightServer.insecureLoopback(daemon.port()), "default");
                FlightClient client = FlightClient.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", daemon.port()))
                        .build()) {
            shuffles.commit("keys", 1);
            for (int number = 0; number < keys.size(); number++) {
                try (ArrowReader reader = ArrowPartitions.read(shuffles, "keys", 0, allocator)) {
                    String target = "placed-" + number;
                    put(
                            client,
                            allocator,
                            reader,
                            target,
                            List.of(keys.get(number).split(",")));
                    shuffles.commit(target, 1);
                }
            }
        }
        List<String> check = new ArrayList<>(List.of(
                program, "check", Integer.toString(daemon.port()), "keys", "placed", Integer.toString(PARTITIONS)));
        check.addAll(keys);
        assertThat(keys).hasSizeGreaterThan(40);
        assertThat(Python.run(check)).isEqualTo(keys.size() + "\n");
    }
}
