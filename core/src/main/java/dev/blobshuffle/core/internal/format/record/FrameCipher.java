package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts and decrypts the frames of one segment with AES-256-GCM ({@code docs/format.md},
 * "Encryption"). The nonce is the frame's offset in the blob, and the key belongs to the blob, so
 * no nonce repeats. Owned by one thread at a time.
 */
final class FrameCipher {
    /** Bytes that encryption adds to a body. */
    static final int TAG_LENGTH = 16;

    private static final int NONCE_LENGTH = 12;
    private static final int ID_LENGTH = 24;
    private static final int HEADER_AT = ID_LENGTH + Long.BYTES;
    private static final int PARTITION_AT = HEADER_AT + FrameHeader.FIELDS_LENGTH;

    /** JCA's ciphers are expensive to create. They can be shared, because each use sets the key. */
    private static final ThreadLocal<Cipher> CIPHERS = ThreadLocal.withInitial(FrameCipher::cipher);

    private final SecretKey key;
    private final byte[] nonce = new byte[NONCE_LENGTH];

    /**
     * Associated data: the blob's id, the frame's offset, the fields of its header, partition
     * number, topic.
     */
    private final byte[] associated;

    /**
     * The cipher of a segment.
     *
     * @param key the key of the blob
     */
    FrameCipher(SecretKey key, BlobId blob, Partition partition) {
        this.key = key;
        byte[] topic = partition.stream().getBytes(StandardCharsets.UTF_8);
        associated = new byte[PARTITION_AT + Integer.BYTES + topic.length];
        writeId(blob, associated);
        LittleEndian.writeInt(associated, PARTITION_AT, partition.number());
        System.arraycopy(topic, 0, associated, PARTITION_AT + Integer.BYTES, topic.length);
    }

    /** The key of a blob. */
    static SecretKey blobKey(Keyring keys, String id, BlobId blob) {
        byte[] info = new byte[ID_LENGTH];
        writeId(blob, info);
        return keys.blobKey(id, info);
    }

    private static void writeId(BlobId blob, byte[] target) {
        LittleEndian.writeLong(target, 0, blob.generation());
        LittleEndian.writeLong(target, 8, blob.ownerAndWriter());
        LittleEndian.writeLong(target, 16, blob.sequence());
    }

    private static Cipher cipher() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot encrypt: this Java has no AES-GCM.", e);
        }
    }

    /**
     * Encrypts {@code source[offset, offset + length)} to the start of the target, which has room
     * for the tag after it.
     *
     * @param position the frame's offset in the blob
     * @param header holds the fields of the frame's header, from an offset on
     */
    void seal(long position, byte[] header, int headerAt, byte[] source, int offset, int length, byte[] target) {
        try {
            Cipher cipher = start(Cipher.ENCRYPT_MODE, position, header, headerAt);
            int ignored = cipher.doFinal(source, offset, length, target, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot encrypt a frame: AES-GCM does not work in this Java.", e);
        }
    }

    /**
     * Decrypts {@code source[offset, offset + length)}, which includes the tag, to the start of the
     * target.
     *
     * @return whether key, offset, header and bytes are those of the encryption
     */
    boolean open(long position, byte[] header, int headerAt, byte[] source, int offset, int length, byte[] target) {
        try {
            Cipher cipher = start(Cipher.DECRYPT_MODE, position, header, headerAt);
            int ignored = cipher.doFinal(source, offset, length, target, 0);
            return true;
        } catch (AEADBadTagException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot decrypt a frame: AES-GCM does not work in this Java.", e);
        }
    }

    private Cipher start(int mode, long position, byte[] header, int headerAt) throws GeneralSecurityException {
        LittleEndian.writeLong(nonce, 0, position);
        LittleEndian.writeLong(associated, ID_LENGTH, position);
        System.arraycopy(header, headerAt, associated, HEADER_AT, FrameHeader.FIELDS_LENGTH);
        Cipher cipher = CIPHERS.get();
        cipher.init(mode, key, new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce));
        cipher.updateAAD(associated);
        return cipher;
    }
}
