package dev.blobshuffle.flight.internal.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.flight.internal.wire.ArrowMessage;
import dev.blobshuffle.flight.internal.wire.Crc32cSum;
import dev.blobshuffle.flight.internal.wire.FlightFrame;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The result of a DoGet as an Arrow IPC stream, verified at its end. gRPC reads at most two frames
 * ahead. It is also a channel, for readers with memory outside the heap. Owned by one thread.
 */
public final class PartitionBytes extends InputStream implements ReadableByteChannel {
    private static final int AHEAD = 2;
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final ClientCall<byte[], FlightFrame> call;
    private final String what;
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final CRC32C checksum = new CRC32C();
    private long bytes;
    private Optional<byte[]> summary = Optional.empty();
    private ByteBuffer[] present = {};
    private int at;
    private boolean isEnded;

    /** A received frame, or the end of the call. */
    private record Received(
            @Nullable FlightFrame frame, @Nullable Status end) {}

    private PartitionBytes(ClientCall<byte[], FlightFrame> call, String what) {
        this.call = call;
        this.what = what;
    }

    /** Starts the call. */
    public static InputStream start(ClientCall<byte[], FlightFrame> call, byte[] request, String what) {
        PartitionBytes bytes = new PartitionBytes(call, what);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(FlightFrame frame) {
                        bytes.received.add(new Received(frame, null));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        bytes.received.add(new Received(null, status));
                    }
                },
                new Metadata());
        call.request(AHEAD);
        call.sendMessage(request);
        call.halfClose();
        return bytes;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        return read(ByteBuffer.wrap(target, offset, length));
    }

    @Override
    public int read(ByteBuffer target) {
        if (!target.hasRemaining()) {
            return 0;
        }
        while (at == present.length) {
            if (isEnded) {
                return -1;
            }
            next();
        }
        ByteBuffer part = present[at];
        int count = Math.min(target.remaining(), part.remaining());
        target.put(part.slice().limit(count));
        part.position(part.position() + count);
        while (at < present.length && !present[at].hasRemaining()) {
            at++;
        }
        return count;
    }

    private void next() {
        try {
            Received next = received.take();
            at = 0;
            present = new ByteBuffer[0];
            FlightFrame frame = next.frame();
            if (frame != null) {
                call.request(1);
                present = message(frame);
                return;
            }
            isEnded = true;
            Status end = next.end();
            if (end != null && !end.isOk()) {
                throw Failures.of(end, "read " + what);
            }
            verify();
            present = new ByteBuffer[] {ByteBuffer.wrap(END)};
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            call.cancel("interrupted", e);
            throw new WaitInterruptedException("Cannot read " + what + ": the thread was interrupted.", e);
        }
    }

    private ByteBuffer[] message(FlightFrame frame) {
        boolean isPrelude = frame.appMetadata().length == 1 && frame.appMetadata()[0] == FlightFrame.PRELUDE;
        if (frame.appMetadata().length > 1) {
            summary = Optional.of(frame.appMetadata());
        }
        if (!frame.header().hasRemaining()) {
            return new ByteBuffer[0];
        }
        ByteWriter prefix = new ByteWriter();
        prefix.fixedInt(-1);
        prefix.fixedInt(frame.header().remaining());
        ByteBuffer[] parts = {
            ByteBuffer.wrap(prefix.toArray()),
            frame.header().slice(),
            frame.body().slice()
        };
        ArrowMessage.Kind kind = kind(parts);
        if (!isPrelude && kind != ArrowMessage.Kind.SCHEMA) {
            for (ByteBuffer part : parts) {
                bytes += part.remaining();
                checksum.update(part.duplicate());
            }
        }
        return frame.body().hasRemaining() ? parts : new ByteBuffer[] {parts[0], parts[1]};
    }

    private ArrowMessage.Kind kind(ByteBuffer[] parts) {
        return ArrowMessage.kind(parts[1], what);
    }

    private void verify() {
        JsonObject stated;
        try {
            String text = new String(summary.orElse(new byte[0]), StandardCharsets.UTF_8);
            stated = JsonParser.parseString(text).getAsJsonObject();
        } catch (RuntimeException e) {
            throw new BlobCorruptException("Cannot read " + what + ": its summary did not come. Read it again.", e);
        }
        Crc32cSum expected = new Crc32cSum();
        long length = 0;
        for (JsonElement map : stated.getAsJsonArray("maps")) {
            JsonObject one = map.getAsJsonObject();
            expected.add(
                    HexFormat.fromHexDigits(one.get("crc32c").getAsString()),
                    one.get("bytes").getAsLong());
            length += one.get("bytes").getAsLong();
        }
        if (length != bytes || expected.value() != (int) checksum.getValue()) {
            throw new BlobCorruptException("Cannot read " + what + ": " + bytes
                    + " bytes came with another checksum than the " + length + " that the daemon sent. Read it again.");
        }
    }

    @Override
    public boolean isOpen() {
        return !isEnded || at < present.length;
    }

    /** Ends the call if it has not ended. Idempotent. */
    @Override
    public void close() {
        at = present.length;
        if (!isEnded) {
            isEnded = true;
            call.cancel("closed by the reader", null);
        }
    }
}
