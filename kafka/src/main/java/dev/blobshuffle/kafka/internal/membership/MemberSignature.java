package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Signs the records of the membership topic with the members' first secret, and accepts signatures
 * of all their secrets, as {@code docs/format.md}, "Membership", describes. Without a secret,
 * nothing is signed and every record is accepted. Immutable.
 *
 * <p>The signature covers the topic, the key and the value. The value contains the record's
 * <b>epoch</b>: milliseconds of the writer's clock, larger in each record of an instance. If the
 * epoch is far from the broker's timestamp, the record is a copy of an earlier one.
 *
 * @param keys sign membership records and nothing else; empty if there is no secret
 * @param topic the membership topic
 */
record MemberSignature(Optional<PeerSecrets> keys, String topic) {
    /** How far clocks may differ. S3 refuses requests beyond the same bound. */
    static final Duration LARGEST_SKEW = Duration.ofMinutes(15);

    private static final String PURPOSE = "blobshuffle membership 1";
    private static final byte[] SIGNATURE = "signature ".getBytes(StandardCharsets.US_ASCII);
    private static final String EPOCH = "epoch ";
    private static final int LENGTH = SIGNATURE.length + 2 * PeerSecret.PROOF_LENGTH + 1;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

    /** Signs with the key that is derived from the first secret for this purpose. */
    static MemberSignature of(Optional<PeerSecrets> secrets, String topic) {
        return new MemberSignature(secrets.map(known -> known.forPurpose(PURPOSE)), topic);
    }

    /** Accepts everything. */
    static MemberSignature none() {
        return new MemberSignature(Optional.empty(), "");
    }

    boolean isRequired() {
        return keys.isPresent();
    }

    /** A value with its epoch and signature. Without a secret, the value itself. */
    byte[] sign(byte[] recordKey, byte[] value, long epoch) {
        if (keys.isEmpty()) {
            return value;
        }
        byte[] text = join(value, (EPOCH + epoch + "\n").getBytes(StandardCharsets.US_ASCII));
        return join(text, signature(keys.get().first(), recordKey, text));
    }

    /**
     * The epoch of a signed record; empty if the signature is missing or wrong.
     *
     * @throws IllegalStateException if nothing is signed here
     */
    OptionalLong epoch(byte[] recordKey, byte[] value) {
        if (value.length <= LENGTH) {
            return OptionalLong.empty();
        }
        byte[] text = Arrays.copyOf(value, value.length - LENGTH);
        byte[] signature = Arrays.copyOfRange(value, text.length, value.length);
        PeerSecrets known =
                keys.orElseThrow(() -> new IllegalStateException("Cannot check a signature: there is no secret."));
        boolean isSigned =
                known.all().stream().anyMatch(key -> MessageDigest.isEqual(signature, signature(key, recordKey, text)));
        return isSigned ? lastLine(text) : OptionalLong.empty();
    }

    private static OptionalLong lastLine(byte[] text) {
        int end = text.length - 1;
        int start = end;
        while (start > 0 && text[start - 1] != '\n') {
            start--;
        }
        String line = new String(text, start, end - start, StandardCharsets.US_ASCII);
        boolean isEpoch = line.startsWith(EPOCH)
                && DIGITS.matcher(line.substring(EPOCH.length())).matches();
        return isEpoch ? OptionalLong.of(Long.parseLong(line.substring(EPOCH.length()))) : OptionalLong.empty();
    }

    private byte[] signature(PeerSecret secret, byte[] recordKey, byte[] text) {
        byte[] proof = secret.mac((topic + "\n").getBytes(StandardCharsets.UTF_8), recordKey, new byte[] {'\n'}, text);
        byte[] hex = (HexFormat.of().formatHex(proof) + "\n").getBytes(StandardCharsets.US_ASCII);
        return join(SIGNATURE, hex);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
