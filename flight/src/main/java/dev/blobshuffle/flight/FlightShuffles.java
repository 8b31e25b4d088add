package dev.blobshuffle.flight;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flight.internal.client.Answers;
import dev.blobshuffle.flight.internal.client.Channels;
import dev.blobshuffle.flight.internal.client.PartitionBytes;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A client for the shuffles of one namespace of a flight daemon. Blocks. Thread-safe.
 *
 * <p>Every method throws {@link BlobMissingException} (recoverable: run the maps that it names
 * again), {@link BlobCorruptException} (recoverable: read again, then run the map again),
 * {@link StoreUnavailableException} (recoverable: retry) and {@link InvalidSettingsException}
 * (fatal: the request or the token is wrong).
 */
public final class FlightShuffles implements AutoCloseable {
    private final ManagedChannel channel;
    private final FlightServer server;
    private final String namespace;

    private FlightShuffles(FlightServer server, String namespace) {
        this.server = server;
        this.namespace = namespace;
        channel = Channels.open(server.host(), server.port(), server.trust(), server.token());
    }

    /**
     * Creates a client of a daemon. It connects on the first call.
     *
     * @param namespace the namespace of the shuffles
     * @throws InvalidSettingsException fatal: the authority's file is unusable, or the class path
     *     mixes two releases of gRPC
     */
    public static FlightShuffles connect(FlightServer server, String namespace) {
        return new FlightShuffles(server, namespace);
    }

    /**
     * Asks the daemon to check a blob to which a writer has given its final name.
     *
     * @param path of the blob, below a directory of the namespace or relative to one
     */
    public void register(String path) {
        JsonObject body = body();
        body.addProperty("path", path);
        JsonObject ignored = act("register", body);
    }

    /**
     * Fixes the attempt of each map that all readers use. Call it again after you run maps again.
     *
     * @param maps the number of maps of the shuffle
     */
    public void commit(String shuffle, int maps) {
        JsonObject body = body(shuffle);
        body.addProperty("maps", maps);
        JsonObject ignored = act("commit", body);
    }

    /** Deletes a shuffle. Idempotent. */
    public void release(String shuffle) {
        JsonObject ignored = act("release", body(shuffle));
    }

    /** Extends the lease of a shuffle. */
    public void renew(String shuffle) {
        JsonObject ignored = act("renew", body(shuffle));
    }

    /** The daemon's statistics as a JSON object. */
    public String stats() {
        return act("stats", new JsonObject()).toString();
    }

    /**
     * Reads a partition of a committed shuffle as a stream of Arrow IPC, map by map. Close the
     * stream. It keeps two frames in memory. The last read throws {@link BlobCorruptException}
     * unless the rows of all maps arrived with matching checksums. If it does, discard the rows
     * read so far.
     *
     * @param partition counted from 0
     */
    public InputStream read(String shuffle, int partition) {
        JsonObject body = body(shuffle);
        body.addProperty("partition", partition);
        byte[] ticket =
                Base64.getDecoder().decode(act("ticket", body).get("ticket").getAsString());
        byte[] request = new ProtoWriter().bytes(1, ticket).toBytes();
        return PartitionBytes.start(
                channel.newCall(FlightMethods.DO_GET, CallOptions.DEFAULT),
                request,
                "partition " + partition + " of shuffle " + shuffle + " from " + server);
    }

    private JsonObject body() {
        JsonObject body = new JsonObject();
        body.addProperty("namespace", namespace);
        return body;
    }

    private JsonObject body(String shuffle) {
        JsonObject body = body();
        body.addProperty("shuffle", shuffle);
        return body;
    }

    private JsonObject act(String action, JsonObject body) {
        byte[] request = new ProtoWriter()
                .text(1, action)
                .bytes(2, body.toString().getBytes(StandardCharsets.UTF_8))
                .toBytes();
        byte[] answer = Answers.one(
                channel.newCall(FlightMethods.DO_ACTION, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS)),
                request,
                action + " at " + server);
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(answer));
        String json = "{}";
        while (reader.next()) {
            if (reader.field() == 1) {
                json = reader.text();
            }
        }
        return JsonParser.parseString(json).getAsJsonObject();
    }

    /** Ends all calls. Later calls throw {@link ClosedException}. Idempotent. */
    @Override
    public void close() {
        channel.shutdownNow();
    }
}
