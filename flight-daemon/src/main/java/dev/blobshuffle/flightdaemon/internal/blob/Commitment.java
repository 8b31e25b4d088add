package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Checksum;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The attempt of each map that all readers of a shuffle use. Stored in the file
 * {@code flight.commit} ({@code docs/format.md}, "Commit of a shuffle").
 *
 * @param blobs one for each map, from map 0 on
 */
record Commitment(List<Chosen> blobs) {
    static final String FILE = "flight.commit";

    /** The longest file that is read, bytes. */
    static final int LONGEST = 256 << 20;

    private static final String HEAD = "blobshuffle-commit 1 ";
    private static final String CHECK = "crc32c ";

    /**
     * A chosen attempt.
     *
     * @param name of the blob
     * @param fingerprint of the blob when it was chosen
     */
    record Chosen(BlobName name, Fingerprint fingerprint) {}

    Commitment {
        blobs = List.copyOf(blobs);
        for (int i = 0; i < blobs.size(); i++) {
            if (blobs.get(i).name().map() != i) {
                throw new IllegalArgumentException("Cannot commit a shuffle: entry " + i + " is of map "
                        + blobs.get(i).name().map() + ".");
            }
        }
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(HEAD).append(blobs.size()).append('\n');
        for (Chosen blob : blobs) {
            text.append(blob.name().file())
                    .append(' ')
                    .append(blob.fingerprint().length())
                    .append(' ')
                    .append(HexFormat.of().toHexDigits(blob.fingerprint().footerChecksum()))
                    .append('\n');
        }
        byte[] before = text.toString().getBytes(StandardCharsets.US_ASCII);
        String check = CHECK + HexFormat.of().toHexDigits(Checksum.of(before, 0, before.length)) + "\n";
        return (text + check).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Decodes the file. Total.
     *
     * @throws BlobCorruptException fatal: the bytes are not those that were written
     */
    static Commitment decode(byte[] file, String shuffle) {
        String text = new String(file, StandardCharsets.US_ASCII);
        int check = text.lastIndexOf(CHECK);
        try {
            if (check < 0
                    || !text.substring(check)
                            .equals(CHECK + HexFormat.of().toHexDigits(Checksum.of(file, 0, check)) + "\n")) {
                throw new IllegalArgumentException("its checksum is wrong");
            }
            String[] lines = text.substring(0, check).split("\n");
            if (!lines[0].equals(HEAD + (lines.length - 1))) {
                throw new IllegalArgumentException("it starts with '" + lines[0] + "'");
            }
            List<Chosen> blobs = new ArrayList<>();
            for (String line : List.of(lines).subList(1, lines.length)) {
                String[] words = line.split(" ");
                BlobName name = BlobName.parse(words[0]).orElseThrow(() -> new IllegalArgumentException(line));
                blobs.add(
                        new Chosen(name, new Fingerprint(Long.parseLong(words[1]), HexFormat.fromHexDigits(words[2]))));
            }
            return new Commitment(blobs);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new BlobCorruptException(
                    "Cannot read the commit of shuffle " + shuffle + ": " + e.getMessage() + ". Delete its file " + FILE
                            + " and commit again.",
                    e);
        }
    }
}
