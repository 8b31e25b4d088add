package dev.blobshuffle.flightdaemon.internal.server.put;

import com.google.gson.JsonObject;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.wire.ArrowHeader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import dev.blobshuffle.flight.internal.wire.PutMessage;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.MapPut;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import dev.blobshuffle.flightdaemon.internal.server.call.Statuses;
import dev.blobshuffle.flightdaemon.internal.server.call.TransferRate;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the messages of one DoPut. It requests one message at a time from gRPC, so HTTP/2's flow
 * control slows down a client that is too fast. When memory is full, it first flushes its batches
 * to a directory.
 *
 * <pre>
 *   admitted ──▶ ask for a message ──▶ keep its batch ──▶ full? ──yes──▶ flush
 *                   ▲   │ the number of rows, then the end  │ no           │
 *                   │   ▼                                   │              │
 *                   │ commit, answer                        │              │
 *                   └───────────────────────────────────────┴──────────────┘
 * </pre>
 *
 * <p>It commits only if the client states the number of rows in a last message, because a client
 * that fails midway may end its stream in the same way as one that has finished. Guarded by itself.
 */
public final class PutStream extends ServerCall.Listener<PutMessage> {
    /** The longest message, bytes. */
    public static final int LONGEST_MESSAGE = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(PutStream.class);

    /** The time for which a client may send nothing, even if no other stream waits for its slot. */
    private static final Duration SILENCE = Duration.ofMinutes(5);

    /** The interval of lease renewals. A lease lasts at least a minute. */
    private static final long RENEWAL_NANOS = Duration.ofSeconds(20).toNanos();

    private final ServerCall<PutMessage, byte[]> call;
    private final Catalog catalog;
    private final Puts puts;
    private final Holder holder;
    private final InboundBytes inbound = InboundBytes.present();
    private final TransferRate rate;
    private final TransferRate silence;
    private final Runnable whenAdmitted = this::wake;
    private long askedNanos;
    private long renewedNanos;

    /** The time spent waiting for the client, up to the last request for a message. */
    private long clientNanos;

    private @Nullable PutTarget target;
    private @Nullable MapPut put;
    private OptionalLong statedRows = OptionalLong.empty();
    private boolean hasEntered;
    private boolean hasSlot;
    private boolean isEnded;

    /** Whether a requested message has not arrived yet. */
    private boolean isAsking;

    /** Bytes of batches and their index that are charged to the budget. */
    private long charged;

    PutStream(ServerCall<PutMessage, byte[]> call, Catalog catalog, Puts puts) {
        this.call = call;
        this.catalog = catalog;
        this.puts = puts;
        holder = Holder.of(call);
        askedNanos = puts.time().nanos();
        renewedNanos = askedNanos;
        rate = TransferRate.of(puts.sharing(), 0, 0);
        silence = new TransferRate(1, SILENCE, 0, 0);
    }

    /** The resources that all streams share. */
    record Puts(
            Time time,
            Time.Workers workers,
            PutBudget memory,
            Sharing sharing,
            FlightCounters counters,
            Consumer<PutStream> whenEnded) {}

    /** Requests the first message, or waits for admission. */
    synchronized void start() {
        guarded(() -> {
            boolean isAdmitted = puts.memory().enter(holder, puts.time().nanos(), whenAdmitted);
            hasEntered = true;
            if (isAdmitted) {
                ask();
            }
        });
    }

    private synchronized void admitted() {
        ask();
    }

    private void wake() {
        puts.workers().execute(this::admitted);
    }

    private void ask() {
        if (!isEnded) {
            hasSlot = true;
            isAsking = true;
            askedNanos = puts.time().nanos();
            call.request(1);
        }
    }

    private void flushIfFull() {
        if (puts.memory().isFull()) {
            flush();
        }
    }

    private void flush() {
        MapPut present = put;
        if (present != null && present.holdsBatches()) {
            present.flush();
            settle();
        }
    }

