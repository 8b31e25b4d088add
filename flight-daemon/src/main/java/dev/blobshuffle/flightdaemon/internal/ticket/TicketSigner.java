package dev.blobshuffle.flightdaemon.internal.ticket;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.ByteReader;
import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encodes tickets, and signs them with HMAC-SHA-256.
 *
 * <pre>
 *   1 byte 'B', 1 byte version, 8 bytes key id, string namespace, string shuffle,
 *   varint first partition, varint end, varint start frame, 8 bytes expiry,
 *   1 byte: 0 committed, varint maps; 1 listed, varint count, for each varint map, varint attempt
 *   32 bytes HMAC of all before
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class TicketSigner {
    private static final int MAGIC = 'B';
    private static final int VERSION = 1;
    private static final int MAC_LENGTH = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private static final int COMMITTED = 0;
    private static final int LISTED = 1;

    private final SecretKeySpec key;
    private final long keyId;
    private final Time time;

    /** A signer with a key. */
    public TicketSigner(byte[] key, Time time) {
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.time = time;
        // The id identifies the key of a ticket, and reveals nothing about the key.
        ByteReader id = new ByteReader(mac(new byte[] {MAGIC}, 1), 0, Long.BYTES, "a key");
        keyId = id.fixedLong();
    }

    /** Encodes and signs a ticket. */
    public byte[] sign(Ticket ticket) {
        ByteWriter writer = new ByteWriter();
        writer.fixedByte(MAGIC);
        writer.fixedByte(VERSION);
        writer.fixedLong(keyId);
        writer.string(ticket.namespace());
        writer.string(ticket.shuffle());
        writer.varlong(ticket.partitions().first());
        writer.varlong(ticket.partitions().end());
        writer.varlong(ticket.startFrame());
        writer.fixedLong(ticket.expiryMillis());
        if (ticket.maps() instanceof MapSet.Committed all) {
            writer.fixedByte(COMMITTED);
            writer.varlong(all.maps());
        } else {
            List<MapSet.Attempt> attempts = ((MapSet.Listed) ticket.maps()).attempts();
            writer.fixedByte(LISTED);
            writer.varlong(attempts.size());
            for (MapSet.Attempt attempt : attempts) {
                writer.varlong(attempt.map());
                writer.varlong(attempt.attempt());
            }
        }
        byte[] signed = writer.toArray();
        byte[] mac = mac(signed, signed.length);
        writer.bytes(mac, 0, mac.length);
        return writer.toArray();
    }

    /** Whether the bytes begin like a ticket. */
    public static boolean isTicket(byte[] bytes) {
        return bytes.length > MAC_LENGTH && bytes[0] == MAGIC;
    }

    /**
     * Decodes a ticket. It verifies the signature before it uses any other byte.
     *
     * @throws RefusedException the ticket is not from this daemon, or has expired
     */
    public Ticket verify(byte[] bytes) {
        int signed = bytes.length - MAC_LENGTH;
        int head = 2 + Long.BYTES;
        if (signed < head || bytes[0] != MAGIC || bytes[1] != VERSION) {
            throw refused("it is not of version " + VERSION);
        }
        if (new ByteReader(bytes, 2, head, "a ticket").fixedLong() != keyId) {
            throw refused("another daemon signed it, or this one before it was restarted");
        }
        byte[] mac = Arrays.copyOfRange(bytes, signed, bytes.length);
        if (!MessageDigest.isEqual(mac, mac(bytes, signed))) {
            throw refused("its signature is wrong");
        }
        Ticket ticket = decode(new ByteReader(bytes, head, signed, "a ticket"));
        if (ticket.expiryMillis() <= time.wallMillis()) {
            throw refused("it expired " + (time.wallMillis() - ticket.expiryMillis()) / 1000 + " s ago");
        }
        return ticket;
    }

    private static Ticket decode(ByteReader reader) {
        try {
            String namespace = reader.string();
            String shuffle = reader.string();
            PartitionRange partitions = new PartitionRange(reader.varint(), reader.varint());
            long startFrame = reader.varlong();
            long expiry = reader.fixedLong();
            MapSet maps = reader.fixedByte() == COMMITTED ? new MapSet.Committed(reader.varint()) : listed(reader);
            reader.end();
            return new Ticket(namespace, shuffle, partitions, maps, startFrame, expiry);
        } catch (BlobCorruptException | IllegalArgumentException e) {
            throw refused("it contradicts itself: " + e.getMessage());
        }
    }

    private static MapSet listed(ByteReader reader) {
        int count = reader.count(2);
        List<MapSet.Attempt> attempts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            attempts.add(new MapSet.Attempt(reader.varlong(), reader.varlong()));
        }
        return new MapSet.Listed(attempts);
    }

    private byte[] mac(byte[] bytes, int length) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot sign a ticket: every JDK has " + ALGORITHM + ".", e);
        }
    }

    private static RefusedException refused(String reason) {
        return new RefusedException(
                Reason.UNAUTHENTICATED, "Cannot use the ticket: " + reason + ". Ask GetFlightInfo for a new one.");
    }
}
