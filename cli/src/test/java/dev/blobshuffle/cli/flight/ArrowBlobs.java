package dev.blobshuffle.cli.flight;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

/** Blobs in the Python package's format. Their messages have only a kind and a body length. */
final class ArrowBlobs {
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final Random random = new Random(7);
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
    private long sequence;

    ArrowBlobs() {
        expected.writeBytes(message(1, new byte[0]));
    }

    private static byte[] message(int kind, byte[] body) {
        ByteBuffer bytes = ByteBuffer.allocate(8 + 32 + body.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(-1).putInt(32).putInt(16);
        bytes.putShort((short) 12).putShort((short) 16).putShort((short) 0).putShort((short) 4);
        bytes.putShort((short) 0).putShort((short) 8);
        bytes.putInt(12).put((byte) kind).put(new byte[3]).putLong(body.length).put(body);
        return bytes.array();
    }

    /** Writes the blob of a map with one batch in partition 0. */
    Path write(Path directory, String shuffle, int map, int length) throws IOException {
        byte[] body = new byte[length];
        random.nextBytes(body);
        byte[] batch = message(3, body);
        expected.writeBytes(batch);
        BlobId id = new BlobId(1, 0xabcdefL, sequence++);
        ByteArrayOutputStream blob = new ByteArrayOutputStream();
        ContainerWriter writer = new ContainerWriter(id, 0, 0, ContentKind.ARROW, part -> {
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            blob.writeBytes(copy);
        });
        writer.prelude(ByteBuffer.wrap(message(1, new byte[0])));
        writer.section(new Zone("z"));
        writer.segment(
                0,
                Optional.of(new Container.Origin(shuffle, map, 0)),
                OptionalLong.of(1),
                OptionalLong.empty(),
                List.of(ByteBuffer.wrap(batch)));
        writer.finish();
        Path home = Files.createDirectories(directory.resolve("shuffles").resolve(shuffle));
        return Files.write(home.resolve("m" + map + "-a0-" + id + ".blob"), blob.toByteArray());
    }

    /** The stream of partition 0 over all maps written so far. */
    byte[] stream() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(expected.toByteArray());
        all.writeBytes(END);
        return all.toByteArray();
    }
}