    /** Updates the budget to the bytes that the stream holds. */
    private void settle() {
        long held = put == null ? 0 : put.heldBytes();
        long change = held - charged;
        charged = held;
        if (change != 0) {
            puts.memory().change(change);
        }
    }

    /** Runs a step that may fail because of the client or the disk. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            end(Statuses.of(e));
        }
    }

    @Override
    public synchronized void onMessage(PutMessage message) {
        if (isEnded) {
            return;
        }
        isAsking = false;
        clientNanos += puts.time().nanos() - askedNanos;
        guarded(() -> {
            take(message);
            settle();
            flushIfFull();
            ask();
        });
    }

    private void take(PutMessage message) {
        if (!message.fault().isEmpty()) {
            throw new IllegalArgumentException(message.fault());
        }
        if (statedRows.isPresent()) {
            throw invalid("a message follows the number of rows, which is the last");
        }
        MapPut present = put;
        if (present == null) {
            PutTarget named = PutTarget.read(message.descriptor());
            Caller.present().check(named.namespace());
            present = catalog.put(named.namespace(), named.shuffle(), named.attempt(), named.partitions());
            target = named;
            put = present;
        } else if (message.descriptor().length > 0) {
            throw invalid("a later message has a descriptor. Begin a stream for each map");
        }
        if (message.message().length == 0) {
            statedRows = rows(message.appMetadata());
        } else {
            store(present, message);
        }
    }

    private static OptionalLong rows(byte[] metadata) {
        if (metadata.length != Long.BYTES) {
            throw invalid("a message without a batch has " + metadata.length
                    + " bytes of metadata. The last message states the number of rows, in 8 bytes, little-endian");
        }
        return OptionalLong.of(
                ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN).getLong());
    }

    private void store(MapPut present, PutMessage message) {
        ArrowHeader header = ArrowHeader.read(message.metadata());
        if (header.bodyLength() != message.bodyLength()) {
            throw invalid("a message has a body of " + message.bodyLength() + " bytes, and its metadata says "
                    + header.bodyLength());
        }
        switch (header.kind()) {
            case SCHEMA -> present.schema(message.message());
            case DICTIONARY -> present.dictionary(header.dictionary().orElseThrow(), message.message());
            case BATCH -> {
                present.batch(partition(message.appMetadata()), header.rows(), message.message());
                puts.counters().received(message.message().length);
            }
        }
    }

    private int partition(byte[] metadata) {
        PutTarget named = target;
        if (metadata.length != Integer.BYTES || named == null) {
            throw invalid("a batch has " + metadata.length
                    + " bytes of metadata. Name its partition, in 4 bytes, little-endian");
        }
        int partition = ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (partition < 0 || partition >= named.partitions()) {
            throw invalid("a batch is of partition " + Integer.toUnsignedString(partition)
                    + ", and the descriptor says that there are " + named.partitions());
        }
        return partition;
    }

    private static IllegalArgumentException invalid(String reason) {
        return new IllegalArgumentException("Cannot put a map: " + reason + ".");
    }

    @Override
    public synchronized void onHalfClose() {
        guarded(this::commit);
    }

    private void commit() {
        MapPut present = put;
        PutTarget named = target;
        if (isEnded) {
            return;
        }
        if (present == null || named == null) {
            throw invalid("the stream ended without a message");
        }
        if (statedRows.isEmpty()) {
            throw invalid("the stream ended without the number of rows, so it may be incomplete. Send it last");
        }
        if (statedRows.getAsLong() != present.rows()) {
            throw invalid("the client states " + statedRows.getAsLong() + " rows, and " + present.rows() + " came");
        }
        MapPut.Stored stored = present.commit();
        puts.counters().put();
        cleanUp(); // Before the answer, because the client may put its next map at once.
        call.sendHeaders(new Metadata());
        call.sendMessage(new ProtoWriter().bytes(1, answer(named, stored)).toBytes());
        call.close(Status.OK, new Metadata());
    }

    private static byte[] answer(PutTarget target, MapPut.Stored stored) {
        JsonObject ref = new JsonObject();
        ref.addProperty("shuffle", target.shuffle());
        ref.addProperty("map", target.attempt().map());
        ref.addProperty("attempt", target.attempt().attempt());
        ref.addProperty("partitions", target.partitions());
        ref.addProperty("blob", stored.id());
        ref.addProperty("path", "shuffles/" + target.shuffle() + "/" + stored.file());
        ref.addProperty("length", stored.length());
        ref.addProperty("rows", stored.rows());
        ref.addProperty("checksum", Integer.toUnsignedLong(stored.footerChecksum()));
        ref.addProperty("in_memory", stored.isInMemory());
        return ref.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Checks the stream. It frees memory that others wait for. It ends if its client sends nothing,
     * or less than the least rate while others wait for its slot. The time of writes to a disk does
     * not count.
     */
    synchronized void watch() {
        if (isEnded) {
            return;
        }
        guarded(this::flushIfFull);
        renew();
        if (!isAsking) {
            return;
        }
        long waited = clientNanos + puts.time().nanos() - askedNanos;
        long bytes = inbound.count();
        if (!puts.memory().isWanted(holder.tenant())) {
            rate.restart(waited, bytes);
        } else if (rate.isTooSlow(waited, bytes)) {
            puts.counters().tooSlow();
            end("the client sent less than " + puts.sharing().asked()
                    + " while others waited to put. Begin again with the next attempt when batches are ready, and send"
                    + " them faster");
        }
        if (!isEnded && silence.isTooSlow(waited, bytes)) {
            puts.counters().stalled();
            end(
                    "the client sent nothing for " + SILENCE.toSeconds()
                            + " s while it held memory of the daemon. Begin again with the next attempt when batches are ready");
        }
    }

