package dev.blobshuffle.flightdaemon.internal.server;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

/**
 * A store in the Python package's layout. The metadata of its messages has only a kind and a body
 * length.
 */
public final class ArrowStore {
    static final byte[] SCHEMA = message(1, new byte[0]);

    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final Path directory;
    private final Random random = new Random(7);
    private long sequence;

    public ArrowStore(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    /**
     * An encapsulated message: a flatbuffer with kind (slot 1) and body length (slot 3), then the
     * body.
     */
    static byte[] message(int kind, byte[] body) {
        ByteBuffer bytes = ByteBuffer.allocate(8 + 32 + body.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(-1).putInt(32).putInt(16);
        bytes.putShort((short) 12).putShort((short) 16).putShort((short) 0).putShort((short) 4);
        bytes.putShort((short) 0).putShort((short) 8);
        bytes.putInt(12).put((byte) kind).put(new byte[3]).putLong(body.length).put(body);
        return bytes.array();
    }

    /** A batch with a random body. */
    public byte[] batch(int length) {
        byte[] body = new byte[length];
        random.nextBytes(body);
        return message(3, body);
    }

    /** Writes a blob with a segment per partition, under its final name. */
    public Path write(String shuffle, int map, int attempt, List<List<byte[]>> partitions) throws IOException {
        return write(shuffle, map, attempt, new byte[0], partitions);
    }

    /** Writes a blob whose batches use a dictionary. */
    public Path write(String shuffle, int map, int attempt, byte[] dictionary, List<List<byte[]>> partitions)
            throws IOException {
        BlobId id = new BlobId(1, 0xabcdefL, sequence++);
        byte[] blob = blob(id, shuffle, map, attempt, dictionary, partitions);
        Path file = path(shuffle, map, attempt, id);
        Files.createDirectories(file.getParent());
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.write(temporary, blob);
        return Files.move(temporary, file);
    }

    Path path(String shuffle, int map, int attempt, BlobId id) {
        return directory.resolve("shuffles").resolve(shuffle).resolve("m" + map + "-a" + attempt + "-" + id + ".blob");
    }

    static byte[] blob(BlobId id, String shuffle, int map, int attempt, List<List<byte[]>> partitions) {
        return blob(id, shuffle, map, attempt, new byte[0], partitions);
    }

    private static byte[] blob(
            BlobId id, String shuffle, int map, int attempt, byte[] dictionary, List<List<byte[]>> partitions) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ContainerWriter writer = new ContainerWriter(id, 0, 0, ContentKind.ARROW, part -> {
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            bytes.writeBytes(copy);
        });
        byte[] prelude = Arrays.copyOf(SCHEMA, SCHEMA.length + dictionary.length);
        System.arraycopy(dictionary, 0, prelude, SCHEMA.length, dictionary.length);
        writer.partitions(partitions.size());
        writer.prelude(ByteBuffer.wrap(prelude));
        writer.section(new Zone("z"));
        for (int i = 0; i < partitions.size(); i++) {
            if (!partitions.get(i).isEmpty()) {
                writer.segment(
                        i,
                        Optional.of(new Container.Origin(shuffle, map, attempt)),
                        OptionalLong.of(1),
                        OptionalLong.empty(),
                        partitions.get(i).stream().map(ByteBuffer::wrap).toList());
            }
        }
        writer.finish();
        return bytes.toByteArray();
    }

    /** The stream that a client must receive for these batches. */
    static byte[] stream(List<byte[]> batches) {
        List<byte[]> parts = new ArrayList<>();
        parts.add(SCHEMA);
        parts.addAll(batches);
        parts.add(END);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }
}
