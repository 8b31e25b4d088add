package dev.blobshuffle.spark;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the footer of a blob says about maps. Stateless. */
final class StoredMaps {
    private StoredMaps() {}

    /** How many maps have segments in a blob. */
    static int count(Path blob) {
        return (int) container(blob).segments().stream()
                .map(segment -> segment.origin().orElseThrow())
                .distinct()
                .count();
    }

    static Container container(Path blob) {
        try {
            byte[] bytes = Files.readAllBytes(blob);
            return ContainerCodec.decode(ByteBuffer.wrap(bytes), bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
