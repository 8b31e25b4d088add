package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.BlobId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes notifications: {@code docs/format.md}, "Notification". Stateless. */
public final class NotificationCodec {
    private static final byte MAGIC = (byte) 0xB5;
    private static final byte UNBOUND_VERSION = 1;
    private static final byte BOUND_VERSION = 2;

    /** The first version whose blob has an owner. */
    private static final byte OWNED_VERSION = 3;

    /**
     * The sum of: magic and version, writer, store, codec, two checksums, six long varints, one int
     * varint, the tag, and the id of the key.
     */
    private static final int MAX_LENGTH = 2 + 8 + 4 + 1 + 4 + 4 + 6 * 10 + 5 + 4 + 1 + Binding.MAX_KEY_LENGTH;

    private static final int CHECKSUM_LENGTH = 4;

    private NotificationCodec() {}

    /** The notification's bytes: fewer than 64 in practice, 125 at most. */
    public static byte[] encode(Notification notification) {
        byte[] target = new byte[MAX_LENGTH];
        target[0] = MAGIC;
        target[1] = version(notification);
        BlobId blob = notification.blob();
        int at = Varint.writeLong(target, 2, blob.generation());
        LittleEndian.writeLong(target, at, blob.ownerAndWriter());
        at = Varint.writeLong(target, at + 8, blob.sequence());
        LittleEndian.writeInt(target, at, notification.store());
        at = Varint.writeLong(target, at + 4, notification.sectionOffset());
        at = Varint.writeLong(target, at, notification.sectionLength());
        at = Varint.writeLong(target, at, notification.segmentOffset() - notification.sectionOffset());
        at = Varint.writeLong(target, at, notification.segmentLength());
        at = Varint.write(target, at, notification.records());
        target[at++] = (byte) notification.codec().code();
        LittleEndian.writeInt(target, at, notification.checksum());
        at += 4;
        Optional<Binding> binding = notification.binding();
        if (binding.isPresent()) {
            at = write(binding.get(), target, at);
        }
        LittleEndian.writeInt(target, at, Checksum.of(target, 0, at));
        return Arrays.copyOf(target, at + CHECKSUM_LENGTH);
    }

    /** The oldest version that can represent the notification. */
    private static byte version(Notification notification) {
        if (notification.blob().owner() != BlobId.NO_OWNER) {
            if (notification.binding().isEmpty()) {
                throw new IllegalArgumentException(
                        "Cannot encode a notification: its blob has an owner, and its segment no partition.");
            }
            return OWNED_VERSION;
        }
        return notification.binding().isPresent() ? BOUND_VERSION : UNBOUND_VERSION;
    }

    private static int write(Binding binding, byte[] target, int offset) {
        LittleEndian.writeInt(target, offset, binding.tag());
        byte[] key = binding.key().orElse("").getBytes(StandardCharsets.US_ASCII);
        int at = Varint.write(target, offset + 4, key.length);
        System.arraycopy(key, 0, target, at, key.length);
        return at + key.length;
    }

    /**
     * Decodes a notification.
     *
     * @throws BlobCorruptException fatal: the bytes are not a notification, or have a newer version
     */
    public static Notification decode(byte @Nullable [] bytes) {
        if (bytes == null || !isNotification(bytes)) {
            throw corrupt("the bytes do not begin as one");
        }
        byte version = bytes[1];
        if (version < UNBOUND_VERSION || version > OWNED_VERSION) {
            throw new BlobCorruptException(
                    "Cannot read a notification: its version is " + version + ", this reader knows up to "
                            + OWNED_VERSION
                            + ". Upgrade the reader; when rolling out, upgrade all readers before the first writer.");
        }
        int end = bytes.length - CHECKSUM_LENGTH;
        if (end < 2 || Checksum.of(bytes, 0, end) != LittleEndian.readInt(bytes, end)) {
            throw corrupt("its checksum is wrong, " + bytes.length + " bytes");
        }
        return fields(new ByteReader(bytes, 2, end, "a notification"), version);
    }

    private static Notification fields(ByteReader reader, byte version) {
        long generation = reader.varlong();
        long writer = reader.fixedLong();
        long sequence = reader.varlong();
        int store = reader.fixedInt();
        long sectionOffset = reader.varlong();
        long sectionLength = reader.varlong();
        long inSection = reader.varlong();
        long segmentLength = reader.varlong();
        int records = reader.varint();
        Codec codec = Codec.of(reader.fixedByte(), () -> "a notification");
        int checksum = reader.fixedInt();
        Optional<Binding> binding = version == UNBOUND_VERSION
                ? Optional.empty()
                : Optional.of(new Binding(reader.fixedInt(), reader.keyId()));
        reader.end();
        try {
            BlobId blob = version == OWNED_VERSION
                    ? BlobId.owned(generation, writer, sequence)
                    : new BlobId(generation, writer, sequence);
            long segmentOffset = Math.addExact(sectionOffset, inSection);
            return new Notification(
                    blob,
                    store,
                    sectionOffset,
                    sectionLength,
                    segmentOffset,
                    segmentLength,
                    records,
                    codec,
                    checksum,
                    binding);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new BlobCorruptException(
                    "Cannot read a notification: its numbers contradict each other. Its writer was faulty; report it.",
                    e);
        }
    }

    /**
     * Whether bytes begin like a notification of any version. This is a cheap guess, because other
     * bytes may begin in the same way. So channels also mark notifications in their own way.
     */
    public static boolean isNotification(byte @Nullable [] bytes) {
        return bytes != null && bytes.length >= 2 && bytes[0] == MAGIC;
    }

    private static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read a notification: " + reason + ". Check that nothing but BlobShuffle writes to the topic.");
    }
}
