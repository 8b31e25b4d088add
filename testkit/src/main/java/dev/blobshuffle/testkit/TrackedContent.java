package dev.blobshuffle.testkit;

import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Content whose references are checked. When the last reference is released, it overwrites its
 * bytes, as the next user of a pooled buffer would do. A later read then returns garbage. The
 * creator holds the first reference. Thread-safe.
 */
public final class TrackedContent implements BlobContent {
    private final String name;
    private final List<byte[]> parts;
    private final long length;
    private final List<String> violations;

    /** Guarded by this. */
    private int references = 1;

    TrackedContent(String name, List<byte[]> parts, List<String> violations) {
        this.name = name;
        this.parts = parts;
        this.violations = violations;
        length = parts.stream().mapToLong(part -> part.length).sum();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public synchronized List<ByteBuffer> buffers() {
        if (references < 1) {
            violations.add(name + " is read after its last reference was given back");
        }
        List<ByteBuffer> buffers = new ArrayList<>(parts.size());
        for (byte[] part : parts) {
            buffers.add(ByteBuffer.wrap(part).asReadOnlyBuffer());
        }
        return buffers;
    }

    @Override
    public synchronized void retain() {
        if (references < 1) {
            violations.add(name + " is retained after its last reference was given back");
        }
        references++;
    }

    @Override
    public synchronized void release() {
        references--;
        if (references < 0) {
            violations.add(name + " is released more often than it was retained");
        } else if (references == 0) {
            parts.forEach(part -> Arrays.fill(part, (byte) 0xDD));
        }
    }

    /** References that are held now. */
    public synchronized int references() {
        return references;
    }
}
