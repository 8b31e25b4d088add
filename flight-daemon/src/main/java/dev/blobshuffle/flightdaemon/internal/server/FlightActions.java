package dev.blobshuffle.flightdaemon.internal.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import dev.blobshuffle.flightdaemon.internal.blob.BlobName;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.read.FlightReads;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Implements DoAction and ListActions. Bodies and results are JSON. Thread-safe. */
final class FlightActions {
    private static final String NAMESPACE = "namespace";
    private static final String SHUFFLE = "shuffle";

    private final Catalog catalog;
    private final FlightReads reads;
    private final FlightCounters counters;
    private final BiConsumer<String, String> whenCommitted;
    private final Supplier<JsonObject> stats;
    private final Map<String, Action> actions = new TreeMap<>();

    private record Action(String description, Set<String> fields, Function<ActionBody, JsonObject> run) {}

    /** @param whenCommitted takes namespace and shuffle after each commit; must not block */
    FlightActions(
            Catalog catalog,
            FlightReads reads,
            FlightCounters counters,
            BiConsumer<String, String> whenCommitted,
            Supplier<JsonObject> stats) {
        this.catalog = catalog;
        this.whenCommitted = whenCommitted;
        this.reads = reads;
        this.counters = counters;
        this.stats = stats;
        add("register", "Checks a blob: namespace, path.", Set.of(NAMESPACE, "path"), this::register);
        add(
                "commit",
                "Fixes the attempts that all readers use: namespace, shuffle, maps.",
                Set.of(NAMESPACE, SHUFFLE, "maps"),
                this::commit);
        add(
                "ticket",
                "Signs a ticket: namespace, shuffle, partition or partitions [first, end], maps [[map, attempt]], start_frame.",
                Set.of(NAMESPACE, SHUFFLE, "partition", "partitions", "maps", "start_frame"),
                this::ticket);
        add("release", "Deletes a shuffle: namespace, shuffle.", Set.of(NAMESPACE, SHUFFLE), this::release);
        add("renew", "Extends the lease of a shuffle: namespace, shuffle.", Set.of(NAMESPACE, SHUFFLE), this::renew);
        add("list", "Lists the shuffles of a namespace: namespace.", Set.of(NAMESPACE), this::list);
        add("stats", "Shows what the daemon does.", Set.of(), body -> stats.get());
    }

    private void add(String name, String description, Set<String> fields, Function<ActionBody, JsonObject> run) {
        actions.put(name, new Action(description, fields, run));
    }

    /** {@code Empty} to {@code ActionType}. */
    List<byte[]> types(byte[] empty) {
        return actions.entrySet().stream()
                .map(action -> new ProtoWriter()
                        .text(1, action.getKey())
                        .text(2, action.getValue().description())
                        .toBytes())
                .toList();
    }

    /** {@code Action} to {@code Result}. */
    List<byte[]> run(byte[] message) {
        String name = "";
        byte[] body = {};
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(message));
        while (reader.next()) {
            switch (reader.field()) {
                case 1 -> name = reader.text();
                case 2 -> body = reader.array();
                default -> {
                    // A field of a later version of Flight.
                }
            }
        }
        Action action = actions.get(name);
        if (action == null) {
            throw new IllegalArgumentException(
                    "Cannot do action '" + name + "': the daemon knows " + actions.keySet() + ".");
        }
        JsonObject result = action.run().apply(new ActionBody(name, body, action.fields()));
        return List.of(new ProtoWriter()
                .bytes(1, result.toString().getBytes(StandardCharsets.UTF_8))
                .toBytes());
    }

    private static String namespace(ActionBody body) {
        String namespace = body.text(NAMESPACE);
        Caller.present().check(namespace);
        return namespace;
    }

    private JsonObject register(ActionBody body) {
        return described(catalog.register(namespace(body), body.text("path")));
    }

    private static JsonObject described(StoredBlob blob) {
        BlobName name = blob.name();
        JsonObject described = new JsonObject();
        described.addProperty("map", name.map());
        described.addProperty("attempt", name.attempt());
        described.addProperty("blob", name.id().toString());
        described.addProperty("rows", blob.footer().rows());
        described.addProperty("bytes", blob.footer().length());
        return described;
    }

    private JsonObject commit(ActionBody body) {
        String namespace = namespace(body);
        String shuffle = body.text(SHUFFLE);
        int maps = new MapSet.Committed(body.integer("maps")).maps();
        List<StoredBlob> chosen = catalog.read(namespace, shuffle, found -> found.commit(maps));
        whenCommitted.accept(namespace, shuffle);
        JsonArray attempts = new JsonArray();
        for (StoredBlob blob : chosen) {
            JsonArray attempt = new JsonArray();
            attempt.add(blob.name().map());
            attempt.add(blob.name().attempt());
            attempts.add(attempt);
        }
        JsonObject result = new JsonObject();
        result.add("maps", attempts);
        return result;
    }

    private JsonObject ticket(ActionBody body) {
        String namespace = namespace(body);
        String shuffle = body.text(SHUFFLE);
        MapSet maps = catalog.read(namespace, shuffle, found -> {
            MapSet asked = body.maps().orElseGet(() -> reads.committed(found));
            // Check here, so that an unknown map or partition does not fail only when it is read.
            found.chosen(asked).get(0).footer().require(body.partitions());
            return asked;
        });
        PartitionRange partitions = body.partitions();
        byte[] ticket = reads.ticket(namespace, shuffle, partitions, maps, body.startFrame());
        JsonObject result = new JsonObject();
        result.addProperty("ticket", Base64.getEncoder().encodeToString(ticket));
        return result;
    }

    private JsonObject release(ActionBody body) {
        catalog.release(namespace(body), body.text(SHUFFLE));
        counters.released();
        return new JsonObject();
    }

    private JsonObject renew(ActionBody body) {
        catalog.renew(namespace(body), body.text(SHUFFLE));
        return new JsonObject();
    }

    private JsonObject list(ActionBody body) {
        String namespace = namespace(body);
        JsonArray shuffles = new JsonArray();
        for (String name : catalog.names(namespace)) {
            JsonObject one = new JsonObject();
            one.addProperty(SHUFFLE, name);
            try {
                Shuffle shuffle = catalog.shuffle(namespace, name);
                one.addProperty("blobs", shuffle.blobCount());
                shuffle.committedMaps().ifPresent(maps -> one.addProperty("committed_maps", maps));
            } catch (BlobCorruptException e) {
                one.addProperty("damage", e.getMessage());
            } catch (RefusedException e) {
                continue; // The shuffle has been released meanwhile.
            }
            shuffles.add(one);
        }
        JsonObject result = new JsonObject();
        result.add("shuffles", shuffles);
        return result;
    }
}