    /** Ends the stream because another tenant needs its slot. */
    synchronized void giveWay() {
        if (!isEnded) {
            puts.counters().gaveWay();
            end("another tenant waited for " + puts.sharing().longestWait().toMillis() / 1000.0
                    + " s, and yours has the most puts. Put the next attempt of the map, and fewer maps at a time");
        }
    }

    private void end(String reason) {
        end(Status.UNAVAILABLE.withDescription("Cannot put a map: " + reason + "."));
    }

    /** The tenant of the put. */
    Object tenant() {
        return holder.tenant();
    }

    /** The number of bytes that have arrived; empty if the stream waits for a slot. */
    synchronized Optional<Long> progress() {
        return hasSlot && !isEnded ? Optional.of(inbound.count()) : Optional.empty();
    }

    /** Renews the shuffle's lease during a long put. */
    private void renew() {
        MapPut present = put;
        long now = puts.time().nanos();
        if (present != null && now - renewedNanos > RENEWAL_NANOS) {
            renewedNanos = now;
            present.renew(puts.time().wallMillis());
        }
    }

    @Override
    public synchronized void onCancel() {
        cleanUp();
    }

    @Override
    public synchronized void onComplete() {
        cleanUp();
    }

    private void end(Status status) {
        if (isEnded) {
            return;
        }
        cleanUp();
        puts.counters().putFailed();
        call.close(status, new Metadata());
    }

    /** Releases the resources, and discards everything that is not committed. */
    private void cleanUp() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        isAsking = false;
        MapPut present = put;
        put = null;
        try {
            if (present != null) {
                present.close();
            }
        } catch (StoreUnavailableException e) {
            LOG.warn("Cannot delete the files of an unfinished put. {}", e.getMessage());
        } finally {
            settle();
            if (hasEntered) {
                puts.memory().leave(holder, whenAdmitted);
            }
            puts.whenEnded().accept(this);
        }
    }
}
