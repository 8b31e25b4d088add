package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.flight.internal.wire.BytesMarshaller;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A DoPut with arbitrary messages. Owned by the test thread. */
final class RawPut {
    private static final MethodDescriptor<byte[], byte[]> DO_PUT = MethodDescriptor.newBuilder(
                    new BytesMarshaller(), new BytesMarshaller())
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(FlightMethods.SERVICE, "DoPut"))
            .build();

    private final ClientCall<byte[], byte[]> call;
    private final CompletableFuture<Status> ended = new CompletableFuture<>();
    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final Semaphore ready = new Semaphore(0);

    RawPut(ManagedChannel channel) {
        call = channel.newCall(DO_PUT, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(message));
                        result.complete(reader.next() ? reader.text() : "");
                    }

                    @Override
                    public void onReady() {
                        ready.release();
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.complete(status);
                        ready.release();
                    }
                },
                new Metadata());
        call.request(2);
    }

    /**
     * The metadata of a message: kind, body length, and the number of rows or the dictionary's id.
     */
    static byte[] header(int kind, long value, boolean isDelta, long bodyLength) {
        ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(16); // Offset of the root table. Its vtable comes first.
        bytes.putShort((short) 12).putShort((short) 20);
        bytes.putShort((short) 0).putShort((short) 4).putShort((short) 8).putShort((short) 12);
        bytes.putInt(12).put(20, (byte) kind).putInt(24, 24).putLong(28, bodyLength);
        // The table of the kind: rows or id, and whether the dictionary is a delta.
        bytes.position(36);
        bytes.putShort((short) 10).putShort((short) 13);
        bytes.putShort((short) 4).putShort((short) 0).putShort((short) 12);
        bytes.putInt(48, 12).putLong(52, value).put(60, (byte) (isDelta ? 1 : 0));
        return bytes.array();
    }

    static byte[] schema() {
        return header(1, 0, false, 0);
    }

    /** A message in the form in which the daemon stores it. */
    static byte[] stored(byte[] header, byte[] body) {
        return ByteBuffer.allocate(8 + header.length + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(-1)
                .putInt(header.length)
                .put(header)
                .put(body)
                .array();
    }

    static byte[] path(Object... names) {
        ProtoWriter writer = new ProtoWriter().number(1, 1);
        for (Object name : names) {
            writer.text(3, name.toString());
        }
        return writer.toBytes();
    }

    static byte[] partition(int partition) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(partition)
                .array();
    }

    static byte[] message(byte[] descriptor, byte[] header, byte[] appMetadata, byte[] body) {
        return new ProtoWriter()
                .bytes(1, descriptor)
                .bytes(2, header)
                .bytes(3, appMetadata)
                .bytes(1000, body)
                .toBytes();
    }

    RawPut begin(Object... path) {
        return send(message(path(path), schema(), new byte[0], new byte[0]));
    }

    RawPut batch(int partition, long rows, byte[] body) {
        return send(message(new byte[0], header(3, rows, false, body.length), partition(partition), body));
    }

    RawPut dictionary(long id, byte[] body) {
        return send(message(new byte[0], header(2, id, false, body.length), new byte[0], body));
    }

    RawPut rows(long rows) {
        byte[] number = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(rows)
                .array();
        return send(message(new byte[0], new byte[0], number, new byte[0]));
    }

    /** Sends a message without checking it. */
    RawPut send(byte[] message) {
        call.sendMessage(message);
        return this;
    }

    /** Waits until the daemon accepts more; returns false after the time limit. */
    boolean awaitReady(int millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!call.isReady() && !ended.isDone()) {
            if (!ready.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        return true;
    }

    /** Ends the stream and returns the ref. */
    String finish() {
        call.halfClose();
        Status status = status();
        if (!status.isOk()) {
            throw status.asRuntimeException();
        }
        return result.join();
    }

    /** Ends the stream and returns the ref, which may come before the end of the call. */
    String answer() {
        call.halfClose();
        CompletableFuture.anyOf(result, ended).orTimeout(120, TimeUnit.SECONDS).join();
        if (!result.isDone()) {
            throw status().asRuntimeException();
        }
        return result.join();
    }

    /** Ends the stream, which the daemon must refuse. */
    Status refusal() {
        call.halfClose();
        return status();
    }

    /** Whether the daemon has ended the stream. */
    boolean isEnded() {
        return ended.isDone();
    }

    void cancel() {
        call.cancel("the test", null);
    }

    Status status() {
        return ended.orTimeout(120, TimeUnit.SECONDS).join();
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
