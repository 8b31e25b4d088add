package dev.blobshuffle.flight.internal.wire;

import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Passes messages as bytes, for use with {@link ProtoReader} and {@link ProtoWriter}. Stateless.
 */
public final class BytesMarshaller implements Marshaller<byte[]> {
    /** A marshaller. */
    public BytesMarshaller() {}

    @Override
    public InputStream stream(byte[] message) {
        return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
        return readAll(stream);
    }

    static byte[] readAll(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
