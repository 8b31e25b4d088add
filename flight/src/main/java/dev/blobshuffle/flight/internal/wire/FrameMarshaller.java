package dev.blobshuffle.flight.internal.wire;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Encodes frames without protobuf classes. gRPC drains them into its buffers. A body that is
 * already in such a buffer ({@link InPlace}) is not copied. Stateless.
 */
public final class FrameMarshaller implements Marshaller<FlightFrame> {
    /** Bytes per copy. They fit in a core's cache. */
    private static final int STEP = 32 << 10;

    /** A marshaller. */
    public FrameMarshaller() {}

    @Override
    public InputStream stream(FlightFrame frame) {
        return new FrameStream(frame);
    }

    @Override
    public FlightFrame parse(InputStream stream) {
        return FlightFrame.decode(ByteBuffer.wrap(BytesMarshaller.readAll(stream)));
    }

    /** Owned by gRPC, which drains it before {@code sendMessage} returns. */
    private static final class FrameStream extends InputStream implements KnownLength, Drainable {
        private final byte[] start;
        private final ByteBuffer body;
        private final Optional<InPlace> place;
        private int left;

        FrameStream(FlightFrame frame) {
            place = frame.place();
            start = place.map(InPlace::start).orElseGet(frame::start);
            body = frame.body().duplicate();
            left = Math.addExact(start.length, body.remaining());
        }

        @Override
        public int available() {
            return left;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int drained = left;
            target.write(start);
            if (place.isPresent() && place.get().isTaken()) {
                mark(place.get(), target);
            } else {
                copy(body, target);
            }
            left = 0;
            return drained;
        }

        private static void mark(InPlace place, OutputStream target) throws IOException {
            byte[] mark = InPlace.mark();
            while (place.left() > 0) {
                int before = place.left();
                int length = Math.min(mark.length, before);
                target.write(mark, 0, length);
                if (place.left() != before - length) {
                    throw new IllegalStateException("Cannot send a message in place: gRPC wrote it elsewhere.");
                }
            }
        }

        private static void copy(ByteBuffer source, OutputStream target) throws IOException {
            if (source.hasArray()) {
                target.write(source.array(), source.arrayOffset() + source.position(), source.remaining());
                return;
            }
            byte[] step = new byte[Math.min(STEP, source.remaining())];
            while (source.hasRemaining()) {
                int length = Math.min(step.length, source.remaining());
                source.get(step, 0, length);
                target.write(step, 0, length);
            }
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("Cannot read a frame byte by byte: gRPC drains it.");
        }
    }
}
