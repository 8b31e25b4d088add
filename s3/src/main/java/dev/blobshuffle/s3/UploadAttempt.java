package dev.blobshuffle.s3;

import dev.blobshuffle.core.store.BlobContent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;

/**
 * One attempt's access to a blob's content. A client can read the bytes only through it. The store
 * closes it when the attempt has ended, and only then releases the bytes. Asynchronous clients may
 * continue to read after an interrupt, timeout or cancellation. They then get an exception, not
 * memory that is already reused. Thread-safe: reading and closing exclude each other, once per
 * chunk and not per byte.
 */
final class UploadAttempt implements ContentStreamProvider, AutoCloseable {
    private static final String CONTENT_TYPE = "application/octet-stream";

    private final BlobContent content;

    /** Guarded by this. */
    private boolean isOpen = true;

    /** Adds a reference to content that the caller holds. */
    UploadAttempt(BlobContent content) {
        content.retain();
        this.content = content;
    }

    long length() {
        return content.length();
    }

    /**
     * The body of a blocking client's request. It can be sent any number of times until the attempt
     * ends.
     */
    RequestBody body() {
        return RequestBody.fromContentProvider(this, content.length(), CONTENT_TYPE);
    }

    /** The body of an asynchronous client's request. */
    UploadPublisher asyncBody() {
        return new UploadPublisher(this, CONTENT_TYPE);
    }

    /** CRC32C in the form of S3: four bytes, most significant first, in Base64. */
    String crc32c() throws IOException {
        CRC32C checksum = new CRC32C();
        for (ByteBuffer buffer : buffers()) {
            checksum.update(buffer);
        }
        return Base64.getEncoder()
                .encodeToString(
                        ByteBuffer.allocate(4).putInt((int) checksum.getValue()).array());
    }

    /** MD5 in the form of S3: Base64. */
    String md5() throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            for (ByteBuffer buffer : buffers()) {
                digest.update(buffer);
            }
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot compute MD5: this Java has none. Choose another checksum.", e);
        }
    }

    @Override
    public InputStream newStream() {
        try {
            return new ContentStream(buffers().iterator());
        } catch (IOException e) {
            return new EndedStream();
        }
    }

    synchronized List<ByteBuffer> buffers() throws IOException {
        requireOpen();
        return content.buffers();
    }

    /** Copies bytes out of one of the buffers. */
    synchronized void copy(ByteBuffer from, byte[] to, int offset, int length) throws IOException {
        requireOpen();
        from.get(to, offset, length);
    }

    /** Waits for a running read of a chunk, then releases the bytes. Idempotent. */
    @Override
    public synchronized void close() {
        if (isOpen) {
            isOpen = false;
            content.release();
        }
    }

    private void requireOpen() throws IOException {
        if (!isOpen) {
            throw ended();
        }
    }

    private static IOException ended() {
        return new IOException("the attempt to store this blob has ended, and its bytes may be reused");
    }

    /** Reads the buffers one after the other. Owned by the sending thread. */
    private final class ContentStream extends InputStream {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

        private final Iterator<ByteBuffer> following;
        private ByteBuffer current = NOTHING;

        ContentStream(Iterator<ByteBuffer> buffers) {
            following = buffers;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int done = 0;
            while (done < length && advance()) {
                int part = Math.min(length - done, current.remaining());
                copy(current, to, offset + done, part);
                done += part;
            }
            return done == 0 && length > 0 ? -1 : done;
        }

        @Override
        public int available() {
            return current.remaining();
        }

        private boolean advance() {
            while (!current.hasRemaining() && following.hasNext()) {
                current = following.next();
            }
            return current.hasRemaining();
        }
    }

    /** The stream for a client that starts to send after the attempt has ended. */
    private static final class EndedStream extends InputStream {
        @Override
        public int read() throws IOException {
            throw ended();
        }
    }
}
