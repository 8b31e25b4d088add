package dev.blobshuffle.azure;

import com.azure.core.util.BinaryData;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;

/** The way in which content becomes the body of a request. */
enum Body {
    /**
     * Sends the buffers, for {@link AzureHttpClient}, which reads them only during the call, on the
     * calling thread.
     */
    BUFFERS {
        @Override
        BinaryData of(BlobContent content) {
            return BinaryData.fromListByteBuffer(content.buffers());
        }
    },
    /**
     * Sends a copy that is not reused, for transports that read on their own threads, possibly
     * after they have given up. Content that comes in pieces is already such a copy.
     */
    COPIED {
        @Override
        BinaryData of(BlobContent content) {
            if (content instanceof PiecedContent) {
                return BUFFERS.of(content);
            }
            ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(content.length()));
            content.buffers().forEach(copy::put);
            return BinaryData.fromBytes(copy.array());
        }
    };

    abstract BinaryData of(BlobContent content);
}
