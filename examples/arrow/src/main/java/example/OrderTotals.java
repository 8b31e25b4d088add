package example;

import dev.blobshuffle.arrow.ArrowPartitions;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flight.KeyPartitions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Shuffles orders by customer through a flight daemon, and adds up each customer's orders. Prints
 * the totals and ends.
 */
public final class OrderTotals {
    private static final int ORDERS = 3_000;
    private static final int CUSTOMERS = 5;
    private static final int MAPS = 2;
    private static final int PARTITIONS = 4;
    private static final KeyPartitions KEYS = new KeyPartitions(PARTITIONS);
    private static final Schema ORDER = new Schema(List.of(
            Field.notNullable("customer", ArrowType.Utf8.INSTANCE),
            Field.notNullable("amount", new ArrowType.Int(64, true))));

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("FLIGHT_PORT", "8815"));
        String shuffle = "orders-" + System.currentTimeMillis();
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = FlightClient.builder(allocator, Location.forGrpcInsecure("localhost", port))
                        .build();
                FlightShuffles shuffles = FlightShuffles.connect(FlightServer.insecureLoopback(port), "default")) {
            try {
                for (int map = 0; map < MAPS; map++) {
                    write(client, allocator, shuffle, map);
                }
                shuffles.commit(shuffle, MAPS);
                add(shuffles, allocator, shuffle)
                        .forEach((customer, total) -> System.out.println(customer + " " + total));
            } finally {
                shuffles.release(shuffle);
            }
        }
    }

    /** Writes every second order, in one batch per partition. */
    private static void write(FlightClient client, BufferAllocator allocator, String shuffle, int map)
            throws Exception {
        FlightDescriptor descriptor = FlightDescriptor.path(
                "default", shuffle, Integer.toString(map), "0", Integer.toString(PARTITIONS));
        try (VectorSchemaRoot orders = VectorSchemaRoot.create(ORDER, allocator);
                SyncPutListener answers = new SyncPutListener()) {
            ClientStreamListener writer = client.startPut(descriptor, orders, answers);
            long rows = 0;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                fill(orders, map, partition);
                writer.putNext(number(allocator, Integer.BYTES, partition));
                rows += orders.getRowCount();
            }
            // The daemon stores nothing without the number of rows.
            writer.putMetadata(number(allocator, Long.BYTES, rows));
            writer.completed();
            answers.read().close();
            // The next put of this connection may begin when this one has ended.
            writer.getResult();
        }
    }

    private static void fill(VectorSchemaRoot orders, int map, int partition) {
        VarCharVector customers = (VarCharVector) orders.getVector("customer");
        BigIntVector amounts = (BigIntVector) orders.getVector("amount");
        orders.allocateNew();
        int rows = 0;
        for (int order = map; order < ORDERS; order += MAPS) {
            String customer = "customer-" + order % CUSTOMERS;
            if (KEYS.of(List.of(customer)) == partition) {
                customers.setSafe(rows, customer.getBytes(StandardCharsets.UTF_8));
                amounts.setSafe(rows, order);
                rows++;
            }
        }
        orders.setRowCount(rows);
    }

    /** A little-endian number, as the daemon expects it. */
    private static ArrowBuf number(BufferAllocator allocator, int bytes, long value) {
        ArrowBuf buffer = allocator.buffer(bytes);
        for (int i = 0; i < bytes; i++) {
            buffer.writeByte((int) (value >>> 8 * i));
        }
        return buffer;
    }

    private static Map<String, Long> add(FlightShuffles shuffles, BufferAllocator allocator, String shuffle)
            throws IOException {
        Map<String, Long> totals = new TreeMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (ArrowReader reader = ArrowPartitions.read(shuffles, shuffle, partition, allocator)) {
                while (reader.loadNextBatch()) {
                    VectorSchemaRoot orders = reader.getVectorSchemaRoot();
                    for (int row = 0; row < orders.getRowCount(); row++) {
                        String customer = new String(
                                ((VarCharVector) orders.getVector("customer")).get(row), StandardCharsets.UTF_8);
                        totals.merge(customer, ((BigIntVector) orders.getVector("amount")).get(row), Long::sum);
                    }
                }
            }
        }
        return totals;
    }
}
