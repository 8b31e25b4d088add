package dev.blobshuffle.gcs;

import dev.blobshuffle.core.store.BlobContent;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;

/**
 * A content's buffers as a stream. It copies each byte once, into the client's transfer buffer.
 * Owned by the sending thread.
 */
final class ContentStream extends InputStream {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final Iterator<ByteBuffer> rest;
    private ByteBuffer current = EMPTY;

    ContentStream(BlobContent content) {
        List<ByteBuffer> buffers = content.buffers();
        rest = buffers.iterator();
    }

    @Override
    public int read() {
        return advance() ? current.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        int done = 0;
        while (done < length && advance()) {
            int some = Math.min(current.remaining(), length - done);
            current.get(bytes, offset + done, some);
            done += some;
        }
        return done == 0 ? -1 : done;
    }

    private boolean advance() {
        while (!current.hasRemaining()) {
            if (!rest.hasNext()) {
                return false;
            }
            current = rest.next();
        }
        return true;
    }
}
