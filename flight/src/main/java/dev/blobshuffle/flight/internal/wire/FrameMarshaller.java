package dev.blobshuffle.flight.internal.wire;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes frames without protobuf classes: gRPC drains them from the buffer that was read from the
 * file straight into its own. Stateless.
 */
public final class FrameMarshaller implements Marshaller<FlightFrame> {
    /** Copied at once, bytes: it stays in a core's cache. */
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
        private final byte[] beforeHeader;
        private final ByteBuffer header;
        private final byte[] beforeBody;
        private final ByteBuffer body;
        private int left;

        FrameStream(FlightFrame frame) {
            beforeHeader = frame.beforeHeader();
            header = frame.header().duplicate();
            beforeBody = frame.beforeBody();
            body = frame.body().duplicate();
            left = Math.addExact(
                    Math.addExact(beforeHeader.length + header.remaining(), beforeBody.length), body.remaining());
        }

        @Override
        public int available() {
            return left;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int drained = left;
            target.write(beforeHeader);
            copy(header, target);
            target.write(beforeBody);
            copy(body, target);
            left = 0;
            return drained;
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
