package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.wire.ArrowMessage;
import dev.blobshuffle.flight.internal.wire.FlightFrame;
import dev.blobshuffle.flight.internal.wire.InPlace;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import dev.blobshuffle.flightdaemon.internal.server.call.Statuses;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends the frames of one DoGet. It sends while gRPC is ready. Otherwise it reads one frame ahead,
 * so the next frame is available when gRPC has room. The memory budget counts frames that are read
 * and that gRPC has not sent.
 *
 * <pre>
 *   ready, frame read ──▶ send ──▶ ready? ──▶ take bytes of the budget ──▶ read, verify ──▶ send …
 *                                    │ no                  │ none left
 *                                    ▼                     ▼
 *                          read one ahead; wait      wait for the budget
 * </pre>
 *
 * <p>Any thread may {@link #wake} it. At most one of the daemon's threads runs it. A thread that
 * wakes a running stream sets a flag; the stream checks the flag before it stops.
 */
public final class PartitionStream {
    /** The threshold below which gRPC asks for more, bytes in its queue. */
    static final int READY_BYTES = 8 << 20;

    /** The bytes after which other streams get their turn. */
    private static final long TURN_BYTES = 32L << 20;

    /**
     * The space before a frame in its buffer, for the start of its message including the summary.
     */
    private static final int ROOM = 4 << 10;

    /**
     * The smallest frame that is sent in place. Smaller frames are copied, so they do not keep much
     * larger buffers in gRPC.
     */
    private static final int SMALLEST_IN_PLACE = 32 << 10;

    private static final ByteBuffer NO_BUFFER = ByteBuffer.allocate(0);

    private final ServerCall<byte[], FlightFrame> call;
    private final FrameSource source;
    private final Serving serving;
    private final Holder holder;
    private final Time.Workers workers;
    private final AtomicInteger wakes = new AtomicInteger();
    private final Runnable wake = this::wake;
    private volatile boolean isCancelled;
    private volatile long progressNanos;
    private volatile boolean isWaiting;

    private boolean isStarted;
    private boolean isEnded;

    /** Bytes that gRPC may still hold. */
    private long queued;

    private int threshold;

    /** The frame that was read ahead; null if there is none, empty if the frame is in memory. */
    private @Nullable ByteBuffer ahead;

    private int aheadLength;
    private List<ArrowMessage> messages = List.of();

    /** The resources that all streams share. */
    public record Serving(
            Time time,
            Time.Workers workers,
            CopyReaders copies,
            FrameBuffers buffers,
            MessageAllocator allocator,
            FlightCounters counters) {
        MemoryBudget memory() {
            return copies.memory();
        }
    }

    PartitionStream(ServerCall<byte[], FlightFrame> call, FrameSource source, Serving serving) {
        this.call = call;
        this.source = source;
        this.serving = serving;
        workers = source.readsCopies() ? serving.copies().workers() : serving.workers();
        holder = Holder.of(call);
        progressNanos = serving.time().nanos();
    }

    /** Makes it check again, because gRPC or the budget may have room. */
    void wake() {
        if (wakes.getAndIncrement() == 0) {
            workers.execute(this::run);
        }
    }

    /** Ends the stream: the client has disconnected, or everything has been sent. */
    void ended() {
        isCancelled = true;
        wake();
    }

    /** The time for which it has waited for its client; 0 if it does not wait. */
    long stalledNanos() {
        return isWaiting ? serving.time().nanos() - progressNanos : 0;
    }

    /** The time since its client last had room for more. */
    long idleNanos() {
        return serving.time().nanos() - progressNanos;
    }

    /** The client that reads the stream. */
    Holder holder() {
        return holder;
    }

    private void run() {
        int seen = wakes.get();
        boolean isUnfinished = false;
        try {
            isUnfinished = turn();
        } catch (RuntimeException | Error e) {
            end(Statuses.of(e));
        }
        if (isUnfinished || wakes.addAndGet(-seen) != 0) {
            workers.execute(this::run);
        }
    }

    /** Sends until a resource is missing; returns whether it can continue at once. */
    private boolean turn() {
        if (isCancelled) {
            cleanUp();
            return false;
        }
        if (isEnded) {
            return false;
        }
        start();
        long turn = 0;
        while (!isCancelled) {
            boolean isReady = isReady();
            if (ahead == null) {
                if (!source.advance()) {
                    end(Status.OK);
                    return false;
                }
                if (!mayRead(isReady)) {
                    return false;
                }
                read();
            }
            if (!isReady) {
                return false;
            }
            turn += send();
            if (turn > TURN_BYTES) {
                return true;
            }
        }
        return true;
    }

    /** Whether gRPC is ready. If so, it has sent all bytes except the threshold. */
    private boolean isReady() {
        boolean isReady = call.isReady();
        if (isReady) {
            giveBack(threshold == 1 ? queued : Math.max(0, queued - threshold));
            progressNanos = serving.time().nanos();
            watch(READY_BYTES);
        }
        isWaiting = !isReady;
        return isReady;
    }

    private boolean mayRead(boolean isReady) {
        int length = source.length();
        if (!isReady) {
            return serving.memory().tryAcquire(holder, length);
        }
        boolean hasRoom = serving.memory().acquire(holder, length, queued, wake);
        if (!hasRoom && queued > 0) {
            // Others may wait for this stream's memory, so it must learn when all bytes have been
            // sent.
            watch(1);
            if (call.isReady()) {
                giveBack(queued);
            } else {
                isWaiting = true;
            }
        }
        return hasRoom;
    }

    /** Makes gRPC call when it has less than this number of bytes queued. */
    private void watch(int bytes) {
        if (threshold != bytes) {
            threshold = bytes;
            call.setOnReadyThreshold(bytes);
        }
    }

    private void start() {
        if (!isStarted) {
            isStarted = true;
            watch(READY_BYTES);
            call.sendHeaders(new Metadata());
            FlightFrame schema = FlightFrame.of(source.schemaMessage());
            if (source.advance()) {
                call.sendMessage(schema);
            } else {
                call.sendMessage(schema.with(Summary.of(source.sent())));
                end(Status.OK);
            }
        }
    }

    private void read() {
        int length = source.length();
        aheadLength = length;
        boolean isHeld = source.isHeld();
        ByteBuffer buffer = isHeld ? NO_BUFFER : serving.buffers().lend(ROOM + length);
        ahead = buffer;
        for (ArrowMessage dictionary : source.takeDictionaries()) {
            call.sendMessage(FlightFrame.of(dictionary).with(new byte[] {FlightFrame.PRELUDE}));
        }
        messages = source.read(isHeld ? buffer : buffer.slice(ROOM, length));
    }

    private long send() {
        ByteBuffer buffer = ahead;
        if (buffer == null) {
            return 0;
        }
        int length = aheadLength;
        List<ArrowMessage> sent = messages;
        queued += length;
        messages = List.of();
        ahead = null; // From here on gRPC may own it, even if sending fails.
        boolean isLast = !source.advance();
        boolean isGiven = false;
        for (int i = 0; i < sent.size(); i++) {
            FlightFrame frame = FlightFrame.of(sent.get(i));
            boolean isVeryLast = isLast && i == sent.size() - 1;
            isGiven = send(isVeryLast ? frame.with(Summary.of(source.sent())) : frame, buffer, sent.size() == 1);
        }
        serving.counters().sent(length);
        if (!isGiven) {
            serving.buffers().giveBack(buffer);
        }
        return length;
    }

    /**
     * Sends a message.
     *
     * @param isAlone whether the buffer contains nothing else
     * @return whether gRPC owns the buffer now
     */
    private boolean send(FlightFrame frame, ByteBuffer buffer, boolean isAlone) {
        if (isAlone && frame.body().remaining() >= SMALLEST_IN_PLACE && buffer.isDirect()) {
            int bodyAt = ROOM + ArrowMessage.PREFIX_LENGTH + frame.header().remaining();
            Optional<InPlace> place = InPlace.of(frame, buffer, bodyAt);
            if (place.isPresent()) {
                return serving.allocator().send(place.get(), () -> call.sendMessage(frame.in(place.get())));
            }
        }
        call.sendMessage(frame);
        return false;
    }

    private void giveBack(long bytes) {
        if (bytes > 0) {
            queued -= bytes;
            serving.memory().release(holder, bytes);
        }
    }

    private void end(Status status) {
        if (isEnded) {
            return;
        }
        isEnded = true;
        isWaiting = status.isOk();
        dropAhead();
        source.close();
        if (!status.isOk()) {
            serving.counters().failed();
        }
        if (!isCancelled) {
            call.close(status, new Metadata());
        }
    }

    /** Releases the resources after the end of the call. */
    private void cleanUp() {
        isEnded = true;
        isWaiting = false;
        serving.memory().forget(wake);
        dropAhead();
        source.close();
        giveBack(queued);
    }

    private void dropAhead() {
        ByteBuffer buffer = ahead;
        ahead = null;
        if (buffer != null) {
            serving.buffers().giveBack(buffer);
            serving.memory().release(holder, aheadLength);
        }
    }
}
