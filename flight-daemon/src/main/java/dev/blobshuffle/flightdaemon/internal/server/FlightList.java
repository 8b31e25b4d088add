package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import dev.blobshuffle.flightdaemon.internal.blob.BlobFooter;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.read.FlightReads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Implements ListFlights: a flight for each shuffle that a reader could read now. The action {@code
 * list} also names shuffles that are damaged or not committed. Thread-safe.
 */
final class FlightList {
    private static final long UNKNOWN = -1;

    private final Catalog catalog;

    FlightList(Catalog catalog) {
        this.catalog = catalog;
    }

    /** {@code Criteria} to {@code FlightInfo}. The expression is a namespace; empty: all. */
    List<byte[]> flights(byte[] criteria) {
        String expression = "";
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(criteria));
        while (reader.next()) {
            if (reader.field() == 1) {
                expression = reader.text();
            }
        }
        List<byte[]> flights = new ArrayList<>();
        for (String namespace : namespaces(expression)) {
            for (String shuffle : catalog.names(namespace)) {
                flight(namespace, shuffle).ifPresent(flights::add);
            }
        }
        return flights;
    }

    private List<String> namespaces(String expression) {
        Caller caller = Caller.present();
        if (expression.isEmpty()) {
            return catalog.namespaces().stream().filter(caller::may).toList();
        }
        caller.check(expression);
        return List.of(expression);
    }

    private Optional<byte[]> flight(String namespace, String name) {
        try {
            Shuffle shuffle = catalog.shuffle(namespace, name);
            OptionalInt maps = shuffle.committedMaps();
            if (maps.isEmpty()) {
                return Optional.empty();
            }
            BlobFooter first =
                    shuffle.chosen(new MapSet.Committed(maps.getAsInt())).get(0).footer();
            return Optional.of(flight(namespace, name, first));
        } catch (BlobCorruptException | BlobMissingException | RefusedException e) {
            return Optional.empty(); // GetFlightInfo says why, unless it has just been released.
        }
    }

    private static byte[] flight(String namespace, String name, BlobFooter footer) {
        ProtoWriter descriptor = new ProtoWriter()
                .number(1, FlightReads.PATH_TYPE)
                .text(3, namespace)
                .text(3, name)
                .text(3, "0-" + footer.partitions().orElse(Integer.MAX_VALUE));
        return new ProtoWriter()
                .bytes(1, FlightReads.schema(footer))
                .element(2, descriptor.toBytes())
                .number(4, UNKNOWN)
                .number(5, UNKNOWN)
                .toBytes();
    }
}
