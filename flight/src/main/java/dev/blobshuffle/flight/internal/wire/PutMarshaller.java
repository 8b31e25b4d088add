package dev.blobshuffle.flight.internal.wire;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decodes {@code FlightData} into the stored form of the Arrow IPC message. The body is copied
 * once, from gRPC's buffers to its final place. An unreadable message becomes a message with a
 * fault, because gRPC does not send the text of an exception to the client. Stateless.
 */
public final class PutMarshaller implements Marshaller<PutMessage> {
    private static final int DESCRIPTOR = 1;
    private static final int HEADER = 2;
    private static final int APP_METADATA = 3;
    private static final int BODY = 1000;

    /** A marshaller. */
    public PutMarshaller() {}

    @Override
    public InputStream stream(PutMessage message) {
        throw new UnsupportedOperationException("Cannot send a put: this is the server's side.");
    }

    @Override
    public PutMessage parse(InputStream stream) {
        try {
            return new Parser(stream).parse();
        } catch (IllegalArgumentException | EOFException e) {
            return PutMessage.malformed("Cannot read a message: " + e.getMessage() + ". Send FlightData.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Owned by one call of the marshaller. */
    private static final class Parser {
        private static final byte[] NONE = {};

        private final InputStream stream;

        /** The number of bytes left. gRPC knows the total. */
        private int left;

        private byte[] descriptor = NONE;
        private byte[] header = NONE;
        private byte[] appMetadata = NONE;

        /** The body alone if it came before the header; else the whole message. */
        private byte[] body = NONE;

        private boolean isPlaced;

        Parser(InputStream stream) throws IOException {
            // The stream of a decompressed message does not know its length.
            this.stream = stream instanceof KnownLength ? stream : new ByteArrayInputStream(stream.readAllBytes());
            left = this.stream.available();
        }

        PutMessage parse() throws IOException {
            while (left > 0) {
                long tag = varlong();
                int type = (int) (tag & 7);
                switch ((int) Math.min(tag >>> 3, Integer.MAX_VALUE)) {
                    case DESCRIPTOR -> descriptor = bytes(type);
                    case APP_METADATA -> appMetadata = bytes(type);
                    case HEADER -> {
                        require(!isPlaced && header.length == 0, "it has two headers, or one after its body");
                        header = bytes(type);
                    }
                    case BODY -> {
                        require(body.length == 0, "it has two bodies");
                        body(type);
                    }
                    default -> skip(type);
                }
            }
            return new PutMessage(descriptor, appMetadata, message(), padded(header.length), "");
        }

        private void body(int type) throws IOException {
            int length = length(type);
            int start = header.length == 0 ? 0 : ArrowMessage.PREFIX_LENGTH + padded(header.length);
            body = new byte[Math.addExact(start, length)];
            isPlaced = start > 0;
            fill(body, start, length);
        }

        private byte[] message() {
            if (header.length == 0) {
                require(body.length == 0, "it has a body without a header");
                return NONE;
            }
            int start = ArrowMessage.PREFIX_LENGTH + padded(header.length);
            byte[] message = body;
            if (!isPlaced) {
                message = new byte[Math.addExact(start, body.length)];
                System.arraycopy(body, 0, message, start, body.length);
            }
            ByteBuffer.wrap(message)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(-1)
                    .putInt(padded(header.length))
                    .put(header);
            return message;
        }

        private static int padded(int length) {
            return length + 7 & ~7;
        }

        private byte[] bytes(int type) throws IOException {
            byte[] bytes = new byte[length(type)];
            fill(bytes, 0, bytes.length);
            return bytes;
        }

        /** Reads a length, which never exceeds the rest of the message. */
        private int length(int type) throws IOException {
            require(type == 2, "a field has wire type " + type);
            long length = varlong();
            require(
                    length >= 0 && length <= left,
                    "a field has " + Long.toUnsignedString(length) + " bytes where " + left + " are left");
            return (int) length;
        }

        private void skip(int type) throws IOException {
            switch (type) {
                case 0 -> {
                    long ignored = varlong();
                }
                case 1 -> pass(Long.BYTES);
                case 2 -> pass(length(type));
                case 5 -> pass(Integer.BYTES);
                default -> throw new IllegalArgumentException("a field has wire type " + type);
            }
        }

        private void pass(int length) throws IOException {
            require(length <= left, "a field is truncated");
            stream.skipNBytes(length);
            left -= length;
        }

        private void fill(byte[] target, int start, int length) throws IOException {
            if (stream.readNBytes(target, start, length) != length) {
                throw new EOFException("it is truncated");
            }
            left -= length;
        }

        private long varlong() throws IOException {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE && left > 0; shift += 7) {
                int next = stream.read();
                left--;
                value |= (next & 0x7fL) << shift;
                if (next < 0x80) {
                    require(next >= 0, "it is truncated");
                    return value;
                }
            }
            throw new IllegalArgumentException("a number does not end");
        }

        private static void require(boolean isSound, String otherwise) {
            if (!isSound) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
