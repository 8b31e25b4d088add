package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a record that a database function has encoded ({@code docs/format.md}, "Record of the
 * outbox"). The format has no checksum and no varints, so that SQL can write it. Stateless.
 */
final class OutboxRecord {
    static final byte MAGIC = (byte) 0xB7;
    private static final byte VERSION = 1;

    /** The most headers: each has at least 8 bytes. */
    private static final int MIN_HEADER_LENGTH = 8;

    private OutboxRecord() {}

    /**
     * The record as entries of one run.
     *
     * @throws BlobCorruptException fatal: the bytes are not such a record, or have a newer version
     */
    static Entries decode(byte[] bytes, IntPredicate partitions) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            byte magic = in.get();
            byte version = in.get();
            if (magic != MAGIC || version != VERSION) {
                throw new BlobCorruptException("Cannot read a record of the outbox: its version is " + version
                        + ", this reader knows up to " + VERSION + ". Upgrade the reader.");
            }
            int partition = in.getInt();
            long timestamp = in.getLong();
            byte[] key = content(in);
            byte[] value = content(in);
            Headers headers = headers(in);
            if (partition < 0 || in.hasRemaining()) {
                throw corrupt("partition " + partition + ", " + in.remaining() + " bytes after its end");
            }
            return new Entries(
                    partitions.test(partition) ? List.of(run(partition, timestamp, key, value, headers)) : List.of(),
                    1);
        } catch (BufferUnderflowException e) {
            throw corrupt("it ends early, after " + bytes.length + " bytes");
        }
    }

    /** Converts it to the layout of all other records, so that readers need only one. */
    private static Entries.PlainRun run(
            int partition, long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        byte[] record = new byte[(int) RecordLayout.maxEncodedSize(key, value, headers)];
        int length = RecordLayout.encode(record, 0, 0, key, value, headers);
        return new Entries.PlainRun(partition, 0, 1, timestamp, record, 0, length);
    }

    private static Headers headers(ByteBuffer in) {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / MIN_HEADER_LENGTH) {
            throw corrupt("it has " + count + " headers");
        }
        String[] names = new String[count];
        byte[] @Nullable [] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            byte[] name = content(in);
            if (name == null) {
                throw corrupt("a header has no name");
            }
            names[i] = new String(name, StandardCharsets.UTF_8);
            values[i] = content(in);
        }
        return new Decoded(names, values);
    }

    private static byte @Nullable [] content(ByteBuffer in) {
        int length = in.getInt();
        if (length < -1 || length > in.remaining()) {
            throw corrupt("a part has " + length + " bytes, and " + in.remaining() + " are left");
        }
        if (length < 0) {
            return null;
        }
        byte[] content = new byte[length];
        in.get(content);
        return content;
    }

    private static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException("Cannot read a record of the outbox: " + reason
                + ". Check that nothing but BlobShuffle writes to the log.");
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Decoded(String[] names, byte[] @Nullable [] values) implements Headers {
        @Override
        public int count() {
            return names.length;
        }

        @Override
        public String name(int index) {
            return names[index];
        }

        @Override
        public byte @Nullable [] value(int index) {
            return values[index];
        }
    }
}
