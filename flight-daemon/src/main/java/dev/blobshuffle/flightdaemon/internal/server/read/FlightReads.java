package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import dev.blobshuffle.flightdaemon.internal.blob.BlobFooter;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.ticket.Ticket;
import dev.blobshuffle.flightdaemon.internal.ticket.TicketSigner;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Implements GetFlightInfo and GetSchema, and opens the source of a DoGet. Thread-safe. */
public final class FlightReads {
    /** {@code FlightDescriptor.DescriptorType.PATH}. */
    public static final int PATH_TYPE = 1;

    private final Catalog catalog;
    private final Footers footers;
    private final TicketSigner signer;
    private final Duration lifetime;
    private final Time time;
    private final Supplier<String> location;
    private final FlightCounters counters;

    public FlightReads(
            Catalog catalog,
            Footers footers,
            TicketSigner signer,
            Duration lifetime,
            Time time,
            Supplier<String> location,
            FlightCounters counters) {
        this.catalog = catalog;
        this.footers = footers;
        this.signer = signer;
        this.lifetime = lifetime;
        this.time = time;
        this.location = location;
        this.counters = counters;
    }

    /** The content of a descriptor. */
    private record Named(String namespace, String shuffle, PartitionRange partitions) {}

    /** {@code FlightDescriptor} to {@code FlightInfo}. */
    public List<byte[]> info(byte[] descriptor) {
        Named named = named(descriptor);
        return catalog.read(named.namespace(), named.shuffle(), shuffle -> info(descriptor, named, shuffle));
    }

    private List<byte[]> info(byte[] descriptor, Named named, Shuffle shuffle) {
        MapSet maps = committed(shuffle);
        LongAdder rows = new LongAdder();
        LongAdder bytes = new LongAdder();
        List<StoredBlob> blobs = shuffle.chosen(maps);
        footers.read(blobs, footer -> {
            footer.require(named.partitions());
            for (Container.Segment segment : footer.segments(named.partitions())) {
                rows.add(segment.rows().orElse(0));
                bytes.add(segment.length());
            }
        });
        byte[] ticket = ticket(named.namespace(), named.shuffle(), named.partitions(), maps, 0);
        return List.of(new ProtoWriter()
                .bytes(1, schema(blobs.get(0).footer()))
                .bytes(2, descriptor)
                .element(3, endpoint(ticket))
                .number(4, rows.sum())
                .number(5, bytes.sum())
                .number(6, 1)
                .toBytes());
    }

    /** {@code FlightDescriptor} to {@code SchemaResult}. */
    public List<byte[]> schema(byte[] descriptor) {
        Named named = named(descriptor);
        BlobFooter first = catalog.read(
                named.namespace(),
                named.shuffle(),
                shuffle -> shuffle.chosen(committed(shuffle)).get(0).footer());
        return List.of(new ProtoWriter().bytes(1, schema(first)).toBytes());
    }

    private byte[] endpoint(byte[] ticket) {
        byte[] signed = new ProtoWriter().bytes(1, ticket).toBytes();
        byte[] place = new ProtoWriter().text(1, location.get()).toBytes();
        byte[] expiry = new ProtoWriter()
                .number(1, (time.wallMillis() + lifetime.toMillis()) / 1000)
                .toBytes();
        return new ProtoWriter()
                .element(1, signed)
                .element(2, place)
                .element(3, expiry)
                .toBytes();
    }

    /** A signed ticket of a shuffle that exists. */
    public byte[] ticket(String namespace, String shuffle, PartitionRange partitions, MapSet maps, long startFrame) {
        long expiry = time.wallMillis() + lifetime.toMillis();
        return signer.sign(new Ticket(namespace, shuffle, partitions, maps, startFrame, expiry));
    }

    /** All maps of the current commit. */
    public MapSet committed(Shuffle shuffle) {
        return new MapSet.Committed(shuffle.committedMaps()
                .orElseThrow(() -> new RefusedException(
                        Reason.INCOMPLETE,
                        "Cannot read all maps of shuffle " + shuffle.name()
                                + ": it is not committed. Send the action commit with the number of maps first.")));
    }

    /** {@code Ticket} to frames. */
    public FrameSource open(byte[] message) {
        byte[] bytes = {};
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(message));
        while (reader.next()) {
            if (reader.field() == 1) {
                bytes = reader.array();
            }
        }
        Ticket ticket = verified(bytes);
        Caller.present().check(ticket.namespace());
        return catalog.read(
                ticket.namespace(),
                ticket.shuffle(),
                shuffle -> new FrameSource(shuffle.chosen(ticket.maps()), ticket));
    }

    private Ticket verified(byte[] bytes) {
        try {
            return signer.verify(bytes);
        } catch (RefusedException e) {
            counters.refused();
            throw e;
        }
    }

    private static Named named(byte[] descriptor) {
        long type = 0;
        List<String> path = new ArrayList<>();
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(descriptor));
        while (reader.next()) {
            switch (reader.field()) {
                case 1 -> type = reader.number();
                case 3 -> path.add(reader.text());
                default -> {
                    // A command. The type excludes it.
                }
            }
        }
        if (type != PATH_TYPE || path.size() != 3) {
            throw new IllegalArgumentException("Cannot find a flight: its descriptor has type " + type + " and "
                    + path.size() + " names. Send the path [namespace, shuffle, partition].");
        }
        Caller.present().check(path.get(0));
        return new Named(path.get(0), path.get(1), partitions(path.get(2)));
    }

    /** Parses partitions: {@code 7}, or {@code 0-8} for the partitions 0 to 7. */
    private static PartitionRange partitions(String text) {
        try {
            int dash = text.indexOf('-', 1);
            return dash < 0
                    ? PartitionRange.of(Integer.parseInt(text))
                    : new PartitionRange(
                            Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Cannot find a flight: '" + text + "' is not a partition. Send a number, or FIRST-END.", e);
        }
    }

    /** The field {@code schema} of an answer. */
    public static byte[] schema(BlobFooter footer) {
        ByteBuffer schema = footer.schema();
        byte[] bytes = new byte[schema.remaining()];
        schema.get(bytes);
        return bytes;
    }
}
